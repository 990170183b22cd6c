//! What holds for every sample: sums of rows, limits of w, the order of the
//! pairs, entropies, windows without a neighbour. Section 10.2.

use crate::{close, model};
use ch10_1::{Dev, Tensor1, Tensor2};
use ch10_2::kernels::{Kernel, kernel_weights};
use ch10_2::*;
use dfdx::prelude::*;

const KERNELS: [Kernel; 4] =
    [Kernel::Gaussian, Kernel::Boxcar, Kernel::Epanechnikov, Kernel::Constant];

fn sample() -> (Dev, Samples<30>, Tensor2<50, 30>) {
    let dev = Dev::seed_from_u64(5);
    let samples = draw_samples::<30>(&dev);
    let u = differences(test_inputs::<50>(&dev), samples.x.clone());
    (dev, samples, u)
}

fn sums<const Q: usize, const K: usize>(weights: Tensor2<Q, K>) -> Vec<f32> {
    weights.sum::<Rank1<Q>, Axis<1>>().as_vec()
}

#[test]
fn weights_are_positive_and_each_row_sums_to_1() {
    let (dev, _, u) = sample();
    for w in [0.0, 0.3, 1.0, 30.0, 1e6] {
        let weights = model(w).weights(u.clone());
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
    let (_, samples, u) = sample();
    let zero = model(0.0).weights(u.clone());
    let mean = samples.y.clone().mean::<Rank0, _>().array();
    for output in pool(zero, samples.y).array() {
        close(output, mean.into(), 1e-5);
    }
    let one = model(1.0).weights(u.clone());
    assert_eq!(one.array(), gaussian_weights(u).array());
}

#[test]
fn the_sign_of_w_makes_no_difference_and_at_0_its_gradient_is_0() {
    let (_, samples, u) = sample();
    let plus = model(2.5).weights(u.clone());
    let minus = model(-2.5).weights(u);
    assert_eq!(plus.array(), minus.array());
    let zero = model(0.0);
    let set = TrainingSet::<30, 29>::leave_one_out(&samples);
    let gradients = loss(&zero, &set, OwnedTape::default()).backward();
    assert_eq!(gradients.get(&zero.w).array(), 0.0);
}

#[test]
fn a_large_w_takes_the_nearest_neighbour() {
    let dev = Dev::default();
    let keys: Tensor1<4> = dev.tensor([0.0, 1.0, 2.5, 4.0]);
    let values: Tensor1<4> = dev.tensor([7.0, -1.0, 3.0, 5.0]);
    let queries: Tensor1<3> = dev.tensor([0.4, 2.0, 9.0]);
    let u = differences(queries, keys);
    let weights = model(1e3).weights(u);
    assert_eq!(pool(weights, values).array(), [7.0, 3.0, 5.0]);
}

#[test]
fn the_order_of_the_pairs_makes_no_difference() {
    let (dev, samples, u) = sample();
    let backwards = |t: Tensor1<30>| {
        let reversed: Vec<f32> = t.as_vec().into_iter().rev().collect();
        let t: Tensor1<30> = dev.tensor(reversed);
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
    let sure: Tensor2<1, 4> = dev.tensor([[0., 0., 1., 0.]]);
    assert_eq!(entropy(sure).array(), [0.0]);
    let even = uniform_weights::<1, 4>(&dev);
    close(entropy(even).array()[0], 4f64.ln(), 1e-6);
    let (_, _, u) = sample();
    let mean = |w: f32| {
        let weights = model(w).weights(u.clone());
        entropy(weights).mean::<Rank0, _>().array()
    };
    let entropies = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0].map(mean);
    assert!(entropies.is_sorted_by(|a, b| a > b), "{entropies:?}");
}

#[test]
fn kernels_are_what_their_formulas_say() {
    let dev = Dev::default();
    let u: Tensor1<5> = dev.tensor([-2.0, -1.0, 0.0, 0.5, 1.5]);
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
    let (_, _, u) = sample();
    for width in [0.2, 0.5, 1.0, 3.0] {
        let kernel = kernel_weights(Kernel::Gaussian, width, u.clone());
        let softmax = model(width.recip()).weights(u.clone());
        for (a, b) in kernel.as_vec().into_iter().zip(softmax.as_vec()) {
            close(a, b.into(), 1e-5);
        }
    }
}

#[test]
fn a_window_without_a_neighbour_gives_zeros_and_never_nan() {
    let dev = Dev::default();
    let keys: Tensor1<3> = dev.tensor([0.0, 0.1, 4.0]);
    let queries: Tensor1<2> = dev.tensor([0.05, 2.0]);
    let u: Tensor2<2, 3> = differences(queries, keys);
    for kernel in [Kernel::Boxcar, Kernel::Epanechnikov, Kernel::Gaussian] {
        let weights = kernel_weights(kernel, 0.1, u.clone());
        close(weights.array()[0][0], 0.5, 1e-5);
        // 20 widths away, exp(-200) is 0 in f32 as well.
        assert_eq!(weights.array()[1], [0.0; 3], "{kernel:?}");
        let values: Tensor1<3> = dev.tensor([5.0, 5.0, 5.0]);
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
fn what_never_learns_from_itself_cannot_learn_by_heart() {
    let (_, samples, _) = sample();
    let sharp = model(1e4);
    let all = loss(&sharp, &TrainingSet::with_self(&samples), NoneTape).array();
    let others = TrainingSet::<30, 29>::leave_one_out(&samples);
    assert!(all < 1e-3, "a point of its own is found: {all}");
    assert!(loss(&sharp, &others, NoneTape).array() > 5.0);
}

#[test]
fn a_mask_on_the_diagonal_does_what_leaving_one_out_does() {
    let (dev, samples, _) = sample();
    let set = TrainingSet::<30, 29>::leave_one_out(&samples);
    let own = pool_own(model(2.0).weights(set.differences), set.values);
    // Scores of -10^9 on the diagonal, then one product for all rows.
    let mut diagonal = [[0.0; 30]; 30];
    (0..30).for_each(|i| diagonal[i][i] = -1e9);
    let u = differences(samples.x.clone(), samples.x) * 2.0;
    let scores = u.square() * -0.5 + dev.tensor(diagonal);
    let masked = pool(scores.softmax::<Axis<1>>(), samples.y);
    for (a, b) in own.array().into_iter().zip(masked.array()) {
        close(a, b.into(), 1e-5);
    }
}
