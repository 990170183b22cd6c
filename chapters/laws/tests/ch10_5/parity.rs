//! Values and gradients against PyTorch's, to 1e-5.

use crate::exercises::widths::MixedAttention;
use ch10_3::{Linear, Mask};
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;
use kernels::{DefinitionTape, Dev, Tensor2, Tensor3, onto_owned_tape};
use serde_json::Value;
use testing::{backward_from, close, fixture, flat, tensor};

fn linear<const I: usize, const O: usize>(params: &Value, name: &str) -> Linear<I, O> {
    let bias = params.get(format!("{name}.bias"));
    Linear {
        weight: tensor(&Dev::default(), &params[format!("{name}.weight")]),
        bias: bias.map(|bias| tensor(&Dev::default(), bias)),
    }
}

fn layer<const M: usize, const H: usize, const D: usize>(
    params: &Value,
) -> MultiHeadAttention<M, H, D> {
    MultiHeadAttention {
        w_q: linear(params, "W_q"),
        w_k: linear(params, "W_k"),
        w_v: linear(params, "W_v"),
        w_o: linear(params, "W_o"),
        dropout: 0.0,
    }
}

fn check_linear<const I: usize, const O: usize>(
    linear: &Linear<I, O>,
    gradients: &Gradients<f32, Dev>,
    expected: &Value,
    name: &str,
) {
    let weight = format!("{name}.weight");
    close(
        &gradients.get(&linear.weight).as_vec(),
        &flat(&expected[&weight]),
        1e-5,
        &weight,
    );
    if let Some(b) = &linear.bias {
        let bias = format!("{name}.bias");
        close(&gradients.get(b).as_vec(), &flat(&expected[&bias]), 1e-5, &bias);
    }
}

/// Queries (2, 4, M), keys and values (2, K, M); by the kernels, and by the
/// definitions.
fn check<const K: usize, const M: usize, const H: usize, const D: usize>(
    name: &str,
    mask: Mask<2, 4, K>,
) {
    check_once::<K, M, H, D, OwnedTape<f32, Dev>>(name, &mask);
    check_once::<K, M, H, D, DefinitionTape>(name, &mask);
}

fn check_once<
    const K: usize,
    const M: usize,
    const H: usize,
    const D: usize,
    T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>,
>(
    name: &str,
    mask: &Mask<2, 4, K>,
) {
    let file = fixture(name);
    let layer: MultiHeadAttention<M, H, D> = layer(&file["params"]);
    let inputs = &file["inputs"];
    let queries: Tensor3<2, 4, M> = tensor(&Dev::default(), &inputs["queries"]);
    let together = inputs.get("keys_values").is_some();
    let names = if together { ["keys_values"; 2] } else { ["keys", "values"] };
    let keys: Tensor3<2, K, M> = tensor(&Dev::default(), &inputs[names[0]]);
    let values: Tensor3<2, K, M> = tensor(&Dev::default(), &inputs[names[1]]);
    let on_tape = queries.retaped::<T>();
    let got = layer.forward(on_tape, keys.retaped(), values.retaped(), mask);
    close(&got.output.as_vec(), &flat(&file["outputs"]["output"]), 1e-5, name);
    let weights = flat(&file["outputs"]["attention_weights"]);
    close(&got.weights.as_vec(), &weights, 1e-5, "weights");
    let gradients = backward_from(got.output, &flat(&file["cotangent"]));
    let expected = &file["grads"];
    check_linear(&layer.w_q, &gradients, expected, "W_q");
    check_linear(&layer.w_k, &gradients, expected, "W_k");
    check_linear(&layer.w_v, &gradients, expected, "W_v");
    check_linear(&layer.w_o, &gradients, expected, "W_o");
    let by_queries = flat(&expected["inputs.queries"]);
    close(&gradients.get(&queries).as_vec(), &by_queries, 1e-5, "inputs.queries");
    let by_keys = gradients.get(&keys).as_vec();
    let by_values = gradients.get(&values).as_vec();
    if together {
        let both: Vec<f32> =
            by_keys.iter().zip(&by_values).map(|(a, b)| a + b).collect();
        close(&both, &flat(&expected["inputs.keys_values"]), 1e-5, "keys_values");
    } else {
        close(&by_keys, &flat(&expected["inputs.keys"]), 1e-5, "inputs.keys");
        close(&by_values, &flat(&expected["inputs.values"]), 1e-5, "inputs.values");
    }
}

#[test]
fn without_a_mask() {
    check::<6, 20, 5, 4>("multihead_h20_nomask", Mask::none());
}

#[test]
fn with_a_length_for_each_example() {
    check::<6, 20, 5, 4>("multihead_h20_lens1d", Mask::valid_lens([3, 2]));
}

#[test]
fn with_a_length_for_each_query() {
    let mask = Mask::valid_lens_per_query([[1, 2, 3, 6], [4, 4, 2, 5]]);
    check::<6, 20, 5, 4>("multihead_h20_lens2d", mask);
}

#[test]
fn with_biases() {
    check::<6, 20, 5, 4>("multihead_h20_bias", Mask::valid_lens([3, 2]));
}

#[test]
fn with_any_mask() {
    let cells = flat(&fixture("multihead_mask")["inputs"]["mask"]);
    let mask = Mask::from_fn(|b, q, k| cells[(b * 4 + q) * 5 + k] == 1.0);
    check::<5, 12, 3, 4>("multihead_mask", mask);
}

/// The answer to exercise 5.
#[test]
fn with_three_widths() {
    let file = fixture("multihead_mixed_sizes");
    let (params, inputs) = (&file["params"], &file["inputs"]);
    let layer: MixedAttention<5, 7, 9, 12, 3, 4> = MixedAttention {
        w_q: linear(params, "W_q"),
        w_k: linear(params, "W_k"),
        w_v: linear(params, "W_v"),
        w_o: linear(params, "W_o"),
    };
    let queries: Tensor3<2, 4, 5> = tensor(&Dev::default(), &inputs["queries"]);
    let keys: Tensor3<2, 6, 7> = tensor(&Dev::default(), &inputs["keys"]);
    let values: Tensor3<2, 6, 9> = tensor(&Dev::default(), &inputs["values"]);
    let got = layer.forward(
        queries.leaky_trace(),
        keys.retaped(),
        values.retaped(),
        &Mask::valid_lens([3, 2]),
    );
    close(&got.output.as_vec(), &flat(&file["outputs"]["output"]), 1e-5, "output");
    let weights = flat(&file["outputs"]["attention_weights"]);
    close(&got.weights.as_vec(), &weights, 1e-5, "weights");
    let gradients = backward_from(got.output, &flat(&file["cotangent"]));
    let expected = &file["grads"];
    check_linear(&layer.w_q, &gradients, expected, "W_q");
    check_linear(&layer.w_k, &gradients, expected, "W_k");
    check_linear(&layer.w_v, &gradients, expected, "W_v");
    check_linear(&layer.w_o, &gradients, expected, "W_o");
    let close_to =
        |got: Vec<f32>, name: &str| close(&got, &flat(&expected[name]), 1e-5, name);
    close_to(gradients.get(&queries).as_vec(), "inputs.queries");
    close_to(gradients.get(&keys).as_vec(), "inputs.keys");
    close_to(gradients.get(&values).as_vec(), "inputs.values");
}

/// The generator that multihead_h100 describes.
struct Congruential(u64);

impl Congruential {
    fn tensor<S: ConstShape>(&mut self, divisor: f32) -> Tensor<S, f32, Dev> {
        let mut next = || {
            self.0 = self.0.wrapping_mul(6364136223846793005);
            self.0 = self.0.wrapping_add(1442695040888963407);
            ((self.0 >> 54) as f32 / 512.0 - 1.0) / divisor
        };
        let numbers = (0..S::NUMEL).map(|_| next()).collect();
        Dev::default().tensor_from_vec(numbers, S::default())
    }
}

/// Sums, two rows and the norm of one gradient.
fn check_summary(got: &Tensor2<100, 100>, expected: &Value) {
    let rows = got.array();
    close(&rows[0], &flat(&expected["first_row"]), 1e-5, "first row");
    close(&rows[99], &flat(&expected["last_row"]), 1e-5, "last row");
    // Sums of a hundred terms: an error for each, and up to 1 to each unit.
    let size: f32 = rows.iter().flatten().map(|x| x.abs()).sum::<f32>() / 100.0;
    let near = |got: Vec<f32>, expected: Vec<f32>, what: &str| {
        let mut pairs = got.iter().zip(&expected);
        assert!(pairs.all(|(a, b)| (a - b).abs() <= 1e-5 * size.max(1.0)), "{what}");
    };
    let sums = got.clone().sum::<Rank1<100>, Axis<1>>().as_vec();
    near(sums, flat(&expected["row_sums"]), "row sums");
    let sums = got.clone().sum::<Rank1<100>, Axis<0>>().as_vec();
    near(sums, flat(&expected["col_sums"]), "column sums");
    let norm = got.clone().square().sum::<Rank0, _>().sqrt().as_vec();
    close(&norm, &flat(&expected["frobenius"]), 1e-5, "norm");
}

#[test]
fn at_width_100() {
    let file = fixture("multihead_h100");
    let mut draw = Congruential(42);
    let mut matrix = || Linear { weight: draw.tensor(4.0), bias: None };
    let layer: MultiHeadAttention<100, 5, 20> = MultiHeadAttention {
        w_q: matrix(),
        w_k: matrix(),
        w_v: matrix(),
        w_o: matrix(),
        dropout: 0.0,
    };
    let queries: Tensor3<2, 4, 100> = draw.tensor(1.0);
    let pairs: Tensor3<2, 6, 100> = draw.tensor(1.0);
    let cotangent: Tensor3<2, 4, 100> = draw.tensor(1.0);
    let check = &file["generator"]["check"];
    let first = &layer.w_q.weight.as_vec()[..3];
    close(first, &flat(&check["W_q.weight[0][0..3]"]), 1e-5, "the generator");
    let last = &cotangent.as_vec()[797..];
    close(last, &flat(&check["cotangent[1][3][97..100]"]), 1e-5, "the generator");

    // One tensor as keys and as values: its two gradients add up.
    let got = layer.forward(
        queries.leaky_trace(),
        pairs.retaped(),
        pairs.retaped(),
        &Mask::valid_lens([3, 2]),
    );
    let outputs = &file["outputs"];
    close(&got.output.as_vec(), &flat(&outputs["output"]), 1e-5, "output");
    let weights = flat(&outputs["attention_weights"]);
    close(&got.weights.as_vec(), &weights, 1e-5, "weights");
    let gradients = (onto_owned_tape(got.output) * cotangent).sum().backward();
    let inputs = &file["grads"];
    let by_queries = gradients.get(&queries).as_vec();
    close(&by_queries, &flat(&inputs["inputs.queries"]), 1e-5, "queries");
    let by_pairs = gradients.get(&pairs).as_vec();
    close(&by_pairs, &flat(&inputs["inputs.keys_values"]), 1e-5, "pairs");
    let expected = &file["param_grads"];
    check_summary(&gradients.get(&layer.w_q.weight), &expected["W_q.weight"]);
    check_summary(&gradients.get(&layer.w_k.weight), &expected["W_k.weight"]);
    check_summary(&gradients.get(&layer.w_v.weight), &expected["W_v.weight"]);
    check_summary(&gradients.get(&layer.w_o.weight), &expected["W_o.weight"]);
}
