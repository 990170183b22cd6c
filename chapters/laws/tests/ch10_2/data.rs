//! The data, batches, and what each point learns from. Section 10.2.

use crate::close;
use ch10_1::{Dev, Tensor1, Tensor2, Tensor3};
use ch10_2::*;
use dfdx::prelude::*;

/// The numbers of a tensor as f64.
fn doubles(numbers: Vec<f32>) -> Vec<f64> {
    numbers.into_iter().map(f64::from).collect()
}

#[test]
fn the_data_are_what_the_formula_says() {
    let dev = Dev::seed_from_u64(3);
    let Samples { x, y } = draw_samples::<2000>(&dev);
    let (x, y) = (doubles(x.as_vec()), doubles(y.as_vec()));
    assert!(x.is_sorted() && x[0] >= 0.0 && x[1999] < 5.0);
    let clean = |x: f64| 2.0 * x.sin() + x.powf(0.8);
    let noise: Vec<f64> = x.iter().zip(&y).map(|(&x, y)| y - clean(x)).collect();
    let mean = noise.iter().sum::<f64>() / 2000.0;
    let square = noise.iter().map(|e| e * e).sum::<f64>() / 2000.0;
    assert!(mean.abs() < 0.04, "noise has mean {mean}");
    assert!((square.sqrt() - 0.5).abs() < 0.03, "its variance is {square}");
    let x = test_inputs::<50>(&dev);
    for (i, (x, y)) in x.array().into_iter().zip(truth(x).array()).enumerate() {
        close(x, i as f64 / 10.0, 1e-6);
        close(y, clean(i as f64 / 10.0), 1e-5);
    }
}

#[test]
fn no_horizontal_line_has_a_smaller_error_than_0_885() {
    let truth = truth(test_inputs::<50>(&Dev::default()));
    let mean = truth.clone().mean::<Rank0, _>();
    let line: Tensor1<50> = mean.broadcast();
    let smallest = mse(line, &truth);
    assert!((0.8845..0.8855).contains(&smallest), "{smallest}");
}

#[test]
fn a_batch_agrees_with_loops() {
    let dev = Dev::seed_from_u64(4);
    let a: Tensor3<2, 3, 4> = dev.sample_normal();
    let v: Tensor3<2, 4, 6> = dev.sample_normal();
    let found = pool_batch(a.clone(), v.clone()).array();
    let (a, v) = (a.array(), v.array());
    for b in 0..2 {
        for q in 0..3 {
            for d in 0..6 {
                let set = (0..4).map(|k| f64::from(a[b][q][k] * v[b][k][d]));
                close(found[b][q][d], set.sum(), 1e-5);
            }
        }
    }
}

#[test]
fn the_worked_batch_of_two_gives_4_5_and_14_5() {
    let dev = Dev::default();
    let weights: Tensor2<2, 10> = dev.ones() * 0.1;
    let counted: Vec<f32> = (0..20u8).map(f32::from).collect();
    let values: Tensor2<2, 10> = dev.tensor(counted);
    let [first, second] = pool_own(weights, values).array();
    close(first, 4.5, 1e-6);
    close(second, 14.5, 1e-6);
}

#[test]
fn each_point_loses_itself_and_nothing_else() {
    let dev = Dev::default();
    let counted: Vec<f32> = (0..9u8).map(f32::from).collect();
    let matrix: Tensor2<3, 3> = dev.tensor(counted);
    let found: Tensor2<3, 2> = without_diagonal(matrix);
    assert_eq!(found.array(), [[1.0, 2.0], [3.0, 5.0], [6.0, 7.0]]);
    let samples: Samples<3> =
        Samples { x: dev.tensor([0.0, 1.0, 3.0]), y: dev.tensor([5., 6., 7.]) };
    let set = TrainingSet::<3, 2>::leave_one_out(&samples);
    let differences = [[-1.0, -3.0], [1.0, -2.0], [3.0, 2.0]];
    assert_eq!(set.differences.array(), differences);
    assert_eq!(set.values.array(), [[6., 7.], [5., 7.], [5., 6.]]);
    assert_eq!(set.targets.array(), [5., 6., 7.]);
}
