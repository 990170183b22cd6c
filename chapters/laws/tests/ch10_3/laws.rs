//! What must hold for any numbers: laws of section 10.3.

use ch10_1::{Dev, Tensor3};
use ch10_3::{Linear, *};
use dfdx::prelude::*;
use testing::close;

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
    let with_bias: Linear<3, 2> = Linear::with_bias(&Dev::default());
    assert_eq!(with_bias.bias.map(|bias| bias.array()), Some([0.0; 2]));
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

/// One tensor as queries, keys and values: dfdx panics in `backward` if one
/// tensor enters an operation twice, which scaling the queries avoids. Its gradient
/// is the sum of three.
#[test]
fn one_tensor_may_be_queries_keys_and_values() {
    let dev = Dev::seed_from_u64(11);
    let x: Tensor3<2, 4, 3> = dev.sample_normal();
    let bilinear = BilinearAttention::<3, 3>::new(&dev, 0.0);
    for with_w in [false, true] {
        let run = |[q, k, v]: [&Tensor3<2, 4, 3>; 3]| {
            let (q, k, v) = (q.leaky_trace(), k.leaky_trace(), v.leaky_trace());
            let output = match with_w {
                true => bilinear.forward(q, k, v, &Mask::causal()).output,
                false => {
                    let dot = DotProductAttention::default();
                    dot.forward(q, k, v, &Mask::causal()).output
                }
            };
            output.square().sum().backward()
        };
        let copies = [0; 3].map(|_| dev.tensor(x.array()));
        let apart = run(copies.each_ref());
        let [q, k, v] = copies.map(|copy| apart.get(&copy));
        let together = run([&x; 3]).get(&x);
        close(&together.as_vec(), &(q + k + v).as_vec(), 1e-5, "gradient");
    }
}

/// Equal keys have equal scores, whatever the score is: the output is the mean of
/// the values that are allowed.
#[test]
fn equal_keys_give_the_mean_of_the_valid_values() {
    for seed in 0..20 {
        let dev = Dev::seed_from_u64(seed);
        let values: Tensor3<2, 10, 4> = dev.sample_normal();
        let keys: Tensor3<2, 10, 3> = dev.ones();
        let mask = Mask::valid_lens([2, 6]);
        let mean = [2, 6].iter().zip(values.array()).flat_map(|(&len, rows)| {
            (0..4).map(move |m| {
                rows[..len].iter().map(|r| r[m]).sum::<f32>() / len as f32
            })
        });
        let mean: Vec<f32> = mean.collect();
        let queries: Tensor3<2, 1, 5> = dev.sample_normal();
        let layer = AdditiveAttention::<5, 3, 8>::new(&dev, 0.1);
        let sum = layer.forward(queries, keys.clone(), values.clone(), &mask);
        close(&sum.output.as_vec(), &mean, 1e-5, "additive");
        let queries: Tensor3<2, 1, 3> = dev.sample_normal();
        let layer = DotProductAttention { dropout: 0.5 };
        let product = layer.forward(queries, keys, values, &mask);
        close(&product.output.as_vec(), &mean, 1e-5, "dot product");
    }
}
