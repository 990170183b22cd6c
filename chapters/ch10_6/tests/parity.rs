//! Values and gradients of section 10.6 against PyTorch's, to 1e-5.

use ch10_1::Dev;
use ch10_3::{Attended, ValidLens};
use ch10_5::Projection;
use ch10_6::{PositionalEncoding, SelfAttention};
use dfdx::prelude::*;
use serde_json::Value;

const CLOSE: f32 = 1e-5;

fn fixture(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures");
    let path = format!("{folder}/f32/{name}.json");
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).expect("is JSON")
}

/// The numbers of nested lists, in order.
fn flat(value: &Value) -> Vec<f32> {
    match value {
        Value::Array(list) => list.iter().flat_map(flat).collect(),
        number => vec![number.as_f64().expect("is a number") as f32],
    }
}

fn tensor<S: ConstShape>(dev: &Dev, value: &Value) -> Tensor<S, f32, Dev> {
    dev.tensor_from_vec(flat(value), S::default())
}

/// Absolutely, or relative to what is expected where that is large.
fn close(got: &[f32], expected: &[f32], what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}");
    for (i, (a, b)) in got.iter().zip(expected).enumerate() {
        let apart = (a - b).abs();
        assert!(apart <= CLOSE * b.abs().max(1.0), "{what} {i}: {a}, not {b}");
    }
}

#[test]
fn positional_encoding() {
    let (dev, given) = (Dev::default(), fixture("positional_encoding"));
    let encoding: PositionalEncoding<60, 32> = PositionalEncoding::new(&dev, 0.0);
    let table = flat(&given["outputs"]["P"]);
    close(&encoding.table.as_vec(), &table, "table");
    let x: Tensor<Rank3<2, 6, 32>, f32, Dev> = tensor(&dev, &given["inputs"]["X"]);
    let output = encoding.forward(x.leaky_trace());
    close(&output.as_vec(), &flat(&given["outputs"]["output"]), "output");
    let cotangent: Tensor<Rank3<2, 6, 32>, f32, Dev> =
        tensor(&dev, &given["cotangent"]);
    let grads = (output * cotangent).sum().backward();
    let expected = flat(&given["grads"]["inputs.X"]);
    close(&grads.get(&x).as_vec(), &expected, "gradient of X");
}

/// PyTorch's layer does not scale its scores. Ours divides them by the root
/// of the width: queries that are longer by that factor make up for it.
#[test]
fn one_head() {
    let (dev, given) = (Dev::default(), fixture("unscaled_self_attention"));
    let root = 8f32.sqrt();
    let params = &given["params"];
    let mut layer: SelfAttention<16, 8> = SelfAttention::new(&dev);
    let parts: [(&str, &mut Projection<16, 8, false>); 3] = [
        ("Q_linear.weight", &mut layer.w_q),
        ("K_linear.weight", &mut layer.w_k),
        ("V_linear.weight", &mut layer.w_v),
    ];
    for (name, part) in parts {
        part.weight = tensor(&dev, &params[name]);
    }
    layer.w_q.weight = layer.w_q.weight.clone() * root;
    let x: Tensor<Rank3<3, 10, 16>, f32, Dev> = tensor(&dev, &given["inputs"]["X"]);
    let Attended { output, weights } = layer.forward(x.leaky_trace(), &ValidLens::All);
    let outputs = &given["outputs"];
    close(&weights.as_vec(), &flat(&outputs["attention_weights"]), "weights");
    close(&output.as_vec(), &flat(&outputs["output"]), "output");
    let cotangent: Tensor<Rank3<3, 10, 8>, f32, Dev> =
        tensor(&dev, &given["cotangent"]);
    let got = (output * cotangent).sum().backward();
    let grads = &given["grads"];
    close(&got.get(&x).as_vec(), &flat(&grads["inputs.X"]), "X");
    let query = (got.get(&layer.w_q.weight) * root).as_vec();
    close(&query, &flat(&grads["Q_linear.weight"]), "Q");
    let key = got.get(&layer.w_k.weight).as_vec();
    close(&key, &flat(&grads["K_linear.weight"]), "K");
    let value = got.get(&layer.w_v.weight).as_vec();
    close(&value, &flat(&grads["V_linear.weight"]), "V");
}
