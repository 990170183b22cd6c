//! What these tests share.

use ch10_2::parameters::Parameters;
use dfdx::prelude::*;
use kernels::{Dev, Tensor0};
use serde_json::Value;

pub fn fixture(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures");
    let path = format!("{folder}/f32/{name}.json");
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).expect("is JSON")
}

/// The numbers of nested lists, in order.
pub fn flat(value: &Value) -> Vec<f32> {
    match value {
        Value::Array(list) => list.iter().flat_map(flat).collect(),
        number => vec![number.as_f64().expect("is a number") as f32],
    }
}

pub fn tensor<S: ConstShape>(value: &Value) -> Tensor<S, f32, Dev> {
    Dev::default().tensor_from_vec(flat(value), S::default())
}

/// Within 1e-5, absolutely or relative to what is expected.
pub fn close(got: &[f32], expected: &[f32], what: &str) {
    within(1e-5, got, expected, what);
}

pub fn within(tolerance: f32, got: &[f32], expected: &[f32], what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}");
    for (i, (a, b)) in got.iter().zip(expected).enumerate() {
        let apart = (a - b).abs();
        assert!(apart <= tolerance * b.abs().max(1.0), "{what} {i}: {a}, not {b}");
    }
}

/// The gradient of each parameter by [`Parameters`], against central
/// differences of the loss.
pub fn check_gradients<M: Parameters>(
    model: &mut M,
    loss: impl Fn(&M) -> Tensor0<OwnedTape<f32, Dev>>,
) {
    const STEP: f32 = 1e-2;
    let gradients = loss(model).backward();
    let gradients = model.flat_gradient(gradients);
    let start = model.flatten();
    let mut at = |i: usize, step: f32| {
        let mut moved = start.clone();
        moved[i] += step;
        model.load_flat(&moved);
        f64::from(loss(model).array())
    };
    for (i, gradient) in gradients.iter().enumerate() {
        let difference = (at(i, STEP) - at(i, -STEP)) / (2.0 * f64::from(STEP));
        let apart = (f64::from(*gradient) - difference).abs();
        assert!(
            apart < 1e-3 * difference.abs().max(1.0),
            "{i}: {gradient}, {difference}"
        );
    }
    assert!(gradients.iter().any(|g| g.abs() > 1e-3), "nothing to compare");
}
