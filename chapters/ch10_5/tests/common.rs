//! What these tests share.

use ch10_2::parameters::Parameters;
use dfdx::prelude::*;
use kernels::{Dev, Tensor0};
use serde_json::Value;
pub use testing::{fixture, flat};

pub fn tensor<S: ConstShape>(value: &Value) -> Tensor<S, f32, Dev> {
    testing::tensor(&Dev::default(), value)
}

/// Within 1e-5, absolutely or relative to what is expected.
#[track_caller]
pub fn close(got: &[f32], expected: &[f32], what: &str) {
    testing::close(got, expected, 1e-5, what);
}

#[track_caller]
pub fn within(tolerance: f32, got: &[f32], expected: &[f32], what: &str) {
    testing::close(got, expected, tolerance, what);
}

/// The gradient of each parameter by [`Parameters`], against finite
/// differences of the loss.
#[track_caller]
pub fn check_gradients<M: Parameters + Clone>(
    model: &mut M,
    loss: impl Fn(&M) -> Tensor0<OwnedTape<f32, Dev>>,
) {
    let gradients = model.flat_gradient(loss(model).backward());
    assert!(gradients.iter().any(|g| g.abs() > 1e-3), "nothing to compare");
    let start = model.flatten();
    let at = |flat: &[f32]| {
        let mut moved = model.clone();
        moved.load_flat(flat);
        loss(&moved).array()
    };
    testing::gradient_agrees(&start, &gradients, at, 5e-4, "gradient");
}
