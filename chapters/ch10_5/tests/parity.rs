//! Values and gradients of section 10.5 against PyTorch's, to 1e-5.

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_5::{MultiHeadAttention, Projection};
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

fn projection<const I: usize, const O: usize, const BIAS: bool>(
    dev: &Dev,
    params: &Value,
    name: &str,
) -> Projection<I, O, BIAS> {
    let mut made = Projection::new(dev);
    made.weight = tensor(dev, &params[format!("{name}.weight")]);
    if BIAS {
        made.bias = tensor(dev, &params[format!("{name}.bias")]);
    }
    made
}

fn layer<
    const DQ: usize,
    const DK: usize,
    const DV: usize,
    const H: usize,
    const D: usize,
    const M: usize,
    const BIAS: bool,
>(
    dev: &Dev,
    params: &Value,
) -> MultiHeadAttention<DQ, DK, DV, H, D, M, BIAS> {
    let mut layer = MultiHeadAttention::new(dev, 0.0);
    layer.w_q = projection(dev, params, "W_q");
    layer.w_k = projection(dev, params, "W_k");
    layer.w_v = projection(dev, params, "W_v");
    layer.w_o = projection(dev, params, "W_o");
    layer
}

fn check_projection<const I: usize, const O: usize, const BIAS: bool>(
    made: &Projection<I, O, BIAS>,
    grads: &Gradients<f32, Dev>,
    expected: &Value,
    name: &str,
) {
    let weight = format!("{name}.weight");
    let got = grads.get(&made.weight).as_vec();
    close(&got, &flat(&expected[&weight]), &weight);
    if BIAS {
        let bias = format!("{name}.bias");
        let got = grads.get(&made.bias).as_vec();
        close(&got, &flat(&expected[&bias]), &bias);
    }
}

/// Queries (2, 4, DQ), keys (2, 6, DK), values (2, 6, DV).
fn check<
    const DQ: usize,
    const DK: usize,
    const DV: usize,
    const H: usize,
    const D: usize,
    const M: usize,
    const BIAS: bool,
>(
    name: &str,
    lens: ValidLens<2, 4>,
) {
    let dev = Dev::default();
    let file = fixture(name);
    let layer: MultiHeadAttention<DQ, DK, DV, H, D, M, BIAS> =
        layer(&dev, &file["params"]);
    let inputs = &file["inputs"];
    let queries: Tensor<Rank3<2, 4, DQ>, _, _> = tensor(&dev, &inputs["queries"]);
    let together = inputs.get("keys_values").is_some();
    let names = if together { ["keys_values"; 2] } else { ["keys", "values"] };
    let keys: Tensor<Rank3<2, 6, DK>, _, _> = tensor(&dev, &inputs[names[0]]);
    let values: Tensor<Rank3<2, 6, DV>, _, _> = tensor(&dev, &inputs[names[1]]);
    let got =
        layer.forward(queries.leaky_trace(), keys.retaped(), values.retaped(), &lens);
    close(&got.output.as_vec(), &flat(&file["outputs"]["output"]), name);
    let weights = flat(&file["outputs"]["attention_weights"]);
    close(&got.weights.as_vec(), &weights, "weights");
    let cotangent: Tensor<Rank3<2, 4, M>, _, _> = tensor(&dev, &file["cotangent"]);
    let grads = (got.output * cotangent).sum().backward();
    let expected = &file["grads"];
    check_projection(&layer.w_q, &grads, expected, "W_q");
    check_projection(&layer.w_k, &grads, expected, "W_k");
    check_projection(&layer.w_v, &grads, expected, "W_v");
    check_projection(&layer.w_o, &grads, expected, "W_o");
    let by_queries = flat(&expected["inputs.queries"]);
    close(&grads.get(&queries).as_vec(), &by_queries, "inputs.queries");
    let (by_keys, by_values) = (grads.get(&keys).as_vec(), grads.get(&values).as_vec());
    if together {
        let both: Vec<f32> =
            by_keys.iter().zip(&by_values).map(|(a, b)| a + b).collect();
        close(&both, &flat(&expected["inputs.keys_values"]), "keys_values");
    } else {
        close(&by_keys, &flat(&expected["inputs.keys"]), "inputs.keys");
        close(&by_values, &flat(&expected["inputs.values"]), "inputs.values");
    }
}

#[test]
fn without_a_mask() {
    check::<20, 20, 20, 5, 4, 20, false>("multihead_h20_nomask", ValidLens::All);
}

#[test]
fn with_a_length_for_each_example() {
    let lens = ValidLens::PerExample([3, 2]);
    check::<20, 20, 20, 5, 4, 20, false>("multihead_h20_lens1d", lens);
}

#[test]
fn with_a_length_for_each_query() {
    let lens = ValidLens::PerQuery([[1, 2, 3, 6], [4, 4, 2, 5]]);
    check::<20, 20, 20, 5, 4, 20, false>("multihead_h20_lens2d", lens);
}

#[test]
fn with_biases() {
    let lens = ValidLens::PerExample([3, 2]);
    check::<20, 20, 20, 5, 4, 20, true>("multihead_h20_bias", lens);
}

#[test]
fn with_three_widths() {
    let lens = ValidLens::PerExample([3, 2]);
    check::<5, 7, 9, 3, 4, 12, false>("multihead_mixed_sizes", lens);
}

/// The generator that multihead_h100 describes.
struct Congruential(u64);

impl Congruential {
    fn tensor<S: ConstShape>(
        &mut self,
        dev: &Dev,
        divisor: f32,
    ) -> Tensor<S, f32, Dev> {
        let mut next = || {
            self.0 = self.0.wrapping_mul(6364136223846793005);
            self.0 = self.0.wrapping_add(1442695040888963407);
            ((self.0 >> 54) as f32 / 512.0 - 1.0) / divisor
        };
        let numbers = (0..S::NUMEL).map(|_| next()).collect();
        dev.tensor_from_vec(numbers, S::default())
    }
}

type Wide = MultiHeadAttention<100, 100, 100, 5, 20, 100>;

/// Sums, two rows and the norm of one gradient.
fn check_summary(got: &Tensor<Rank2<100, 100>, f32, Dev>, expected: &Value) {
    let rows = got.array();
    close(&rows[0], &flat(&expected["first_row"]), "first row");
    close(&rows[99], &flat(&expected["last_row"]), "last row");
    // Sums of a hundred terms: an error for each, and up to 1 to each unit.
    let size: f32 = rows.iter().flatten().map(|x| x.abs()).sum::<f32>() / 100.0;
    let sums = got.clone().sum::<Rank1<100>, Axis<1>>().as_vec();
    let expect = flat(&expected["row_sums"]);
    let near = |a: f32, b: f32| (a - b).abs() <= CLOSE * size.max(1.0);
    assert!(sums.iter().zip(&expect).all(|(a, b)| near(*a, *b)), "row sums");
    let sums = got.clone().sum::<Rank1<100>, Axis<0>>().as_vec();
    let expect = flat(&expected["col_sums"]);
    assert!(sums.iter().zip(&expect).all(|(a, b)| near(*a, *b)), "col sums");
    let norm = got.clone().square().sum::<Rank0, _>().sqrt().as_vec();
    close(&norm, &flat(&expected["frobenius"]), "norm");
}

#[test]
fn at_width_100() {
    let (dev, file) = (Dev::default(), fixture("multihead_h100"));
    let mut draw = Congruential(42);
    let mut layer: Wide = MultiHeadAttention::new(&dev, 0.0);
    layer.w_q.weight = draw.tensor(&dev, 4.0);
    layer.w_k.weight = draw.tensor(&dev, 4.0);
    layer.w_v.weight = draw.tensor(&dev, 4.0);
    layer.w_o.weight = draw.tensor(&dev, 4.0);
    let queries: Tensor<Rank3<2, 4, 100>, _, _> = draw.tensor(&dev, 1.0);
    let pairs: Tensor<Rank3<2, 6, 100>, _, _> = draw.tensor(&dev, 1.0);
    let cotangent: Tensor<Rank3<2, 4, 100>, _, _> = draw.tensor(&dev, 1.0);
    let check = &file["generator"]["check"];
    let first = &layer.w_q.weight.as_vec()[..3];
    close(first, &flat(&check["W_q.weight[0][0..3]"]), "the generator");
    let last = &cotangent.as_vec()[797..];
    close(last, &flat(&check["cotangent[1][3][97..100]"]), "the generator");

    let lens = ValidLens::PerExample([3, 2]);
    // One tensor as keys and as values: its two gradients add up.
    let got =
        layer.forward(queries.leaky_trace(), pairs.retaped(), pairs.retaped(), &lens);
    let outputs = &file["outputs"];
    close(&got.output.as_vec(), &flat(&outputs["output"]), "output");
    let weights = flat(&outputs["attention_weights"]);
    close(&got.weights.as_vec(), &weights, "weights");
    let grads = (got.output * cotangent).sum().backward();
    let inputs = &file["grads"];
    let by_queries = grads.get(&queries).as_vec();
    close(&by_queries, &flat(&inputs["inputs.queries"]), "queries");
    let by_pairs = grads.get(&pairs).as_vec();
    close(&by_pairs, &flat(&inputs["inputs.keys_values"]), "pairs");
    let expected = &file["param_grads"];
    check_summary(&grads.get(&layer.w_q.weight), &expected["W_q.weight"]);
    check_summary(&grads.get(&layer.w_k.weight), &expected["W_k.weight"]);
    check_summary(&grads.get(&layer.w_v.weight), &expected["W_v.weight"]);
    check_summary(&grads.get(&layer.w_o.weight), &expected["W_o.weight"]);
}
