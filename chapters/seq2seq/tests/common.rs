//! Numbers that PyTorch computed, small models, differences.

use ch10_2::parameters::Parameters;
use dfdx::prelude::*;
use kernels::Dev;
use seq2seq::context::FixedContext;
use seq2seq::text::{Pair, read_pairs};
use seq2seq::translator::{Config, Translator};
use seq2seq::vocab::{Batch, Vocabularies};
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

/// Fails unless `gradient` is that of central differences of `loss` in every
/// parameter of the model.
pub fn assert_gradient<M: Parameters>(
    model: &mut M,
    gradient: &[f32],
    loss: impl Fn(&M) -> f64,
) {
    let flat = model.flatten();
    assert_eq!(flat.len(), gradient.len());
    for at in 0..flat.len() {
        let [below, above] = [-0.01f32, 0.01].map(|shift| {
            let mut flat = flat.clone();
            flat[at] += shift;
            model.load_flat(&flat);
            loss(model)
        });
        let right = (above - below) / 0.02;
        let ours = f64::from(gradient[at]);
        assert!((ours - right).abs() < 1e-3, "parameter {at}: {ours}, not {right}");
    }
    model.load_flat(&flat);
}

/// Sentences of two letters.
pub fn few_pairs() -> (Vec<Pair>, Vocabularies) {
    let file = b"a b a\tx y\nb a\ty y x\nb\tx\na a b b\ty\n";
    let pairs = read_pairs(file, 4).expect("is right");
    let vocabularies = Vocabularies::new(&pairs);
    (pairs, vocabularies)
}

/// The first B of them, or as many as there are.
pub fn batch<const B: usize>(
    pairs: &[Pair],
    vocabularies: &Vocabularies,
) -> Batch<B, 5> {
    Batch::new(pairs, vocabularies).expect("fits")
}

pub type Small = Translator<6, 5, FixedContext>;

/// A small model with the same dropout everywhere.
pub fn small(dev: &Dev, dropout: f32) -> Small {
    let config =
        Config { layers: 2, embedding_dropout: dropout, layer_dropout: dropout };
    Translator::new(dev, (6, 6), &config, FixedContext)
}
