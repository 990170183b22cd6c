//! The masked cross-entropy against PyTorch, and BLEU against d2l.

mod common;

use ch10_1::Dev;
use common::{assert_close, fixture, numbers, rows, tensor};
use dfdx::prelude::*;
use seq2seq::bleu::bleu;
use seq2seq::loss::masked_cross_entropy;

/// (B, S, V) as PyTorch has it to (S, B, V) as we have it.
fn steps_first<const B: usize, const S: usize, const V: usize>(
    x: Tensor<Rank3<B, S, V>, f32, Dev>,
) -> Tensor<(Const<S>, Const<B>, usize), f32, Dev> {
    let x: Tensor<Rank3<S, B, V>, f32, Dev> = x.permute();
    x.contiguous().reshape_like(&(Const, Const, V))
}

#[test]
fn the_loss_is_that_of_pytorch() {
    let dev = Dev::seed_from_u64(0);
    let right = fixture("masked_cross_entropy");
    let logits: Tensor<Rank3<3, 4, 7>, f32, Dev> =
        tensor(&dev, &right["inputs"]["logits"]);
    let logits = steps_first(logits);
    let labels = rows::<3, 4>(&right["inputs"]["labels"]);
    let [lens] = rows::<1, 3>(&right["inputs"]["valid_lens"]);
    let out = masked_cross_entropy(logits.leaky_trace(), &labels, &lens);
    assert_close("loss", &out.as_vec(), &numbers(&right["outputs"]["output"]));
    let cotangent: Tensor<Rank1<3>, f32, Dev> = tensor(&dev, &right["cotangent"]);
    let gradients = (out * cotangent).sum().backward();
    let d: Tensor<Rank3<3, 4, 7>, f32, Dev> =
        tensor(&dev, &right["grads"]["inputs.logits"]);
    let ours = gradients.get(&logits).as_vec();
    assert_close("logits", &ours, &steps_first(d).as_vec());
}

#[test]
fn equal_logits_cost_ln_10_for_each_token_that_counts() {
    let dev = Dev::seed_from_u64(0);
    let ones = dev.ones_like(&(Const::<4>, Const::<3>, 10));
    let loss = masked_cross_entropy(ones, &[[1; 4]; 3], &[4, 2, 0]);
    let [full, half, none] = loss.array();
    assert!((full - 10f32.ln()).abs() < 1e-5); // 2.3026
    assert!((half - 10f32.ln() / 2.0).abs() < 1e-5); // 1.1513
    assert_eq!(none, 0.0);
}

#[test]
fn bleu_is_that_of_d2l() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let path = format!("{folder}/../../tests/fixtures/bleu.json");
    let text = std::fs::read_to_string(path).expect("is in the repository");
    let right: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let cases = right["cases"].as_array().expect("a list");
    assert!(cases.len() > 20);
    for case in cases {
        let words = |name: &str| -> Vec<String> {
            let text = case[name].as_str().expect("a text");
            text.split(' ').map(String::from).collect()
        };
        let k = case["k"].as_u64().expect("a number") as usize;
        let ours = bleu(&words("pred"), &words("label"), k);
        let right = case["bleu"].as_f64().expect("a number");
        assert!((ours - right).abs() < 1e-12, "{case}: {ours}");
    }
    assert_eq!(bleu(&[], &["va".to_string()], 2), 0.0);
}
