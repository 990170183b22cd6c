//! The layer of section 10.5: against plain loops, by its laws, in training,
//! and as sections 10.6 and 10.7 will call it.

use ch10_1::Dev;
use ch10_3::{Attended, DotProductAttention, ValidLens};
use ch10_5::{MultiHeadAttention, Pairs, Projection};
use dfdx::optim::{Adam, AdamConfig, Sgd, SgdConfig};
use dfdx::prelude::*;

type Plain<S> = Tensor<S, f32, Dev>;

/// Three widths, two heads of width 3, output width 6, with biases.
type Mixed = MultiHeadAttention<3, 4, 5, 2, 3, 6, true>;

struct Inputs {
    queries: Plain<Rank3<2, 3, 3>>,
    keys: Plain<Rank3<2, 4, 4>>,
    values: Plain<Rank3<2, 4, 5>>,
}

fn mixed(seed: u64) -> (Dev, Mixed, Inputs) {
    let dev = Dev::seed_from_u64(seed);
    let mut layer = Mixed::new(&dev, 0.0);
    layer.w_q.bias = dev.sample_normal();
    layer.w_k.bias = dev.sample_normal();
    layer.w_v.bias = dev.sample_normal();
    layer.w_o.bias = dev.sample_normal();
    let inputs = Inputs {
        queries: dev.sample_normal(),
        keys: dev.sample_normal(),
        values: dev.sample_normal(),
    };
    (dev, layer, inputs)
}

fn run(layer: &Mixed, x: &Inputs, lens: &ValidLens<2, 3>) -> Output {
    let Inputs { queries, keys, values } = x;
    layer.forward(queries.clone(), keys.clone(), values.clone(), lens)
}

type Output = Attended<Rank3<2, 3, 6>, Rank4<2, 2, 3, 4>>;

fn close(got: &[f32], expected: &[f32], tolerance: f32, what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}");
    for (i, (a, b)) in got.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance, "{what} {i}: {a}, not {b}");
    }
}

// --- Against plain loops ----------------------------------------------------

/// One row times the rows `from..from + D` of a weight matrix, plus bias.
fn rows<const I: usize, const O: usize>(
    p: &Projection<I, O, true>,
    x: &[f32],
    from: usize,
    count: usize,
) -> Vec<f64> {
    let (weight, bias) = (p.weight.as_vec(), p.bias.as_vec());
    let row = |o: usize| {
        let products = weight[o * I..][..I].iter().zip(x);
        let sum: f64 = products.map(|(w, x)| f64::from(w * x)).sum();
        sum + f64::from(bias[o])
    };
    (from..from + count).map(row).collect()
}

/// The output for query `q` of example `b`, one head after the other.
fn by_hand(layer: &Mixed, x: &Inputs, b: usize, q: usize, len: usize) -> Vec<f64> {
    let (keys, values) = (x.keys.array()[b], x.values.array()[b]);
    let query = x.queries.array()[b][q];
    let mut found = Vec::new();
    for h in 0..2 {
        let query = rows(&layer.w_q, &query, 3 * h, 3);
        let score = |k: &[f32; 4]| {
            let key = rows(&layer.w_k, k, 3 * h, 3);
            let dot: f64 = query.iter().zip(&key).map(|(a, b)| a * b).sum();
            (dot / 3f64.sqrt()).exp()
        };
        let scores: Vec<f64> = keys[..len].iter().map(score).collect();
        let sum: f64 = scores.iter().sum();
        let mut pooled = [0.0; 3];
        for (score, value) in scores.iter().zip(&values) {
            let value = rows(&layer.w_v, value, 3 * h, 3);
            for (to, v) in pooled.iter_mut().zip(value) {
                *to += score / sum * v;
            }
        }
        found.extend(pooled.map(|v| v as f32));
    }
    rows(&layer.w_o, &found, 0, 6)
}

#[test]
fn agrees_with_plain_loops() {
    let (_, layer, x) = mixed(1);
    let cases = [
        ValidLens::All,
        ValidLens::PerExample([2, 4]),
        ValidLens::PerExample([0, 3]),
        ValidLens::PerQuery([[1, 2, 3], [4, 0, 2]]),
    ];
    for lens in cases {
        let got = run(&layer, &x, &lens).output.array();
        for (b, rows) in got.iter().enumerate() {
            for (q, row) in rows.iter().enumerate() {
                let expected = by_hand(&layer, &x, b, q, lens.get(b, q, 4));
                let expected: Vec<f32> = expected.iter().map(|&v| v as f32).collect();
                close(row, &expected, 1e-5, &format!("{lens:?} {b} {q}"));
            }
        }
    }
}

// --- Laws -------------------------------------------------------------------

#[test]
fn weights_of_each_head_sum_to_one_within_the_length() {
    let (_, layer, x) = mixed(2);
    let lens = ValidLens::PerQuery([[1, 2, 3], [4, 0, 2]]);
    let weights = run(&layer, &x, &lens).weights.array();
    for (b, heads) in weights.iter().enumerate() {
        for row in heads.iter().flat_map(|h| h.iter().enumerate()) {
            let len = lens.get(b, row.0, 4);
            let sum: f32 = row.1.iter().sum();
            assert!((sum - f32::from(len > 0)).abs() < 1e-6, "{sum}");
            assert!(row.1[len..].iter().all(|&w| w == 0.0));
        }
    }
}

/// The lengths belong to examples, not to heads: a batch of two is two
/// batches of one. A mask repeated in the wrong order would mix them.
#[test]
fn examples_do_not_see_each_other() {
    let (_, layer, x) = mixed(3);
    let both = run(&layer, &x, &ValidLens::PerExample([1, 3])).output.array();
    for (b, len) in [1, 3].into_iter().enumerate() {
        let queries: Plain<Rank3<1, 3, 3>> =
            x.queries.clone().slice((b..=b, .., ..)).realize();
        let keys: Plain<Rank3<1, 4, 4>> =
            x.keys.clone().slice((b..=b, .., ..)).realize();
        let values: Plain<Rank3<1, 4, 5>> =
            x.values.clone().slice((b..=b, .., ..)).realize();
        let lens = ValidLens::PerExample([len]);
        let alone = layer.forward(queries, keys, values, &lens).output.array();
        close(both[b].as_flattened(), alone[0].as_flattened(), 1e-6, "one example");
    }
}

#[test]
fn the_order_of_the_pairs_does_not_matter() {
    let (_, layer, x) = mixed(4);
    let usual = run(&layer, &x, &ValidLens::All).output.as_vec();
    let (mut keys, mut values) = (x.keys.array(), x.values.array());
    keys.iter_mut().for_each(|pairs| pairs.reverse());
    values.iter_mut().for_each(|pairs| pairs.reverse());
    let dev = x.keys.device();
    let turned = Inputs {
        queries: x.queries.clone(),
        keys: dev.tensor(keys),
        values: dev.tensor(values),
    };
    let other = run(&layer, &turned, &ValidLens::All).output.as_vec();
    close(&other, &usual, 1e-6, "reversed pairs");
}

/// Rows 3 to 5 of the projections belong to head 1, and to no other.
#[test]
fn a_head_has_rows_of_its_own() {
    let (dev, mut layer, x) = mixed(5);
    let before = run(&layer, &x, &ValidLens::All).weights.array();
    let mut weight = layer.w_q.weight.array();
    weight[3..].iter_mut().flatten().for_each(|w| *w = 3.0 - *w);
    layer.w_q.weight = dev.tensor(weight);
    let after = run(&layer, &x, &ValidLens::All).weights.array();
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before[0], after[0], "head 0 stays");
        assert_ne!(before[1], after[1], "head 1 changes");
    }
}

/// One head whose projections are unit matrices is the scaled dot product.
#[test]
fn one_head_is_the_scaled_dot_product() {
    let dev = Dev::seed_from_u64(6);
    let mut one: MultiHeadAttention<4, 4, 4, 1, 4, 4> =
        MultiHeadAttention::new(&dev, 0.0);
    let mut eye = [[0.0; 4]; 4];
    (0..4).for_each(|i| eye[i][i] = 1.0);
    let parts = [&mut one.w_q, &mut one.w_k, &mut one.w_v, &mut one.w_o];
    parts.into_iter().for_each(|p| p.weight = dev.tensor(eye));
    let queries: Plain<Rank3<2, 3, 4>> = dev.sample_normal();
    let keys: Plain<Rank3<2, 5, 4>> = dev.sample_normal();
    let values: Plain<Rank3<2, 5, 4>> = dev.sample_normal();
    let lens = ValidLens::PerExample([5, 2]);
    let all = || (queries.clone(), keys.clone(), values.clone());
    let (q, k, v) = all();
    let got = one.forward(q, k, v, &lens);
    let (q, k, v) = all();
    let expected = DotProductAttention::default().forward(q, k, v, &lens);
    let (got, weights) = (got.output.as_vec(), got.weights.as_vec());
    close(&got, &expected.output.as_vec(), 1e-6, "output");
    close(&weights, &expected.weights.as_vec(), 1e-6, "weights");
}

// --- In training ------------------------------------------------------------

#[test]
fn parameters_are_those_of_four_projections() {
    let dev = Dev::seed_from_u64(7);
    let wide: MultiHeadAttention<100, 100, 100, 5, 20, 100> =
        MultiHeadAttention::new(&dev, 0.0);
    assert_eq!(wide.num_trainable_params(), 4 * 100 * 100);
    let biased: MultiHeadAttention<100, 100, 100, 5, 20, 100, true> =
        MultiHeadAttention::new(&dev, 0.0);
    assert_eq!(biased.num_trainable_params(), 4 * 100 * 101);
    // However many heads share the width.
    let ten: MultiHeadAttention<100, 100, 100, 10, 10, 100> =
        MultiHeadAttention::new(&dev, 0.0);
    assert_eq!(ten.num_trainable_params(), wide.num_trainable_params());
    let bound = 1.0 / 100f32.sqrt();
    let all = wide.w_q.weight.as_vec();
    assert!(all.iter().all(|w| w.abs() <= bound), "U(-1/√I, 1/√I)");
    assert!(biased.w_q.bias.as_vec().iter().all(|&b| b == 0.0));
}

/// Every weight and bias moves; a bias that is not asked for stays 0.
#[test]
fn every_parameter_moves() {
    fn moved<const I: usize, const O: usize, const BIAS: bool>(
        before: &Projection<I, O, BIAS>,
        after: &Projection<I, O, BIAS>,
        name: &str,
    ) {
        let (a, b) = (before.weight.as_vec(), after.weight.as_vec());
        assert!(a.iter().zip(&b).all(|(a, b)| a != b), "{name}");
        let (a, b) = (before.bias.as_vec(), after.bias.as_vec());
        // A bias of the keys adds the same to all scores of a query.
        let free = BIAS && name != "w_k";
        assert!(!free || a.iter().zip(&b).all(|(a, b)| a != b), "{name}");
        assert!(BIAS || b.iter().all(|&b| b == 0.0), "{name}");
    }
    fn step<const BIAS: bool>() {
        let dev = Dev::seed_from_u64(8);
        let mut layer: MultiHeadAttention<3, 4, 5, 2, 3, 6, BIAS> =
            MultiHeadAttention::new(&dev, 0.0);
        let before = layer.clone();
        let (_, _, x) = mixed(8);
        let grads = layer.alloc_grads();
        let queries = x.queries.trace(grads);
        let lens = ValidLens::PerExample([4, 3]);
        let got = layer.forward(queries, x.keys.retaped(), x.values.retaped(), &lens);
        let grads = got.output.square().sum().backward();
        let config = SgdConfig { lr: 0.1, ..Default::default() };
        let mut sgd = Sgd::new(&layer, config);
        sgd.update(&mut layer, &grads).expect("all parameters are used");
        moved(&before.w_q, &layer.w_q, "w_q");
        moved(&before.w_k, &layer.w_k, "w_k");
        moved(&before.w_v, &layer.w_v, "w_v");
        moved(&before.w_o, &layer.w_o, "w_o");
    }
    step::<false>();
    step::<true>();
}

#[test]
fn dropout_is_for_training_alone() {
    let (_, mut layer, x) = mixed(9);
    let usual = run(&layer, &x, &ValidLens::All).output.as_vec();
    layer.attention.dropout = 0.5;
    let evaluated = run(&layer, &x, &ValidLens::All).output.as_vec();
    assert_eq!(evaluated, usual);
    let trained = layer.forward(
        x.queries.leaky_trace(),
        x.keys.retaped(),
        x.values.retaped(),
        &ValidLens::All,
    );
    assert_ne!(trained.output.as_vec(), usual);
}

/// Queries, keys and values are one tensor: its gradient is the sum of the
/// three, and agrees with differences.
#[test]
fn one_tensor_may_be_queries_keys_and_values() {
    let dev = Dev::seed_from_u64(10);
    let layer: MultiHeadAttention<6, 6, 6, 2, 3, 6> =
        MultiHeadAttention::new(&dev, 0.0);
    let x: Plain<Rank3<2, 4, 6>> = dev.sample_normal();
    let along: Plain<Rank3<2, 4, 6>> = dev.sample_normal();
    let lens = ValidLens::causal();
    let traced = x.leaky_trace();
    let (plain, tape) = traced.split_tape();
    let got = layer.forward(
        plain.clone().put_tape(tape),
        plain.retaped(),
        plain.retaped(),
        &lens,
    );
    let grads = got.output.square().mean().backward();
    let slope: f32 = (grads.get(&x) * along.clone()).sum::<Rank0, _>().array();
    let loss = |step: f32| -> f32 {
        let x = x.clone() + along.clone() * step;
        let got = layer.forward(x.clone(), x.clone(), x, &lens);
        got.output.square().mean::<Rank0, _>().array()
    };
    let step = 1e-2;
    let difference = (loss(step) - loss(-step)) / (2.0 * step);
    assert!((slope - difference).abs() < 1e-4, "{slope}, {difference}");
}

/// A layer learns to copy what lies before: a loss near 0 is reached.
#[test]
fn a_layer_learns() {
    let dev = Dev::seed_from_u64(11);
    let mut layer: MultiHeadAttention<4, 4, 4, 2, 2, 4> =
        MultiHeadAttention::new(&dev, 0.0);
    let x: Plain<Rank3<1, 4, 4>> = dev.tensor([[
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]]);
    let mut rows = x.array()[0];
    rows.rotate_right(1);
    let target: Plain<Rank3<1, 4, 4>> = dev.tensor([rows]);
    let config = AdamConfig { lr: 0.05, ..Default::default() };
    let mut adam = Adam::new(&layer, config);
    let mut last = f32::INFINITY;
    for _ in 0..200 {
        let traced = x.trace(layer.alloc_grads());
        let got = layer.forward(traced, x.retaped(), x.retaped(), &ValidLens::All);
        let loss = (got.output - target.clone()).square().mean();
        last = loss.array();
        adam.update(&mut layer, &loss.backward()).expect("all are used");
    }
    assert!(last < 1e-3, "{last}");
}

// --- As a decoder calls it --------------------------------------------------

/// Positions that a cache has room for.
const ROOM: usize = 5;

/// Writes one projected pair to place `at` of the cache.
fn keep(
    cache: &mut Plain<Rank4<2, 2, ROOM, 3>>,
    new: &Plain<Rank4<2, 2, 1, 3>>,
    at: usize,
) {
    let mut cells = cache.as_vec();
    for (head, row) in new.as_vec().chunks_exact(3).enumerate() {
        cells[(head * ROOM + at) * 3..][..3].copy_from_slice(row);
    }
    cache.copy_from(&cells);
}

/// One query at a time against kept pairs gives what all queries at once give
/// under causal lengths: nothing is projected twice, and every shape is known
/// when the program is built.
#[test]
fn decoding_with_kept_pairs_is_causal_attention() {
    let dev = Dev::seed_from_u64(12);
    let layer: MultiHeadAttention<6, 6, 6, 2, 3, 6, true> =
        MultiHeadAttention::new(&dev, 0.0);
    let x: Plain<Rank3<2, ROOM, 6>> = dev.sample_normal();
    let whole = layer.forward(x.clone(), x.clone(), x.clone(), &ValidLens::causal());
    let mut cache: Pairs<2, 2, ROOM, 3> =
        Pairs { keys: dev.zeros(), values: dev.zeros() };
    for step in 0..ROOM {
        let token: Plain<Rank3<2, 1, 6>> =
            x.clone().slice((.., step..=step, ..)).realize();
        let new = layer.pairs(token.clone(), token.clone());
        keep(&mut cache.keys, &new.keys, step);
        keep(&mut cache.values, &new.values, step);
        let lens = ValidLens::PerExample([step + 1; 2]);
        let found = layer.look(layer.queries(token), cache.clone(), &lens);
        let output = layer.combine(found.output).array();
        for (b, rows) in whole.output.array().iter().enumerate() {
            close(&output[b][0], &rows[step], 1e-6, "one step");
        }
    }
}

/// Kept pairs of an encoder serve queries of another number.
#[test]
fn pairs_are_projected_once_for_all_queries() {
    let (_, layer, x) = mixed(13);
    let lens = ValidLens::PerExample([4, 2]);
    let whole = run(&layer, &x, &lens).output.as_vec();
    let pairs = layer.pairs(x.keys.clone(), x.values.clone());
    let found = layer.look(layer.queries(x.queries.clone()), pairs.clone(), &lens);
    assert_eq!(layer.combine(found.output).as_vec(), whole);
    let one: Plain<Rank3<2, 1, 3>> = x.queries.clone().slice((.., 1..2, ..)).realize();
    let lens = ValidLens::PerExample([4, 2]);
    let found = layer.look(layer.queries(one), pairs, &lens);
    let one = layer.combine(found.output).array();
    close(&one[0][0], &whole[6..12], 1e-6, "query 1");
}
