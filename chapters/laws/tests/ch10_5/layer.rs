//! The layer against plain loops, by its laws, in training, and as sections
//! 10.6 and 10.7 call it.

use ch10_2::parameters::{Parameters, step};
use ch10_3::{Adam, AttentionOutput, DotProductAttention, Linear, Mask};
use ch10_5::{KeyValues, MultiHeadAttention};
use dfdx::prelude::*;
use kernels::{DefinitionTape, Dev, Tensor3, onto_owned_tape};
use testing::{close, parameters_agree};

/// Two heads of width 3, with biases.
type Layer = MultiHeadAttention<6, 2, 3>;
type Output = AttentionOutput<Rank3<2, 3, 6>, Rank4<2, 2, 3, 4>>;

#[derive(Clone)]
struct Inputs {
    queries: Tensor3<2, 3, 6>,
    keys: Tensor3<2, 4, 6>,
    values: Tensor3<2, 4, 6>,
}

fn setup(seed: u64) -> (Dev, Layer, Inputs) {
    let dev = Dev::seed_from_u64(seed);
    let linear = || Linear { bias: Some(dev.sample_normal()), ..Linear::new(&dev) };
    let layer = Layer {
        w_q: linear(),
        w_k: linear(),
        w_v: linear(),
        w_o: linear(),
        dropout: 0.0,
    };
    let inputs = Inputs {
        queries: dev.sample_normal(),
        keys: dev.sample_normal(),
        values: dev.sample_normal(),
    };
    (dev, layer, inputs)
}

fn run(layer: &Layer, x: &Inputs, mask: &Mask<2, 3, 4>) -> Output {
    let Inputs { queries, keys, values } = x;
    layer.forward(queries.clone(), keys.clone(), values.clone(), mask)
}

fn masks() -> [Mask<2, 3, 4>; 5] {
    [
        Mask::none(),
        Mask::valid_lens([2, 4]),
        Mask::valid_lens([0, 3]),
        Mask::valid_lens_per_query([[1, 2, 3], [4, 0, 2]]),
        Mask::from_fn(|b, q, k| !(b + 2 * q + 3 * k).is_multiple_of(4)),
    ]
}

// --- Against plain loops ----------------------------------------------------

/// One row times the rows `from..from + count` of a weight matrix, plus bias.
fn rows(p: &Linear<6, 6>, x: &[f32], from: usize, count: usize) -> Vec<f64> {
    let (weight, bias) = (p.weight.as_vec(), p.bias.as_ref().map(|b| b.as_vec()));
    let row = |o: usize| {
        let products = weight[o * 6..][..6].iter().zip(x);
        let sum: f64 = products.map(|(w, x)| f64::from(w * x)).sum();
        sum + f64::from(bias.as_ref().map_or(0.0, |b| b[o]))
    };
    (from..from + count).map(row).collect()
}

/// The output for query `q` of example `b`, one head after the other.
fn by_loops(
    layer: &Layer,
    x: &Inputs,
    (b, q): (usize, usize),
    mask: &Mask<2, 3, 4>,
) -> Vec<f32> {
    let (keys, values) = (x.keys.array()[b], x.values.array()[b]);
    let query = x.queries.array()[b][q];
    let mut found = Vec::new();
    for h in 0..2 {
        let query = rows(&layer.w_q, &query, 3 * h, 3);
        let score = |k: usize| {
            let key = rows(&layer.w_k, &keys[k], 3 * h, 3);
            let dot: f64 = query.iter().zip(&key).map(|(a, b)| a * b).sum();
            if mask.allows(b, q, k) { (dot / 3f64.sqrt()).exp() } else { 0.0 }
        };
        let scores: Vec<f64> = (0..4).map(score).collect();
        let sum: f64 = scores.iter().sum::<f64>().max(1e-300);
        let mut pooled = [0.0; 3];
        for (score, value) in scores.iter().zip(&values) {
            let value = rows(&layer.w_v, value, 3 * h, 3);
            for (to, v) in pooled.iter_mut().zip(value) {
                *to += score / sum * v;
            }
        }
        found.extend(pooled.map(|v| v as f32));
    }
    rows(&layer.w_o, &found, 0, 6).into_iter().map(|v| v as f32).collect()
}

#[test]
fn agrees_with_plain_loops() {
    let (_, layer, x) = setup(1);
    for mask in masks() {
        let got = run(&layer, &x, &mask).output.array();
        for (b, rows) in got.iter().enumerate() {
            for (q, row) in rows.iter().enumerate() {
                let expected = by_loops(&layer, &x, (b, q), &mask);
                close(row, &expected, 1e-5, &format!("{mask:?} {b} {q}"));
            }
        }
    }
}

#[test]
fn kernel_and_definition_agree_in_values_and_gradients() {
    let (_, layer, x) = setup(2);
    for mask in masks() {
        let kernel = values_and_gradients::<OwnedTape<f32, Dev>>(&layer, &x, &mask);
        let definition = values_and_gradients::<DefinitionTape>(&layer, &x, &mask);
        close(&kernel, &definition, 1e-5, &format!("{mask:?}"));
    }
}

#[test]
fn kernel_and_definition_drop_the_same() {
    for mask in masks() {
        let (_, layer, x) = setup_with_dropout();
        let kernel = values_and_gradients::<OwnedTape<f32, Dev>>(&layer, &x, &mask);
        let (_, mut layer, x) = setup_with_dropout();
        let definition = values_and_gradients::<DefinitionTape>(&layer, &x, &mask);
        close(&kernel, &definition, 1e-5, &format!("{mask:?}"));
        layer.dropout = 0.0;
        let usual = values_and_gradients::<DefinitionTape>(&layer, &x, &mask);
        assert_ne!(definition, usual, "something is dropped");
    }
}

/// Anew for each run: the device draws the same again.
fn setup_with_dropout() -> (Dev, Layer, Inputs) {
    let (dev, layer, x) = setup(2);
    (dev, Layer { dropout: 0.4, ..layer }, x)
}

/// The gradient by the layer's parameters, the output and the weights.
fn values_and_gradients<T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>>(
    layer: &Layer,
    x: &Inputs,
    mask: &Mask<2, 3, 4>,
) -> Vec<f32> {
    let queries = x.queries.retaped::<T>();
    let got = layer.forward(queries, x.keys.retaped(), x.values.retaped(), mask);
    let (output, weights) = (got.output.as_vec(), got.weights.as_vec());
    let gradients = onto_owned_tape(got.output).square().sum().backward();
    [layer.clone().flat_gradient(gradients), output, weights].concat()
}

// --- Gradients --------------------------------------------------------------

/// Queries, keys and values are one tensor: its gradient is the sum of three.
#[test]
fn one_tensor_may_be_queries_keys_and_values() {
    let (dev, layer, _) = setup(4);
    let mut x: Tensor3<2, 4, 6> = dev.sample_normal();
    parameters_agree(&mut x, |x| {
        let got =
            layer.forward(x.leaky_trace(), x.retaped(), x.retaped(), &Mask::causal());
        got.output.square().mean()
    });
}

// --- Laws -------------------------------------------------------------------

#[test]
fn weights_of_each_head_sum_to_one_where_something_is_allowed() {
    let (_, layer, x) = setup(5);
    for mask in masks() {
        let weights = run(&layer, &x, &mask).weights.array();
        for (b, heads) in weights.iter().enumerate() {
            for (q, row) in heads.iter().flat_map(|h| h.iter().enumerate()) {
                let allowed: Vec<bool> = (0..4).map(|k| mask.allows(b, q, k)).collect();
                let sum: f32 = row.iter().sum();
                let expected = f32::from(allowed.contains(&true));
                assert!((sum - expected).abs() < 1e-6, "{sum}");
                let masked = row.iter().zip(allowed).filter(|(_, allowed)| !allowed);
                assert!(masked.into_iter().all(|(w, _)| *w == 0.0));
            }
        }
    }
}

/// The mask belongs to examples, not to heads: a batch of two is two batches
/// of one. A mask repeated in the wrong order would mix them.
#[test]
fn examples_are_apart() {
    let (_, layer, x) = setup(6);
    let both = run(&layer, &x, &Mask::valid_lens([1, 3])).output.array();
    for (b, len) in [1, 3].into_iter().enumerate() {
        let queries: Tensor3<1, 3, 6> =
            x.queries.clone().slice((b..=b, .., ..)).realize();
        let keys: Tensor3<1, 4, 6> = x.keys.clone().slice((b..=b, .., ..)).realize();
        let values: Tensor3<1, 4, 6> =
            x.values.clone().slice((b..=b, .., ..)).realize();
        let alone = layer.forward(queries, keys, values, &Mask::valid_lens([len]));
        let alone = alone.output.as_vec();
        close(both[b].as_flattened(), &alone, 1e-6, "one example");
    }
}

#[test]
fn the_order_of_the_pairs_does_not_matter() {
    let (dev, layer, x) = setup(7);
    let usual = run(&layer, &x, &Mask::none()).output.as_vec();
    let (mut keys, mut values) = (x.keys.array(), x.values.array());
    keys.iter_mut().for_each(|pairs| pairs.reverse());
    values.iter_mut().for_each(|pairs| pairs.reverse());
    let reversed =
        Inputs { keys: dev.tensor(keys), values: dev.tensor(values), ..x.clone() };
    let other = run(&layer, &reversed, &Mask::none()).output.as_vec();
    close(&other, &usual, 1e-6, "reversed pairs");
}

/// Rows 3 to 5 of the projections belong to head 1, and to no other.
#[test]
fn a_head_has_rows_of_its_own() {
    let (dev, mut layer, x) = setup(8);
    let before = run(&layer, &x, &Mask::none()).weights.array();
    let mut weight = layer.w_q.weight.array();
    weight[3..].iter_mut().flatten().for_each(|w| *w = 3.0 - *w);
    layer.w_q.weight = dev.tensor(weight);
    let after = run(&layer, &x, &Mask::none()).weights.array();
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before[0], after[0], "head 0 stays");
        assert_ne!(before[1], after[1], "head 1 changes");
    }
}

/// One head whose projections are unit matrices is the scaled dot product.
#[test]
fn one_head_is_the_scaled_dot_product() {
    let (dev, _, x) = setup(9);
    let mut eye = [[0.0; 6]; 6];
    (0..6).for_each(|i| eye[i][i] = 1.0);
    let unit = || Linear { weight: dev.tensor(eye), bias: None };
    let one: MultiHeadAttention<6, 1, 6> = MultiHeadAttention {
        w_q: unit(),
        w_k: unit(),
        w_v: unit(),
        w_o: unit(),
        dropout: 0.0,
    };
    let Inputs { queries, keys, values } = x;
    let mask = Mask::valid_lens([3, 2]);
    let got = one.forward(queries.clone(), keys.clone(), values.clone(), &mask);
    let expected = DotProductAttention::default().forward(queries, keys, values, &mask);
    close(&got.output.as_vec(), &expected.output.as_vec(), 1e-6, "output");
    close(&got.weights.as_vec(), &expected.weights.as_vec(), 1e-6, "weights");
}

#[test]
fn parameters_have_names_and_do_not_depend_on_the_heads() {
    let dev = Dev::default();
    let mut five: MultiHeadAttention<20, 5, 4> = MultiHeadAttention::new(&dev, 0.0);
    let mut two: MultiHeadAttention<20, 2, 10> = MultiHeadAttention::new(&dev, 0.0);
    assert_eq!((five.count(), two.count()), (1600, 1600));
    let names: Vec<String> =
        five.parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["w_q.weight", "w_k.weight", "w_v.weight", "w_o.weight"]);
}

// --- Training ---------------------------------------------------------------

#[test]
fn dropout_is_for_training_alone() {
    let (_, mut layer, x) = setup(10);
    let usual = run(&layer, &x, &Mask::none()).output.as_vec();
    layer.dropout = 0.5;
    assert_eq!(run(&layer, &x, &Mask::none()).output.as_vec(), usual);
    let trained = layer.forward(
        x.queries.leaky_trace(),
        x.keys.retaped(),
        x.values.retaped(),
        &Mask::none(),
    );
    assert_ne!(trained.output.as_vec(), usual);
}

/// A layer learns to copy the row before: a loss near 0 is reached.
#[test]
fn a_layer_learns() {
    let dev = Dev::seed_from_u64(11);
    let mut layer: MultiHeadAttention<4, 2, 2> = MultiHeadAttention::new(&dev, 0.0);
    let x: Tensor3<1, 4, 4> = dev.tensor([[
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]]);
    let mut rows = x.array()[0];
    rows.rotate_right(1);
    let target: Tensor3<1, 4, 4> = dev.tensor([rows]);
    let mut adam = Adam::new(layer.count(), 0.05);
    let mut last = f32::INFINITY;
    for _ in 0..200 {
        let got =
            layer.forward(x.leaky_trace(), x.retaped(), x.retaped(), &Mask::none());
        let loss = (got.output - target.clone()).square().mean();
        last = step(&mut layer, &mut adam, loss);
    }
    assert!(last < 1e-3, "{last}");
}

// --- As a decoder calls it --------------------------------------------------

/// Positions that a cache has room for.
const ROOM: usize = 5;

/// One query at a time against stored keys and values gives what all queries
/// at once give under a causal mask: nothing is projected twice.
#[test]
fn decoding_with_stored_keys_is_causal_attention() {
    let (dev, layer, _) = setup(12);
    let x: Tensor3<2, ROOM, 6> = dev.sample_normal();
    let whole = layer.forward(x.clone(), x.clone(), x.clone(), &Mask::causal());
    let (mut keys, mut values) = ([[[0.0; 6]; ROOM]; 2], [[[0.0; 6]; ROOM]; 2]);
    for i in 0..ROOM {
        let token: Tensor3<2, 1, 6> = x.clone().slice((.., i..=i, ..)).realize();
        let new = layer.project_kv(token.clone(), token.clone());
        for b in 0..2 {
            keys[b][i] = new.keys.array()[b][0];
            values[b][i] = new.values.array()[b][0];
        }
        let stored = KeyValues { keys: dev.tensor(keys), values: dev.tensor(values) };
        let got = layer.attend(token, stored, &Mask::valid_lens([i + 1; 2]));
        for (b, rows) in whole.output.array().iter().enumerate() {
            close(&got.output.array()[b][0], &rows[i], 1e-6, "one step");
        }
    }
}

/// Keys and values that are projected once serve any number of queries.
#[test]
fn projected_pairs_serve_all_queries() {
    let (_, layer, x) = setup(13);
    let mask = Mask::valid_lens([4, 2]);
    let whole = run(&layer, &x, &mask).output.array();
    let kv = layer.project_kv(x.keys.clone(), x.values.clone());
    let one: Tensor3<2, 1, 6> = x.queries.clone().slice((.., 1..2, ..)).realize();
    let got = layer.attend(one, kv, &Mask::valid_lens([4, 2])).output.array();
    for b in 0..2 {
        close(&got[b][0], &whole[b][1], 1e-6, "query 1");
    }
}
