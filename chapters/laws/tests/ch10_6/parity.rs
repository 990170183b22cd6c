//! Values and gradients against PyTorch's, to 1e-5.

use ch10_2::parameters::Parameters;
use ch10_3::Mask;
use ch10_6::pixels::{PixelAttention, to_picture, to_rows};
use ch10_6::{PositionalEncoding, SelfAttention};
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor3, Tensor4};
use testing::{agrees, close, fixture, flat, flat_there, gradient_of, load, tensor};

#[test]
fn positional_encoding() {
    let given = fixture("positional_encoding");
    let encoding: PositionalEncoding<60, 32> =
        PositionalEncoding::new(&Dev::default(), 0.0);
    let table = flat(&given["outputs"]["P"]);
    close(&encoding.table.as_vec(), &table, 1e-5, "table");
    let x: Tensor3<2, 6, 32> = tensor(&Dev::default(), &given["inputs"]["X"]);
    let output = encoding.forward(x.leaky_trace());
    let mut nothing = None::<Tensor1<0>>;
    agrees(&given, &mut nothing, str::to_string, output, &[("X", gradient_of(&x))]);
}

/// PyTorch's layer does not scale its scores. Ours divides them by the root
/// of the width: queries that are longer by that factor make up for it.
#[test]
fn one_head() {
    let mut given = fixture("unscaled_self_attention");
    let root = 8f32.sqrt();
    for (group, factor) in [("params", root), ("grads", 1.0 / root)] {
        let query = &mut given[group]["Q_linear.weight"];
        *query = flat(query).into_iter().map(|w| w * factor).collect();
    }
    let theirs = |ours: &str| match ours {
        "w_q.weight" => "Q_linear.weight".to_string(),
        "w_k.weight" => "K_linear.weight".to_string(),
        _ => "V_linear.weight".to_string(),
    };
    let mut layer: SelfAttention<16, 8> = SelfAttention::new(&Dev::default());
    load(&mut layer, &given["params"], theirs);
    let x: Tensor3<3, 10, 16> = tensor(&Dev::default(), &given["inputs"]["X"]);
    let got = layer.forward(x.leaky_trace(), &Mask::none());
    let weights = flat(&given["outputs"]["attention_weights"]);
    close(&got.weights.as_vec(), &weights, 1e-5, "weights");
    agrees(&given, &mut layer, theirs, got.output, &[("X", gradient_of(&x))]);
}

/// To 1e-5 of the largest entry: a small entry of a gradient is what is left of
/// large terms. The gradient of the keys' bias is 0, but for rounding: it moves all
/// scores of a query alike, and the softmax does not notice.
fn close_to_largest(got: &[f32], expected: &[f32], what: &str) {
    let scale = expected.iter().fold(1.0f32, |most, b| most.max(b.abs()));
    let share = |row: &[f32]| row.iter().map(|x| x / scale).collect::<Vec<_>>();
    close(&share(got), &share(expected), 1e-5, what);
}

#[test]
fn pixel_attention() {
    let file = fixture("pixel_attention");
    let theirs = |ours: &str| {
        let named = [("w_q", "query"), ("w_k", "key"), ("w_v", "value")];
        named.iter().fold(ours.to_string(), |name, (w, map)| name.replace(w, map))
    };
    let mut layer: PixelAttention<16, 2> = PixelAttention::new(&Dev::default());
    load(&mut layer, &file["params"], theirs);
    let x: Tensor4<2, 16, 4, 5> = tensor(&Dev::default(), &file["inputs"]["X"]);
    let rows: Tensor3<2, 20, 16, _> = to_rows(x.leaky_trace());
    let got = layer.forward(rows);
    let weights = flat(&file["outputs"]["attention_weights"]);
    close(&got.weights.as_vec(), &weights, 1e-5, "weights");
    let output: Tensor4<2, 16, 4, 5, _> = to_picture(got.output);
    close_to_largest(&output.as_vec(), &flat(&file["outputs"]["output"]), "output");
    let cotangent = tensor(&Dev::default(), &file["cotangent"]);
    let gradients = (output * cotangent).sum().backward();
    let wanted = flat(&file["grads"]["inputs.X"]);
    close_to_largest(&gradients.get(&x).as_vec(), &wanted, "X");
    let wanted = flat_there(&mut layer, &file["grads"], theirs);
    close_to_largest(&layer.flat_gradient(gradients), &wanted, "parameters");
}
