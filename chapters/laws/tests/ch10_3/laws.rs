//! What must hold for any numbers: laws of section 10.3, and a second
//! implementation.

use crate::plain::{Sizes, attention, scaled_dot};
use ch10_1::{Dev, Tensor1, Tensor2, Tensor3};
use ch10_2::parameters::Parameters;
use ch10_3::{Linear, *};
use dfdx::prelude::*;
use kernels::{DefinitionTape, onto_owned_tape};
use testing::close;

const SIZES: Sizes = Sizes { b: 2, q: 3, k: 4, widths: [5, 5, 2] };

fn all_masks() -> [Mask<2, 3, 4>; 6] {
    [
        Mask::none(),
        Mask::valid_lens([2, 4]),
        Mask::valid_lens([0, 9]),
        Mask::valid_lens_per_query([[1, 2, 3], [4, 0, 1]]),
        Mask::causal(),
        Mask::from_fn(|b, q, k| (b + q + k) % 3 != 0 && q != 1),
    ]
}

/// By the kernel and by the definition, with a bias that is not 0.
#[test]
fn a_linear_layer_multiplies_each_row_and_adds_the_bias() {
    linear::<OwnedTape<f32, Dev>>();
    linear::<DefinitionTape>();
}

fn linear<T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>>() {
    let dev = Dev::seed_from_u64(7);
    let mut layer: Linear<3, 2> = Linear::with_bias(&dev);
    assert_eq!(layer.bias.as_ref().map(|b| b.array()), Some([0.0; 2]));
    let bias: Tensor1<2> = dev.sample_normal();
    layer.bias = Some(bias.clone());
    let x: Tensor3<2, 4, 3> = dev.sample_normal();
    let y = layer.forward(x.retaped::<T>());
    let (weight, bias) = (layer.weight.array(), bias.array());
    for (x, y) in x.array().as_flattened().iter().zip(y.array().as_flattened()) {
        let dot = |w: &[f32; 3]| w.iter().zip(x).map(|(w, x)| w * x).sum::<f32>();
        close(y, &[dot(&weight[0]) + bias[0], dot(&weight[1]) + bias[1]], 1e-6, "row");
    }
    // Of the sum of all outputs, a bias has the number of rows as gradient.
    let flat = layer.flat_gradient(onto_owned_tape(y).sum().backward());
    close(&flat[6..], &[8.0; 2], 1e-6, "gradient of the bias");
}

#[test]
fn weights_of_a_query_sum_to_1_or_to_0() {
    let dev = Dev::seed_from_u64(1);
    for mask in all_masks() {
        let scores: Tensor3<2, 3, 4> = dev.sample_normal();
        let weights = masked_softmax(scores, &mask).array();
        for (b, rows) in weights.iter().enumerate() {
            for (q, row) in rows.iter().enumerate() {
                let any = (0..4).any(|k| mask.allows(b, q, k));
                let want = if any { 1.0 } else { 0.0 };
                close(&[row.iter().sum()], &[want], 1e-6, "sum");
                for (k, weight) in row.iter().enumerate() {
                    assert_eq!(
                        *weight > 0.0,
                        mask.allows(b, q, k),
                        "{mask:?} {b} {q} {k}"
                    );
                }
            }
        }
    }
}

/// No NaN, and no infinity, in values or gradients, whatever the lengths and
/// however large the scores.
#[test]
fn nothing_is_ever_nan() {
    let dev = Dev::seed_from_u64(2);
    for mask in all_masks() {
        for size in [0.0, 1.0, 1e4, 1e10, 1e37] {
            let scores: Tensor3<2, 3, 4> = dev.sample_normal();
            let scores = scores.clamp(-9.0, 9.0) * size;
            let values: Tensor3<2, 4, 2> = dev.sample_normal();
            let got = attend(scores.leaky_trace(), values.retaped(), &mask, 0.0);
            assert!(got.output.as_vec().iter().all(|x| x.is_finite()));
            assert!(got.weights.as_vec().iter().all(|x| x.is_finite()));
            let grads = got.output.square().sum().backward();
            for slopes in [grads.get(&scores).as_vec(), grads.get(&values).as_vec()] {
                assert!(slopes.iter().all(|x| x.is_finite()));
            }
        }
    }
}

/// The largest scores that are promised to work: the smallest possible score
/// of a valid pair beside the largest possible score of a masked one.
#[test]
fn a_masked_pair_loses_against_the_smallest_score() {
    let dev = Dev::default();
    let scores = dev.tensor([[[-8e37, 8e37, 8e37]]]);
    let weights = masked_softmax(scores, &Mask::valid_lens([1]));
    assert_eq!(weights.array(), [[[1.0, 0.0, 0.0]]]);
}

/// A length of 0: weights and output are 0, and no gradient flows; a mask of
/// -1e6 in the scores' place would give the mean of all values.
#[test]
fn a_length_of_0_gives_zeros() {
    let dev = Dev::seed_from_u64(3);
    let scores: Tensor3<1, 1, 4> = dev.sample_normal();
    let values: Tensor3<1, 4, 2> = dev.ones();
    let mask = Mask::valid_lens([0]);
    let got = attend(scores.leaky_trace(), values.retaped(), &mask, 0.0);
    assert_eq!(got.weights.array(), [[[0.0; 4]]]);
    assert_eq!(got.output.array(), [[[0.0; 2]]]);
    let grads = got.output.sum().backward();
    assert_eq!(grads.get(&scores).array(), [[[0.0; 4]]]);
    assert_eq!(grads.get(&values).array(), [[[0.0; 2]; 4]]);
    let replaced: Tensor3<1, 1, 4> = dev.zeros() - 1e6;
    let uniform = masked_softmax(replaced, &Mask::none());
    assert_eq!(uniform.array(), [[[0.25; 4]]]);
}

/// The order of the pairs does not matter: their weights move with them.
#[test]
fn permuting_pairs_permutes_weights() {
    let dev = Dev::seed_from_u64(4);
    let layer = AdditiveAttention::<5, 3, 4>::new(&dev, 0.0);
    let q: Tensor3<2, 3, 5> = dev.sample_normal();
    let k: Tensor3<2, 4, 3> = dev.sample_normal();
    let v: Tensor3<2, 4, 2> = dev.sample_normal();
    let order = [2, 0, 3, 1];
    let moved_k = dev.tensor(k.array().map(|rows| order.map(|i| rows[i])));
    let moved_v = dev.tensor(v.array().map(|rows| order.map(|i| rows[i])));
    let all = Mask::none();
    let plain = layer.forward(q.clone(), k, v, &all);
    let moved = layer.forward(q, moved_k, moved_v, &all);
    let (a, b) = (plain.output.as_vec(), moved.output.as_vec());
    close(&a, &b, 1e-6, "output");
    let (plain, moved) = (plain.weights.array(), moved.weights.array());
    for (plain, moved) in plain.as_flattened().iter().zip(moved.as_flattened()) {
        close(moved, &order.map(|i| plain[i]), 1e-6, "weights");
    }
}

/// Another masked key, another masked value: nothing changes.
#[test]
fn masked_pairs_do_not_matter() {
    let dev = Dev::seed_from_u64(5);
    let additive = AdditiveAttention::<5, 5, 4>::new(&dev, 0.0);
    let bilinear = BilinearAttention::<5, 5>::new(&dev, 0.0);
    let dot = DotProductAttention::default();
    let q: Tensor3<2, 3, 5> = dev.sample_normal();
    let k: Tensor3<2, 4, 5> = dev.sample_normal();
    let v: Tensor3<2, 4, 2> = dev.sample_normal();
    let (mut other_k, mut other_v) = (k.array(), v.array());
    for b in 0..2 {
        for pair in 2..4 {
            other_k[b][pair] = [1e6, -1e6, 3.0, 0.0, 7.0];
            other_v[b][pair] = [-1e6, 1e6];
        }
    }
    let (other_k, other_v) = (dev.tensor(other_k), dev.tensor(other_v));
    for mask in
        [Mask::valid_lens([2, 1]), Mask::valid_lens_per_query([[0, 1, 2], [2, 1, 0]])]
    {
        let run = |k: &Tensor3<2, 4, 5>, v: &Tensor3<2, 4, 2>| {
            let (k, v) = (|| k.clone(), || v.clone());
            [
                additive.forward(q.clone(), k(), v(), &mask).output.array(),
                bilinear.forward(q.clone(), k(), v(), &mask).output.array(),
                dot.forward(q.clone(), k(), v(), &mask).output.array(),
            ]
        };
        assert_eq!(run(&k, &v), run(&other_k, &other_v));
    }
}

/// Under causal lengths, position i of self-attention depends on positions 0
/// to i alone.
#[test]
fn causal_lengths_hide_what_comes_later() {
    let dev = Dev::seed_from_u64(6);
    let x: Tensor3<2, 4, 3> = dev.sample_normal();
    let mask = Mask::causal();
    assert_eq!(mask, Mask::valid_lens_per_query([[1, 2, 3, 4]; 2]));
    for (q, k) in (0..4).flat_map(|q| (0..4).map(move |k| (q, k))) {
        assert_eq!(mask.allows(1, q, k), k <= q);
    }
    let run = |x: &Tensor3<2, 4, 3>| {
        let (q, k, v) = (x.clone(), x.clone(), x.clone());
        DotProductAttention::default().forward(q, k, v, &mask).output.array()
    };
    let before = run(&x);
    for at in 0..4 {
        let mut other = x.array();
        other[0][at] = [9.0, -9.0, 9.0];
        let after = run(&dev.tensor(other));
        assert_eq!(before[0][..at], after[0][..at]);
        assert_ne!(before[0][at], after[0][at]);
        assert_eq!(before[1], after[1]);
    }
}

#[test]
fn three_loops_agree() {
    let dev = Dev::seed_from_u64(7);
    let additive = AdditiveAttention::<5, 5, 3>::new(&dev, 0.0);
    let (w_q, w_k) = (additive.w_q.weight.array(), additive.w_k.weight.array());
    let w_v = additive.w_v.array();
    let bilinear = BilinearAttention::<5, 5>::new(&dev, 0.0);
    let w = bilinear.w.weight.array();
    let dot =
        |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let by_sum = |q: &[f32], k: &[f32]| -> f32 {
        (0..3).map(|h| w_v[h] * (dot(&w_q[h], q) + dot(&w_k[h], k)).tanh()).sum()
    };
    let by_w =
        |q: &[f32], k: &[f32]| -> f32 { (0..5).map(|i| q[i] * dot(&w[i], k)).sum() };
    for mask in all_masks() {
        let q: Tensor3<2, 3, 5> = dev.sample_normal();
        let k: Tensor3<2, 4, 5> = dev.sample_normal();
        let v: Tensor3<2, 4, 2> = dev.sample_normal();
        let flat = [q.as_vec(), k.as_vec(), v.as_vec()];
        let flat = [&flat[0][..], &flat[1][..], &flat[2][..]];
        let allows = |b, q, k| mask.allows(b, q, k);
        let (q, k, v) = (|| q.clone(), || k.clone(), || v.clone());
        let dot = DotProductAttention::default();
        for (got, want) in [
            (
                dot.forward(q(), k(), v(), &mask),
                attention(&SIZES, flat, scaled_dot, allows),
            ),
            (
                additive.forward(q(), k(), v(), &mask),
                attention(&SIZES, flat, by_sum, allows),
            ),
            (
                bilinear.forward(q(), k(), v(), &mask),
                attention(&SIZES, flat, by_w, allows),
            ),
        ] {
            close(&got.output.as_vec(), &want.0, 1e-5, "output");
            close(&got.weights.as_vec(), &want.1, 1e-5, "weights");
        }
    }
}

/// d2l's example: whatever the weights, equal keys give the mean of the
/// first 2 and the first 6 values.
#[test]
fn equal_keys_give_the_mean_of_the_valid_values() {
    for seed in 0..20 {
        let dev = Dev::seed_from_u64(seed);
        let count: Vec<f32> = (0..40u8).map(f32::from).collect();
        let values = dev.tensor((count, (Const::<10>, Const::<4>)));
        let values: Tensor3<2, 10, 4> = values.broadcast();
        let mask = Mask::valid_lens([2, 6]);
        let keys: Tensor3<2, 10, 2> = dev.ones();
        let layer = AdditiveAttention::<20, 2, 8>::new(&dev, 0.1);
        let queries: Tensor3<2, 1, 20> = dev.sample_normal();
        let sum = layer.forward(queries, keys.clone(), values.clone(), &mask);
        let queries: Tensor3<2, 1, 2> = dev.sample_normal();
        let layer = DotProductAttention { dropout: 0.5 };
        let dot = layer.forward(queries, keys, values, &mask);
        let want = [2.0, 3.0, 4.0, 5.0, 10.0, 11.0, 12.0, 13.0];
        close(&sum.output.as_vec(), &want, 1e-5, "additive");
        close(&dot.output.as_vec(), &want, 1e-5, "dot product");
    }
}

/// Without biases, the additive score of -q and -k is minus that of q and k:
/// the weights' logarithms tell.
#[test]
fn the_additive_score_is_odd() {
    let dev = Dev::seed_from_u64(8);
    let layer = AdditiveAttention::<5, 3, 4>::new(&dev, 0.0);
    let q: Tensor3<1, 1, 5> = dev.sample_normal();
    let k: Tensor3<1, 4, 3> = dev.sample_normal();
    let v: Tensor3<1, 4, 1> = dev.zeros();
    let all = Mask::none();
    let one = layer.forward(q.clone(), k.clone(), v.clone(), &all).weights;
    let other = layer.forward(q.negate(), k.negate(), v, &all).weights;
    let product = (one * other).array()[0][0];
    // softmax(s) softmax(-s) is the same for all pairs.
    close(&product, &[product[0]; 4], 1e-6, "product");
}

#[test]
fn the_kernel_and_the_dot_product_agree_on_the_sphere() {
    let dev = Dev::seed_from_u64(9);
    let keys: Tensor3<1, 6, 8> = dev.sample_normal();
    let length: Tensor2<1, 6> = keys.clone().square().sum::<_, Axis<2>>().sqrt();
    let keys = keys / length.broadcast();
    let queries: Tensor3<1, 5, 8> = dev.sample_normal();
    let apart = |q: &[f32; 8], k: &[f32; 8]| -> f32 {
        q.iter().zip(k).map(|(q, k)| (q - k).powi(2)).sum()
    };
    let (q, k) = (queries.array()[0], keys.array()[0]);
    let kernel = dev.tensor([q.map(|q| k.map(|k| -apart(&q, &k) / 2.0))]);
    let by_kernel = masked_softmax(kernel, &Mask::none());
    let values: Tensor3<1, 6, 1> = dev.zeros();
    let layer = DotProductAttention::default();
    let queries = queries * 8f32.sqrt();
    let dot = layer.forward(queries, keys, values, &Mask::none());
    close(&dot.weights.as_vec(), &by_kernel.as_vec(), 1e-5, "weights");
}

#[test]
fn weights_start_between_the_bounds_and_by_the_seed() {
    let draw =
        |seed| AdditiveAttention::<100, 4, 50>::new(&Dev::seed_from_u64(seed), 0.0);
    let layer = draw(1);
    for (weights, bound) in [
        (layer.w_q.weight.as_vec(), 0.2),
        (layer.w_k.weight.as_vec(), 1.0 / 3.0),
        (layer.w_v.as_vec(), (6.0f32 / 51.0).sqrt()),
    ] {
        let largest = weights.iter().fold(0.0, |m: f32, w| m.max(w.abs()));
        assert!(largest <= bound && largest > 0.9 * bound, "{largest}");
    }
    assert_eq!(layer.w_v.as_vec(), draw(1).w_v.as_vec());
    assert_ne!(layer.w_v.as_vec(), draw(2).w_v.as_vec());
}

/// Masks by lengths are masks like any other.
#[test]
fn lengths_are_one_way_to_make_a_mask() {
    let dev = Dev::seed_from_u64(10);
    let scores: Tensor3<2, 3, 4> = dev.sample_normal();
    for (lens, any) in [
        (Mask::valid_lens([2, 9]), Mask::from_fn(|b, _, k| b == 1 || k < 2)),
        (Mask::causal(), Mask::from_fn(|_, q, k| k <= q)),
        (
            Mask::causal_within([2, 0]),
            Mask::from_fn(|b, q, k| b == 0 && q < 2 && k <= q),
        ),
        (Mask::none(), Mask::from_fn(|_, _, _| true)),
    ] {
        let both =
            [lens, any].map(|mask| masked_softmax(scores.clone(), &mask).as_vec());
        assert_eq!(both[0], both[1]);
    }
}
