//! The numbers that the page of section 10.3 works out in its prose.

use ch10_1::{Dev, Tensor1, Tensor2, Tensor3};
use ch10_2::parameters::Optimizer;
use ch10_3::Adam;
use dfdx::prelude::*;
use testing::close;

const DIGITS: f32 = 5e-5;

#[test]
fn the_example_by_hand_step_by_step() {
    let dots = [
        0.3367 * 2.2082 + 0.1288 * -0.6380,
        0.3367 * 0.4617 + 0.1288 * 0.2674,
        0.3367 * 0.5349 + 0.1288 * 0.8094,
    ];
    close(&dots, &[0.6613, 0.1899, 0.2844], DIGITS, "dot products");
    let scores = dots.map(|dot| dot / 2f32.sqrt());
    close(&scores, &[0.4676, 0.1343, 0.2011], DIGITS, "scores");
    let powers = scores.map(f32::exp);
    close(&powers, &[1.5962, 1.1437, 1.2227], DIGITS, "exponentials");
    let sum = powers.iter().sum::<f32>();
    close(&[sum], &[3.9626], DIGITS, "their sum");
    let weights = powers.map(|power| power / sum);
    let rounded = [0.4028, 0.2886, 0.3086];
    close(&weights, &rounded, DIGITS, "weights");
    let output = [
        0.4028 * 1.1103 + 0.2886 * -0.9890 + 0.3086 * 1.3221,
        0.4028 * -1.6898 + 0.2886 * 0.9580 + 0.3086 * 0.8172,
    ];
    close(&output, &[0.5698, -0.1520], DIGITS, "output");
}

#[test]
fn the_weights_of_the_diagram() {
    let dev = Dev::default();
    let weights = dev.tensor([1.9, 1.0, 1.4]).softmax::<Axis<0>>();
    close(&weights.array(), &[0.5, 0.2, 0.3], 0.01, "rounded to tenths");
}

/// Variance σ⁴d for σ = 2 and d = 16; and differences of 20 among the scores
/// of ten keys for σ = 1 and d = 64.
#[test]
fn the_spread_of_dot_products() {
    let dev = Dev::seed_from_u64(1);
    let queries: Tensor3<2000, 1, 16> = dev.sample_normal() * 2.0;
    let keys: Tensor3<2000, 10, 16> = dev.sample_normal() * 2.0;
    let scores = queries.matmul(keys.permute::<Rank3<2000, 16, 10>, _>());
    let variance = scores.var::<Rank0, _>().array();
    assert!((variance / 256.0 - 1.0).abs() < 0.1, "{variance}");

    let queries: Tensor3<2000, 1, 64> = dev.sample_normal();
    let keys: Tensor3<2000, 10, 64> = dev.sample_normal();
    let scores = queries.matmul(keys.permute::<Rank3<2000, 64, 10>, _>());
    let spread = |row: &[f32; 10]| {
        let largest = row.iter().fold(f32::MIN, |a, b| a.max(*b));
        largest - row.iter().fold(f32::MAX, |a, b| a.min(*b))
    };
    let wide = scores.array().iter().filter(|[row]| spread(row) > 20.0).count();
    assert!(wide > 1000, "{wide} of 2000 queries");
}

/// The mean of five values as an answer for each of them: 1 - 1/5.
#[test]
fn the_error_of_the_mean() {
    let dev = Dev::seed_from_u64(2);
    let values: Tensor2<4000, 5> = dev.sample_normal();
    let mean: Tensor1<4000> = values.clone().mean::<_, Axis<1>>();
    let error = (values - mean.broadcast()).square().mean::<Rank0, _>();
    close(&[error.array()], &[0.8], 0.02, "squared error");
}

/// An odd score in the lookup of five keys: with every sign turned, all
/// differences between scores turn, too. The mean of the two expected errors is
/// never below 0.622, whatever the differences between the right key and others.
#[test]
fn no_odd_score_has_an_error_below_0_622() {
    let error = |differences: [f32; 4]| {
        let powers = differences.map(f32::exp);
        let sum = 1.0 + powers.iter().sum::<f32>();
        let others: f32 = powers.iter().map(|power| (power / sum).powi(2)).sum();
        (1.0 - 1.0 / sum).powi(2) + others
    };
    let both = |s: [f32; 4]| (error(s) + error(s.map(|s| -s))) / 2.0;
    let share = |s: f32| 1.0 - 1.0 / (1.0 + 4.0 * s.exp());
    let mut lowest = f32::INFINITY;
    for s in (0..2000u16).map(|s| f32::from(s) / 100.0) {
        let formula = 0.625 * (share(-s).powi(2) + share(s).powi(2));
        close(&[both([s; 4])], &[formula], 1e-5, "equal differences");
        lowest = lowest.min(formula);
    }
    close(&[both([0.0; 4]), lowest], &[0.8, 0.6222], 1e-4, "none, and the best");
    let dev = Dev::seed_from_u64(4);
    for size in [0.5, 2.0, 5.0] {
        let around: Tensor2<20_000, 4> = dev.sample_normal() * size;
        for &drawn in around.as_vec().as_chunks::<4>().0 {
            assert!(both(drawn) > 0.622, "{drawn:?}");
            let near = drawn.map(|x| 3.95 + x / 10.0);
            assert!(both(near) > 0.622, "{near:?}");
        }
    }
}

/// Unscaled and 1024 wide: most queries are nearly certain of one pair.
#[test]
fn wide_and_unscaled_is_certain() {
    let dev = Dev::seed_from_u64(3);
    let queries: Tensor3<500, 1, 1024> = dev.sample_normal();
    let keys: Tensor3<500, 10, 1024> = dev.sample_normal();
    let scores = queries.matmul(keys.permute::<Rank3<500, 1024, 10>, _>());
    let weights = scores.softmax::<Axis<2>>().array();
    let certain = |[row]: &&[[f32; 10]; 1]| row.iter().any(|&w| w > 0.99);
    let count = weights.iter().filter(certain).count();
    assert!(count > 300, "{count} of 500 queries");
}

/// Adam moves a parameter by about the learning rate while its gradient stays
/// the same, and little where it changes sign. Worked out for three gradients,
/// large and small.
#[test]
fn a_step_of_adam() {
    let mut adam = Adam::new(3, 0.1);
    let mut parameters = [0.0; 3];
    for step in 0..50u8 {
        let sign = if step % 2 == 0 { 1.0 } else { -1.0 };
        adam.update(&mut parameters, &[1e-3, -50.0, sign]);
    }
    close(&parameters[..2], &[-5.0, 5.0], 1e-3, "the same gradient");
    assert!(parameters[2].abs() < 0.2, "{}", parameters[2]);

    // The constant beside the root counts where gradients are as small.
    for scale in [1.0, 1e-8] {
        let (mut adam, mut parameter, mut want) = (Adam::new(1, 0.1), [0.0], 0.0);
        let (mut mean, mut square) = (0.0f64, 0.0f64);
        for (t, g) in [1.0f32, -1.0, 2.0].into_iter().enumerate() {
            let (t, g) = (t as i32 + 1, scale * g);
            adam.update(&mut parameter, &[g]);
            mean = 0.9 * mean + 0.1 * f64::from(g);
            square = 0.999 * square + 0.001 * f64::from(g).powi(2);
            let m = mean / (1.0 - 0.9f64.powi(t));
            let s = square / (1.0 - 0.999f64.powi(t));
            want -= 0.1 * m / (s.sqrt() + 1e-8);
            close(&parameter, &[want as f32], 1e-5, "after a step");
        }
    }
    let (mut adam, mut parameter) = (Adam::new(1, 0.1), [1.0]);
    adam.update(&mut parameter, &[0.0]);
    assert_eq!(parameter, [1.0], "no gradient, no step");
}
