//! What holds for every sample: sums of rows, limits of w, the order of the
//! pairs, entropies, windows without a neighbour. Section 10.2.

mod common;

use ch10_1::Dev;
use ch10_2::*;
use common::close;
use dfdx::prelude::*;

const KERNELS: [Kernel; 4] =
    [Kernel::Gaussian, Kernel::Boxcar, Kernel::Epanechnikov, Kernel::Constant];

fn sample() -> (Dev, Samples<30>, Tensor<Rank2<50, 30>, f32, Dev>) {
    let dev = Dev::seed_from_u64(5);
    let samples = draw_samples::<30>(&dev);
    let u = differences(test_inputs::<50>(&dev), samples.x.clone());
    (dev, samples, u)
}

fn sums<const Q: usize, const K: usize>(
    weights: Tensor<Rank2<Q, K>, f32, Dev>,
) -> Vec<f32> {
    weights.sum::<Rank1<Q>, Axis<1>>().as_vec()
}

#[test]
fn weights_are_positive_and_each_row_sums_to_1() {
    let (dev, _, u) = sample();
    for w in [0.0, 0.3, 1.0, 30.0, 1e6] {
        let weights = parametric_weights(dev.tensor(w), u.clone());
        assert!(weights.as_vec().iter().all(|&a| (0.0..=1.0).contains(&a)));
        for sum in sums(weights) {
            close(sum, 1.0, 1e-5);
        }
    }
    for sum in sums(uniform_weights::<50, 30>(&dev)) {
        close(sum, 1.0, 1e-5);
    }
}

#[test]
fn w_of_0_is_average_pooling_and_of_1_the_non_parametric_form() {
    let (dev, samples, u) = sample();
    let zero = parametric_weights(dev.tensor(0.0), u.clone());
    let mean = samples.y.clone().mean::<Rank0, _>().array();
    for output in pool(zero, samples.y).array() {
        close(output, mean.into(), 1e-5);
    }
    let one = parametric_weights(dev.tensor(1.0), u.clone());
    assert_eq!(one.array(), gaussian_weights(u).array());
}

#[test]
fn the_sign_of_w_makes_no_difference_and_at_0_its_gradient_is_0() {
    let (dev, samples, u) = sample();
    let plus = parametric_weights(dev.tensor(2.5), u.clone());
    let minus = parametric_weights(dev.tensor(-2.5), u);
    assert_eq!(plus.array(), minus.array());
    let w: Parameter = dev.zeros();
    let pairs: Pairs<30, 29> = Pairs::others(&samples);
    let gradients = loss(w.leaky_trace(), &pairs).backward();
    assert_eq!(gradients.get(&w).array(), 0.0);
}

#[test]
fn a_large_w_takes_the_nearest_neighbour() {
    let dev = Dev::default();
    let keys: Tensor<Rank1<4>, f32, Dev> = dev.tensor([0.0, 1.0, 2.5, 4.0]);
    let values: Tensor<Rank1<4>, f32, Dev> = dev.tensor([7.0, -1.0, 3.0, 5.0]);
    let queries: Tensor<Rank1<3>, f32, Dev> = dev.tensor([0.4, 2.0, 9.0]);
    let u = differences(queries, keys);
    let weights = parametric_weights(dev.tensor(1e3), u);
    assert_eq!(pool(weights, values).array(), [7.0, 3.0, 5.0]);
}

#[test]
fn the_order_of_the_pairs_makes_no_difference() {
    let (dev, samples, u) = sample();
    let backwards = |t: Tensor<Rank1<30>, f32, Dev>| {
        let reversed: Vec<f32> = t.as_vec().into_iter().rev().collect();
        let t: Tensor<Rank1<30>, f32, Dev> = dev.tensor(reversed);
        t
    };
    let (x, y) = (backwards(samples.x), backwards(samples.y.clone()));
    let turned = differences(test_inputs::<50>(&dev), x);
    for kernel in KERNELS {
        let plain = pool(kernel_weights(kernel, 0.5, u.clone()), samples.y.clone());
        let turned = pool(kernel_weights(kernel, 0.5, turned.clone()), y.clone());
        for (a, b) in plain.array().into_iter().zip(turned.array()) {
            close(a, b.into(), 1e-5);
        }
    }
}

#[test]
fn entropy_is_0_for_one_key_and_ln_k_for_all() {
    let dev = Dev::default();
    let sure: Tensor<Rank2<1, 4>, f32, Dev> = dev.tensor([[0., 0., 1., 0.]]);
    assert_eq!(entropy(sure).array(), [0.0]);
    let even = uniform_weights::<1, 4>(&dev);
    close(entropy(even).array()[0], 4f64.ln(), 1e-6);
    let (dev, _, u) = sample();
    let mean = |w: f32| {
        let weights = parametric_weights(dev.tensor(w), u.clone());
        entropy(weights).mean::<Rank0, _>().array()
    };
    let entropies = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0].map(mean);
    assert!(entropies.is_sorted_by(|a, b| a > b), "{entropies:?}");
}

#[test]
fn kernels_are_what_their_formulas_say() {
    let dev = Dev::default();
    let u: Tensor<Rank1<5>, f32, Dev> = dev.tensor([-2.0, -1.0, 0.0, 0.5, 1.5]);
    let at = |kernel: Kernel| kernel.at(u.clone()).array();
    assert_eq!(at(Kernel::Boxcar), [0.0, 1.0, 1.0, 1.0, 0.0]);
    assert_eq!(at(Kernel::Epanechnikov), [0.0, 0.0, 1.0, 0.75, 0.0]);
    assert_eq!(at(Kernel::Constant), [1.0; 5]);
    let wanted = [-2.0f64, -0.5, 0.0, -0.125, -1.125].map(f64::exp);
    for (found, wanted) in at(Kernel::Gaussian).into_iter().zip(wanted) {
        close(found, wanted, 1e-6);
    }
}

#[test]
fn a_width_is_one_over_w() {
    let (dev, _, u) = sample();
    for width in [0.2, 0.5, 1.0, 3.0] {
        let kernel = kernel_weights(Kernel::Gaussian, width, u.clone());
        let w = dev.tensor(width.recip());
        let softmax = parametric_weights(w, u.clone());
        for (a, b) in kernel.as_vec().into_iter().zip(softmax.as_vec()) {
            close(a, b.into(), 1e-5);
        }
    }
}

#[test]
fn a_window_without_a_neighbour_gives_zeros_and_never_nan() {
    let dev = Dev::default();
    let keys: Tensor<Rank1<3>, f32, Dev> = dev.tensor([0.0, 0.1, 4.0]);
    let queries: Tensor<Rank1<2>, f32, Dev> = dev.tensor([0.05, 2.0]);
    let u: Tensor<Rank2<2, 3>, f32, Dev> = differences(queries, keys);
    for kernel in [Kernel::Boxcar, Kernel::Epanechnikov, Kernel::Gaussian] {
        let weights = kernel_weights(kernel, 0.1, u.clone());
        close(weights.array()[0][0], 0.5, 1e-5);
        // 20 widths away, exp(-200) is 0 in f32 as well.
        assert_eq!(weights.array()[1], [0.0; 3], "{kernel:?}");
        let values: Tensor<Rank1<3>, f32, Dev> = dev.tensor([5.0, 5.0, 5.0]);
        assert_eq!(pool(weights, values).array()[1], 0.0);
    }
    // The softmax subtracts the highest score first, and has an answer.
    let softmax = gaussian_weights(u.clone() / 0.1).array()[1];
    close(softmax.iter().sum(), 1.0, 1e-6);
    let constant = kernel_weights(Kernel::Constant, 0.1, u).array()[1];
    close(constant.iter().sum(), 1.0, 1e-6);
}

#[test]
#[should_panic(expected = "a width is above 0")]
fn a_width_of_0_is_refused() {
    let (_, _, u) = sample();
    kernel_weights(Kernel::Gaussian, 0.0, u);
}

#[test]
fn training_moves_w_and_lowers_the_loss() {
    let (dev, samples, _) = sample();
    let pairs: Pairs<30, 29> = Pairs::others(&samples);
    let mut w: Parameter = dev.ones();
    let history = train(&mut w, &pairs, 0.005, 40).expect("steps");
    assert_eq!(history.len(), 40);
    assert!(w.array() != 1.0 && w.array() == history[39].1);
    assert!(history.is_sorted_by(|a, b| a.0 >= b.0), "{history:?}");
}

#[test]
fn a_loss_that_never_met_w_is_an_error_and_leaves_w() {
    let dev = Dev::seed_from_u64(6);
    let (mut w, other): (Parameter, Parameter) = (dev.ones(), dev.ones());
    let mut sgd = dfdx::optim::Sgd::new(&w, Default::default());
    let stray = other.leaky_trace().square().sum();
    assert!(step(&mut w, stray, &mut sgd).is_err());
    assert_eq!(w.array(), 1.0);
}

#[test]
fn what_never_learns_from_itself_cannot_learn_by_heart() {
    let (dev, samples, _) = sample();
    let w: Parameter = dev.tensor(1e4);
    let all = loss(w.clone(), &Pairs::all(&samples)).array();
    let others: Pairs<30, 29> = Pairs::others(&samples);
    assert!(all < 1e-3, "a point of its own is found: {all}");
    assert!(loss(w, &others).array() > 5.0);
}
