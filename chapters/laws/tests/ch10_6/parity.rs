//! Values and gradients against PyTorch's, to 1e-5.

use ch10_3::{Linear, Mask};
use ch10_6::pixels::{PixelAttention, to_picture, to_rows};
use ch10_6::{PositionalEncoding, SelfAttention};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};
use serde_json::Value;
use testing::{backward_from, close, fixture, flat, tensor};

fn linear<const I: usize, const O: usize>(params: &Value, name: &str) -> Linear<I, O> {
    let bias = params.get(format!("{name}.bias"));
    Linear {
        weight: tensor(&Dev::default(), &params[format!("{name}.weight")]),
        bias: bias.map(|bias| tensor(&Dev::default(), bias)),
    }
}

#[test]
fn positional_encoding() {
    let given = fixture("positional_encoding");
    let encoding: PositionalEncoding<60, 32> =
        PositionalEncoding::new(&Dev::default(), 0.0);
    let table = flat(&given["outputs"]["P"]);
    close(&encoding.table.as_vec(), &table, 1e-5, "table");
    let x: Tensor3<2, 6, 32> = tensor(&Dev::default(), &given["inputs"]["X"]);
    let output = encoding.forward(x.leaky_trace());
    close(&output.as_vec(), &flat(&given["outputs"]["output"]), 1e-5, "output");
    let gradients = backward_from(output, &flat(&given["cotangent"]));
    let expected = flat(&given["grads"]["inputs.X"]);
    close(&gradients.get(&x).as_vec(), &expected, 1e-5, "gradient of X");
}

/// PyTorch's layer does not scale its scores. Ours divides them by the root
/// of the width: queries that are longer by that factor make up for it.
#[test]
fn one_head() {
    let given = fixture("unscaled_self_attention");
    let root = 8f32.sqrt();
    let params = &given["params"];
    let mut layer: SelfAttention<16, 8> = SelfAttention {
        w_q: linear(params, "Q_linear"),
        w_k: linear(params, "K_linear"),
        w_v: linear(params, "V_linear"),
    };
    layer.w_q.weight = layer.w_q.weight.clone() * root;
    let x: Tensor3<3, 10, 16> = tensor(&Dev::default(), &given["inputs"]["X"]);
    let got = layer.forward(x.leaky_trace(), &Mask::none());
    let outputs = &given["outputs"];
    close(&got.weights.as_vec(), &flat(&outputs["attention_weights"]), 1e-5, "weights");
    close(&got.output.as_vec(), &flat(&outputs["output"]), 1e-5, "output");
    let got = backward_from(got.output, &flat(&given["cotangent"]));
    let grads = &given["grads"];
    close(&got.get(&x).as_vec(), &flat(&grads["inputs.X"]), 1e-5, "X");
    let query = (got.get(&layer.w_q.weight) * root).as_vec();
    close(&query, &flat(&grads["Q_linear.weight"]), 1e-5, "Q");
    let key = got.get(&layer.w_k.weight).as_vec();
    close(&key, &flat(&grads["K_linear.weight"]), 1e-5, "K");
    let value = got.get(&layer.w_v.weight).as_vec();
    close(&value, &flat(&grads["V_linear.weight"]), 1e-5, "V");
}

/// To 1e-5 of the largest entry, or of 1: a small entry of a gradient is what
/// is left of large terms.
fn close_to_largest(got: &[f32], expected: &[f32], what: &str) {
    let scale = expected.iter().fold(1.0f32, |most, b| most.max(b.abs()));
    let share = |row: &[f32]| row.iter().map(|x| x / scale).collect::<Vec<_>>();
    close(&share(got), &share(expected), 1e-5, what);
}

#[test]
fn pixel_attention() {
    let file = fixture("pixel_attention");
    let params = &file["params"];
    let layer: PixelAttention<16, 2> = PixelAttention {
        w_q: linear(params, "query"),
        w_k: linear(params, "key"),
        w_v: linear(params, "value"),
        gamma: tensor(&Dev::default(), &params["gamma"]),
    };
    let x: Tensor4<2, 16, 4, 5> = tensor(&Dev::default(), &file["inputs"]["X"]);
    let rows: Tensor3<2, 20, 16, _> = to_rows(x.leaky_trace());
    let got = layer.forward(rows);
    let weights = flat(&file["outputs"]["attention_weights"]);
    close(&got.weights.as_vec(), &weights, 1e-5, "weights");
    let output: Tensor4<2, 16, 4, 5, _> = to_picture(got.output);
    close_to_largest(&output.as_vec(), &flat(&file["outputs"]["output"]), "output");
    let cotangent = tensor(&Dev::default(), &file["cotangent"]);
    let gradients = (output * cotangent).sum().backward();
    let expected = &file["grads"];
    let check = |got: Vec<f32>, name: &str| {
        close_to_largest(&got, &flat(&expected[name]), name);
    };
    check(gradients.get(&layer.gamma).as_vec(), "gamma");
    let maps = [(&layer.w_q, "query"), (&layer.w_k, "key")];
    for (map, name) in maps {
        check(gradients.get(&map.weight).as_vec(), &format!("{name}.weight"));
    }
    check(gradients.get(&layer.w_v.weight).as_vec(), "value.weight");
    let bias = |map: &Option<_>| gradients.get(map.as_ref().expect("has one")).as_vec();
    check(bias(&layer.w_q.bias), "query.bias");
    // A bias of the keys moves all scores of a query alike, and the softmax
    // does not notice: its gradient is 0, but for rounding.
    let zero = |g: &f32| g.abs() < 1e-4;
    assert!(bias(&layer.w_k.bias).iter().all(zero));
    assert!(flat(&expected["key.bias"]).iter().all(zero));
    let value = layer.w_v.bias.as_ref().expect("has one");
    check(gradients.get(value).as_vec(), "value.bias");
    check(gradients.get(&x).as_vec(), "inputs.X");
}
