//! Values and gradients against a second implementation by plain loops over
//! f64, and against finite differences. Section 10.2.

use crate::{close, model};
use ch10_1::{Dev, Tensor1, Tensor2, Tensor3};
use ch10_2::*;
use dfdx::prelude::*;

/// The estimators a second time, by loops, from their formulas alone.
mod plain {
    /// The weights of the Gaussian kernel for one query, distances scaled by w.
    pub fn weights(query: f64, keys: &[f64], w: f64) -> Vec<f64> {
        let score = |&key: &f64| -((query - key) * w).powi(2) / 2.0;
        let scores: Vec<f64> = keys.iter().map(score).collect();
        let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let heights: Vec<f64> = scores.iter().map(|s| (s - highest).exp()).collect();
        let sum: f64 = heights.iter().sum();
        heights.iter().map(|height| height / sum).collect()
    }

    /// The weighted sum of the values.
    pub fn pool(weights: &[f64], values: &[f64]) -> f64 {
        weights.iter().zip(values).map(|(a, y)| a * y).sum()
    }

    /// The summed squared error when each point is left out of its own pairs,
    /// and its derivative by w, from the derivative of a softmax.
    pub fn loss(x: &[f64], y: &[f64], w: f64) -> (f64, f64) {
        let (mut loss, mut slope) = (0.0, 0.0);
        for i in 0..x.len() {
            let but_i = |all: &[f64]| [&all[..i], &all[i + 1..]].concat();
            let (keys, values) = (but_i(x), but_i(y));
            let weights = weights(x[i], &keys, w);
            let output = pool(&weights, &values);
            // Score k moves by -u²w when w does; a weight by the difference
            // between that and the mean of all such moves.
            let moves: Vec<f64> =
                keys.iter().map(|key| -(x[i] - key).powi(2) * w).collect();
            let mean = pool(&weights, &moves);
            let change: f64 = (0..keys.len())
                .map(|k| weights[k] * (moves[k] - mean) * values[k])
                .sum();
            loss += (output - y[i]).powi(2);
            slope += 2.0 * (output - y[i]) * change;
        }
        (loss, slope)
    }
}

/// The numbers of a tensor as f64.
fn doubles(numbers: Vec<f32>) -> Vec<f64> {
    numbers.into_iter().map(f64::from).collect()
}

/// Where the parameter is tried: flat, gentle, steep, and mirrored.
const TRIED: [f32; 5] = [0.1, 0.625, 1.0, 5.0, -2.0];

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
fn weights_and_outputs_agree_with_loops() {
    let dev = Dev::seed_from_u64(1);
    let Samples { x, y } = draw_samples::<20>(&dev);
    let queries = test_inputs::<50>(&dev);
    let (keys, values) = (doubles(x.as_vec()), doubles(y.as_vec()));
    for w in TRIED {
        let u = differences(queries.clone(), x.clone());
        let weights = model(w).weights(u);
        let output = pool(weights.clone(), y.clone()).array();
        for (q, query) in queries.array().into_iter().enumerate() {
            let wanted = plain::weights(query.into(), &keys, w.into());
            for (k, &wanted) in wanted.iter().enumerate() {
                close(weights.array()[q][k], wanted, 1e-5);
            }
            close(output[q], plain::pool(&wanted, &values), 1e-5);
        }
    }
}

#[test]
fn loss_and_gradient_agree_with_loops_and_finite_differences() {
    let dev = Dev::seed_from_u64(2);
    let samples = draw_samples::<20>(&dev);
    let set = TrainingSet::<20, 19>::leave_one_out(&samples);
    let (x, y) = (doubles(samples.x.as_vec()), doubles(samples.y.as_vec()));
    for w in TRIED {
        let model_at = model(w);
        let (wanted, slope) = plain::loss(&x, &y, w.into());
        let traced = loss(&model_at, &set, OwnedTape::default());
        close(traced.array(), wanted, 1e-5);
        close(traced.backward().get(&model_at.w).array(), slope, 1e-4);
        // The loops' own derivative, and dfdx's, by two nearby losses.
        let at = |w: f64| plain::loss(&x, &y, w).0;
        let w64 = f64::from(w);
        let measured = (at(w64 + 1e-5) - at(w64 - 1e-5)) / 2e-5;
        close(slope as f32, measured, 1e-5);
        let at = |w: f32| loss(&model(w), &set, NoneTape).array();
        let measured = (at(w + 0.01) - at(w - 0.01)) / 0.02;
        close(measured, slope, 2e-2);
    }
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
