//! Numbers that the pages of section 10.3 state in their prose, and a step of Adam.

use ch10_1::{Dev, Tensor2, Tensor3};
use ch10_2::parameters::Optimizer;
use ch10_3::Adam;
use dfdx::prelude::*;
use testing::close;

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

/// None is left out in silence.
#[test]
#[should_panic = "parameters of another model"]
fn adam_refuses_the_parameters_of_another_model() {
    Adam::new(1, 0.1).update(&mut [1.0, 1.0], &[1.0, 1.0]);
}
