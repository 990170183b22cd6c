//! What agreement with PyTorch and with finite differences rests on: it fails where it
//! should.

use std::panic::{AssertUnwindSafe, catch_unwind};
use testing::*;

/// Whether `check` fails.
fn fails<R>(check: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(check)).is_err()
}

#[test]
fn close_is_absolute_below_1_and_relative_above() {
    close(&[0.0, 1000.0], &[1e-6, 1000.009], 1e-5, "near");
    assert!(fails(|| close(&[0.0], &[2e-5], 1e-5, "far")));
    assert!(fails(|| close(&[1000.0], &[1000.02], 1e-5, "far")));
    assert!(fails(|| close(&[1.0], &[1.0, 1.0], 1e-5, "fewer")));
    assert!(fails(|| close(&[f32::NAN], &[1.0], 1e-5, "not a number")));
    assert!(fails(|| close(&[1.0], &[f32::NAN], 1e-5, "not a number")));
    assert_eq!(largest_difference(&[1.0, 2.0, 3.0], &[1.5, 2.0, 1.0]), 2.0);
    assert!(largest_difference(&[f32::NAN, 1.0], &[0.0, 3.0]).is_nan());
    assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
}

/// The sum of xᵢ³ + x₀ x₁, and its gradient.
fn cubes(x: &[f32]) -> f32 {
    x.iter().map(|x| x * x * x).sum::<f32>() + x[0] * x[1]
}

fn gradient(x: &[f32]) -> Vec<f32> {
    let mut gradient: Vec<f32> = x.iter().map(|x| 3.0 * x * x).collect();
    gradient[0] += x[1];
    gradient[1] += x[0];
    gradient
}

#[test]
fn finite_differences_find_a_wrong_gradient() {
    let x = [0.5, -0.25, 0.125, 0.0];
    let right = gradient(&x);
    gradient_agrees(&x, &right, cubes, 1e-4, "right");
    for i in 0..x.len() {
        let mut wrong = right.clone();
        wrong[i] += 0.01;
        assert!(fails(|| gradient_agrees(&x, &wrong, cubes, 1e-4, "wrong")));
    }
    assert!(fails(|| gradient_agrees(&x, &right[1..], cubes, 1e-4, "fewer")));
}
