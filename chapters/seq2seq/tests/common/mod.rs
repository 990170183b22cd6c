//! Reads a file of numbers that PyTorch computed.

#![allow(dead_code)]

use ch10_1::Dev;
use dfdx::prelude::*;
use serde_json::Value;

/// `tests/fixtures/f32/NAME.json` of the repository.
pub fn fixture(name: &str) -> Value {
    let folder = env!("CARGO_MANIFEST_DIR");
    let path = format!("{folder}/../../tests/fixtures/f32/{name}.json");
    let text = std::fs::read_to_string(&path).expect("is in the repository");
    serde_json::from_str(&text).expect("is JSON")
}

/// All numbers of nested lists.
pub fn numbers(value: &Value) -> Vec<f32> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().expect("is a number") as f32],
    }
}

/// Nested lists as a tensor.
pub fn tensor<S: ConstShape>(dev: &Dev, value: &Value) -> Tensor<S, f32, Dev> {
    dev.tensor_from_vec(numbers(value), S::default())
}

/// A list of lists of whole numbers.
pub fn rows<const R: usize, const C: usize>(value: &Value) -> [[usize; C]; R] {
    let cells = numbers(value);
    let cell = |r, c| cells[r * C + c] as usize;
    std::array::from_fn(|r| std::array::from_fn(|c| cell(r, c)))
}

/// Fails unless each number is within 1e-5 of the right one, absolutely or
/// relative to it.
pub fn assert_close(what: &str, ours: &[f32], right: &[f32]) {
    assert_eq!(ours.len(), right.len(), "{what}");
    for (at, (a, b)) in ours.iter().zip(right).enumerate() {
        let room = 1e-5 * b.abs().max(1.0);
        assert!((a - b).abs() <= room, "{what} at {at}: {a}, not {b}");
    }
}
