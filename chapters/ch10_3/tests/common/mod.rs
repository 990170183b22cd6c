//! What the tests of section 10.3 share.
#![allow(dead_code)] // each test file uses some of it

use ch10_1::Dev;
use dfdx::prelude::*;

/// A tensor without a tape.
pub type Plain<S> = Tensor<S, f32, Dev>;

/// All numbers agree to `tolerance`, times their size above 1.
#[track_caller]
pub fn close(got: &[f32], want: &[f32], tolerance: f32, what: &str) {
    assert_eq!(got.len(), want.len(), "{what}: how many");
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let apart = (g - w).abs();
        let allowed = tolerance * w.abs().max(1.0);
        assert!(apart <= allowed, "{what}: number {i} is {g}, expected {w}");
    }
}

/// The derivatives of `loss` by each number of `x`, by central differences,
/// agree with `gradient`.
#[track_caller]
pub fn slopes_agree<S: ConstShape>(
    x: &Plain<S>,
    gradient: &Plain<S>,
    loss: impl Fn(Plain<S>) -> f32,
    what: &str,
) {
    const STEP: f32 = 1e-2;
    let numbers = x.as_vec();
    let moved = |i: usize, by: f32| {
        let mut numbers = numbers.clone();
        numbers[i] += by;
        loss(x.device().tensor_from_vec(numbers, S::default()))
    };
    let slopes: Vec<f32> = (0..S::NUMEL)
        .map(|i| (moved(i, STEP) - moved(i, -STEP)) / (2.0 * STEP))
        .collect();
    close(&gradient.as_vec(), &slopes, 2e-3, what);
}
