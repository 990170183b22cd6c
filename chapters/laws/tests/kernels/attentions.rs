//! Both attentions, with all sorts of masks.

use crate::{Run, Taped, check, tensor};
use dfdx::prelude::*;
use kernels::{Allowed, Dev, Tensor1, Tensor3, Tensor4};

/// The masks of the tests: all, lengths of 0, 1, … and beyond K, cells of
/// which a query may have none.
fn masks(queries: usize, pairs: usize) -> Vec<Allowed> {
    let lens = (0..queries).map(|query| (5 * query + 1) % (pairs + 3)).collect();
    let rows = (0..queries).map(|query| (3 * query) % (pairs + 3)).collect();
    let cell =
        |at: usize| !(at / pairs).is_multiple_of(4) && !(at * at).is_multiple_of(3);
    let cells = (0..queries * pairs).map(cell).collect();
    vec![Allowed::All, Allowed::Lens(lens), Allowed::Lens(rows), Allowed::Cells(cells)]
}

/// 1 for each cell (B, Q, K) that is allowed, else 0.
fn allowed_cells(allowed: &Allowed, queries: usize, pairs: usize) -> Vec<f32> {
    let allows = |at: usize| match allowed {
        Allowed::All => true,
        Allowed::Lens(lens) => at % pairs < lens[at / pairs],
        Allowed::Cells(cells) => cells[at],
    };
    (0..queries * pairs).map(|at| f32::from(allows(at))).collect()
}

/// The softmax over the allowed cells, zeros for the others.
fn masked_softmax<S: ConstShape + ReduceShape<Last>, Last: Axes, T: Tape<f32, Dev>>(
    scores: Taped<S, T>,
    allowed: Tensor<S, f32, Dev>,
) -> Taped<S, T> {
    let hidden = (allowed.clone() - 1.0) * 1e9;
    (scores + hidden).softmax::<Last>() * allowed
}

fn drop<S: ConstShape, T: Tape<f32, Dev>>(x: Taped<S, T>, p: f32) -> Taped<S, T> {
    kernels::dropout(x, p, |x, mask| x * mask)
}

fn dot_product<
    const B: usize,
    const Q: usize,
    const K: usize,
    const M: usize,
    const H: usize,
    const D: usize,
>(
    seed: u64,
    allowed: &Allowed,
    p: f32,
) {
    let what = format!("attention {B} {Q} {K}, {H} heads of {D}, {p}, {allowed:?}");
    let cells = allowed_cells(allowed, B * Q, K);
    check!(&what, seed, &[B * Q * M, B * K * M, B * K * M], |dev, inputs, ran| {
        let queries: Tensor3<B, Q, M> = tensor(dev, &inputs[0]);
        let keys: Tensor3<B, K, M> = tensor(dev, &inputs[1]);
        let values: Tensor3<B, K, M> = tensor(dev, &inputs[2]);
        let (q, k, v) = (queries.retaped(), keys.retaped(), values.retaped());
        let (output, weights) = kernels::attention::<_, _, _, _, H, D, _>(
            q,
            k,
            v,
            || allowed.clone(),
            p,
            |q, k, v| {
                ran.set(true);
                let q = q.reshape::<Rank4<B, Q, H, D>>();
                let q = q.permute::<Rank4<B, H, Q, D>, Axes4<0, 2, 1, 3>>();
                let k = k.reshape::<Rank4<B, K, H, D>>();
                let k = k.permute::<Rank4<B, H, D, K>, Axes4<0, 2, 3, 1>>();
                let v = v.reshape::<Rank4<B, K, H, D>>();
                let v = v.permute::<Rank4<B, H, K, D>, Axes4<0, 2, 1, 3>>();
                let cells: Tensor3<B, Q, K> = tensor(dev, &cells);
                let cells: Tensor4<B, H, Q, K> = cells.broadcast::<_, Axis<1>>();
                let scores = q.matmul(k) / (D as f32).sqrt();
                let weights = masked_softmax::<_, Axis<3>, _>(scores, cells);
                let (weights, tape) = weights.split_tape();
                let output = drop(weights.clone().put_tape(tape), p).matmul(v);
                let output = output.permute::<Rank4<B, Q, H, D>, Axes4<0, 2, 1, 3>>();
                (output.reshape(), weights)
            },
        );
        Run::new(output, vec![weights.as_vec()], |g| {
            vec![
                g.get(&queries).as_vec(),
                g.get(&keys).as_vec(),
                g.get(&values).as_vec(),
            ]
        })
    });
}

#[test]
fn attention_is_its_definition() {
    for seed in 0..2 {
        for p in [0.0, 0.4] {
            for allowed in masks(2 * 7, 11) {
                dot_product::<2, 7, 11, 9, 3, 3>(seed, &allowed, p);
            }
            for allowed in masks(4, 10) {
                dot_product::<4, 1, 10, 32, 1, 32>(seed, &allowed, p);
            }
        }
    }
}

fn additive<
    const B: usize,
    const Q: usize,
    const K: usize,
    const HIDDEN: usize,
    const DV: usize,
>(
    seed: u64,
    allowed: &Allowed,
    p: f32,
) {
    let what =
        format!("additive attention {B} {Q} {K} {HIDDEN} {DV}, {p}, {allowed:?}");
    let cells = allowed_cells(allowed, B * Q, K);
    let sizes = [B * Q * HIDDEN, B * K * HIDDEN, B * K * DV, HIDDEN];
    check!(&what, seed, &sizes, |dev, inputs, ran| {
        let queries: Tensor3<B, Q, HIDDEN> = tensor(dev, &inputs[0]);
        let keys: Tensor3<B, K, HIDDEN> = tensor(dev, &inputs[1]);
        let values: Tensor3<B, K, DV> = tensor(dev, &inputs[2]);
        let w_v: Tensor1<HIDDEN> = tensor(dev, &inputs[3]);
        let (q, k, v) = (queries.retaped(), keys.retaped(), values.retaped());
        let definition = |q: Taped<_, _>, k: Taped<_, _>, v: Taped<_, _>| {
            ran.set(true);
            let q = q.broadcast::<Rank4<B, Q, K, HIDDEN>, Axis<2>>();
            let k = k.broadcast::<Rank4<B, Q, K, HIDDEN>, Axis<1>>();
            let w_v = w_v.clone().broadcast::<Rank4<B, Q, HIDDEN, 1>, Axes3<0, 1, 3>>();
            let scores = (q + k).tanh().matmul(w_v).reshape::<Rank3<B, Q, K>>();
            let weights = masked_softmax::<_, Axis<2>, _>(scores, tensor(dev, &cells));
            let (weights, tape) = weights.split_tape();
            (drop(weights.clone().put_tape(tape), p).matmul(v), weights)
        };
        let allowed = || allowed.clone();
        let (output, weights) =
            kernels::additive_attention(q, k, v, &w_v, allowed, p, definition);
        Run::new(output, vec![weights.as_vec()], |g| {
            let (queries, keys) = (g.get(&queries).as_vec(), g.get(&keys).as_vec());
            vec![queries, keys, g.get(&values).as_vec(), g.get(&w_v).as_vec()]
        })
    });
}

#[test]
fn additive_attention_is_its_definition() {
    for seed in 0..2 {
        for p in [0.0, 0.4] {
            for allowed in masks(2 * 7, 11) {
                additive::<2, 7, 11, 19, 13>(seed, &allowed, p);
            }
            for allowed in masks(4, 10) {
                additive::<4, 1, 10, 32, 32>(seed, &allowed, p);
            }
        }
    }
}

/// What is masked may be anything, even no number.
#[test]
fn what_is_masked_is_not_read() {
    let dev = Dev::seed_from_u64(1);
    let keys = |hidden: f32| -> Tensor3<1, 3, 2> {
        dev.tensor([[[0.3, -0.2], [hidden, hidden], [1.0, hidden]]])
    };
    let query: Tensor3<1, 1, 2> = dev.tensor([[[0.7, 0.1]]]);
    let w_v: Tensor1<2> = dev.tensor([0.5, -1.0]);
    let run = |hidden: f32| {
        let (keys, allowed) =
            (keys(hidden), || Allowed::Cells(vec![true, false, false]));
        let (dot, _) = kernels::attention::<_, _, _, _, 2, 1, _>(
            query.leaky_trace(),
            keys.leaky_trace(),
            keys.leaky_trace(),
            allowed,
            0.5,
            |_, _, _| unreachable!(),
        );
        let (sum, _) = kernels::additive_attention(
            query.leaky_trace(),
            keys.leaky_trace(),
            keys.leaky_trace(),
            &w_v,
            allowed,
            0.0,
            |_, _, _| unreachable!(),
        );
        let outputs = [dot.as_vec(), sum.as_vec()].concat();
        let g = (dot.sum::<Rank0, _>() + sum.sum::<Rank0, _>()).backward();
        [outputs, g.get(&query).as_vec(), g.get(&w_v).as_vec()].concat()
    };
    assert!(run(f32::NAN).iter().all(|x| x.is_finite()));
}

/// The softmax subtracts the largest score, whatever kind of mask there is.
#[test]
fn large_scores_give_weights_that_sum_to_1() {
    let dev = Dev::seed_from_u64(4);
    let x: Tensor3<1, 3, 2> = dev.sample_normal() * 100.0;
    for allowed in
        [Allowed::All, Allowed::Lens(vec![2; 3]), Allowed::Cells(vec![true; 9])]
    {
        let (_, weights) = kernels::attention::<_, _, _, _, 1, 2, _>(
            x.clone(),
            x.clone(),
            x.clone(),
            || allowed.clone(),
            0.0,
            |_, _, _| unreachable!(),
        );
        for row in weights.as_vec().chunks(3) {
            let sum: f32 = row.iter().sum();
            assert!((sum - 1.0).abs() < 1e-5, "{allowed:?}: {row:?}");
        }
    }
}
