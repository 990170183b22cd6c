//! Gradients of section 10.3 against finite differences, for every layer and
//! every input; and training moves every weight.

mod common;

use ch10_1::{Dev, Tensor3};
use ch10_3::*;
use common::{Plain, close, slopes_agree};
use dfdx::optim::{Sgd, SgdConfig};
use dfdx::prelude::*;

const LENS: [Mask<2, 3>; 4] = [
    Mask::none(),
    Mask::valid_lens([2, 4]),
    Mask::valid_lens_per_query([[1, 2, 3], [4, 2, 1]]),
    Mask::valid_lens_per_query([[0, 2, 4], [1, 0, 9]]),
];

struct Inputs<const DQ: usize, const DK: usize> {
    queries: Plain<Rank3<2, 3, DQ>>,
    keys: Plain<Rank3<2, 4, DK>>,
    values: Plain<Rank3<2, 4, 2>>,
    /// The loss is the sum of the output times this.
    cotangent: Plain<Rank3<2, 3, 2>>,
}

fn draw<const DQ: usize, const DK: usize>(dev: &Dev) -> Inputs<DQ, DK> {
    Inputs {
        queries: dev.sample_normal(),
        keys: dev.sample_normal(),
        values: dev.sample_normal(),
        cotangent: dev.sample_normal(),
    }
}

type Output<T = NoneTape> = Tensor3<2, 3, 2, T>;
type Pool<'a, const DQ: usize, const DK: usize> = &'a dyn Fn(
    Plain<Rank3<2, 3, DQ>>,
    Plain<Rank3<2, 4, DK>>,
    Plain<Rank3<2, 4, 2>>,
) -> Output;

/// Checks the three inputs; `forward` is the evaluation of what the gradients
/// were taken from.
fn inputs_agree<const DQ: usize, const DK: usize>(
    inputs: &Inputs<DQ, DK>,
    grads: &Gradients<f32, Dev>,
    forward: Pool<DQ, DK>,
) {
    let Inputs { queries: q, keys: k, values: v, cotangent } = inputs;
    let loss = |out: Output| (out * cotangent.clone()).sum::<Rank0, _>().array();
    let by_q = |q| loss(forward(q, k.clone(), v.clone()));
    slopes_agree(q, &grads.get(q), by_q, "queries");
    let by_k = |k| loss(forward(q.clone(), k, v.clone()));
    slopes_agree(k, &grads.get(k), by_k, "keys");
    let by_v = |v| loss(forward(q.clone(), k.clone(), v));
    slopes_agree(v, &grads.get(v), by_v, "values");
}

#[test]
fn of_masked_softmax() {
    let dev = Dev::seed_from_u64(1);
    for lens in LENS {
        let scores: Plain<Rank3<2, 3, 4>> = dev.sample_normal();
        let cotangent: Plain<Rank3<2, 3, 4>> = dev.sample_normal();
        let weights = masked_softmax(scores.leaky_trace(), &mask);
        let grads = (weights * cotangent.clone()).sum().backward();
        let loss = |scores| {
            (masked_softmax(scores, &mask) * cotangent.clone())
                .sum::<Rank0, _>()
                .array()
        };
        slopes_agree(&scores, &grads.get(&scores), loss, "scores");
    }
}

#[test]
fn of_the_dot_product() {
    let dev = Dev::seed_from_u64(2);
    let layer = DotProductAttention::default();
    for lens in LENS {
        let x = draw::<5, 5>(&dev);
        let got = layer.forward(
            x.queries.leaky_trace(),
            x.keys.retaped(),
            x.values.retaped(),
            &mask,
        );
        let grads = (got.output * x.cotangent.clone()).sum().backward();
        inputs_agree(&x, &grads, &|q, k, v| layer.forward(q, k, v, &mask).output);
    }
}

#[test]
fn of_the_additive_score() {
    let dev = Dev::seed_from_u64(3);
    let layer = AdditiveAttention::<5, 3, 4>::new(&dev, 0.0);
    for lens in LENS {
        let x = draw::<5, 3>(&dev);
        let got = layer.forward(
            x.queries.leaky_trace(),
            x.keys.retaped(),
            x.values.retaped(),
            &mask,
        );
        let grads = (got.output * x.cotangent.clone()).sum().backward();
        let forward = |layer: &AdditiveAttention<5, 3, 4>, q, k, v| {
            layer.forward(q, k, v, &mask).output
        };
        inputs_agree(&x, &grads, &|q, k, v| forward(&layer, q, k, v));
        let loss = |layer: AdditiveAttention<5, 3, 4>| {
            let (q, k, v) = (x.queries.clone(), x.keys.clone(), x.values.clone());
            let out: Output = forward(&layer, q, k, v);
            (out * x.cotangent.clone()).sum::<Rank0, _>().array()
        };
        let by = |w_q| loss(AdditiveAttention { w_q, ..layer.clone() });
        slopes_agree(&layer.w_q, &grads.get(&layer.w_q), by, "w_q");
        let by = |w_k| loss(AdditiveAttention { w_k, ..layer.clone() });
        slopes_agree(&layer.w_k, &grads.get(&layer.w_k), by, "w_k");
        let by = |w_v| loss(AdditiveAttention { w_v, ..layer.clone() });
        slopes_agree(&layer.w_v, &grads.get(&layer.w_v), by, "w_v");
    }
}

#[test]
fn of_the_bilinear_score() {
    let dev = Dev::seed_from_u64(4);
    let layer = BilinearAttention::<5, 3>::new(&dev, 0.0);
    for lens in LENS {
        let x = draw::<5, 3>(&dev);
        let got = layer.forward(
            x.queries.leaky_trace(),
            x.keys.retaped(),
            x.values.retaped(),
            &mask,
        );
        let grads = (got.output * x.cotangent.clone()).sum().backward();
        inputs_agree(&x, &grads, &|q, k, v| layer.forward(q, k, v, &mask).output);
        let by = |w| {
            let layer = BilinearAttention { w, dropout: 0.0 };
            let (q, k, v) = (x.queries.clone(), x.keys.clone(), x.values.clone());
            let out: Output = layer.forward(q, k, v, &mask).output;
            (out * x.cotangent.clone()).sum::<Rank0, _>().array()
        };
        slopes_agree(&layer.w, &grads.get(&layer.w), by, "w");
    }
}

/// One tensor as queries, keys and values: dfdx panics in `backward` if one
/// tensor enters an operation twice, which scaling the queries avoids.
#[test]
fn of_self_attention() {
    let dev = Dev::seed_from_u64(5);
    let x: Plain<Rank3<2, 4, 3>> = dev.sample_normal();
    let cotangent: Plain<Rank3<2, 4, 3>> = dev.sample_normal();
    let layer = DotProductAttention::default();
    let mask = Mask::causal();
    let got = layer.forward(x.leaky_trace(), x.leaky_trace(), x.leaky_trace(), &mask);
    let grads = (got.output * cotangent.clone()).sum().backward();
    let loss = |x: Plain<Rank3<2, 4, 3>>| {
        let got = layer.forward(x.clone(), x.clone(), x, &mask);
        (got.output * cotangent.clone()).sum::<Rank0, _>().array()
    };
    slopes_agree(&x, &grads.get(&x), loss, "self-attention");

    let bilinear = BilinearAttention::<3, 3>::new(&dev, 0.0);
    let got =
        bilinear.forward(x.leaky_trace(), x.leaky_trace(), x.leaky_trace(), &mask);
    let grads = (got.output * cotangent.clone()).sum().backward();
    let loss = |x: Plain<Rank3<2, 4, 3>>| {
        let got = bilinear.forward(x.clone(), x.clone(), x, &mask);
        (got.output * cotangent.clone()).sum::<Rank0, _>().array()
    };
    slopes_agree(&x, &grads.get(&x), loss, "bilinear self-attention");
}

/// All heads at once give what one head after the other gives.
#[test]
fn of_heads_at_once() {
    let dev = Dev::seed_from_u64(6);
    let layer = DotProductAttention::default();
    for lens in LENS {
        let heads: [Inputs<5, 5>; 3] = std::array::from_fn(|_| draw(&dev));
        let each = |i: usize| &heads[i];
        let q: [_; 3] = std::array::from_fn(|i| each(i).queries.clone());
        let k: [_; 3] = std::array::from_fn(|i| each(i).keys.clone());
        let v: [_; 3] = std::array::from_fn(|i| each(i).values.clone());
        let c: [_; 3] = std::array::from_fn(|i| each(i).cotangent.clone());
        let q: Plain<Rank4<2, 3, 3, 5>> = q.stack().permute::<_, Axes4<1, 0, 2, 3>>();
        let k: Plain<Rank4<2, 3, 4, 5>> = k.stack().permute::<_, Axes4<1, 0, 2, 3>>();
        let v: Plain<Rank4<2, 3, 4, 2>> = v.stack().permute::<_, Axes4<1, 0, 2, 3>>();
        let c: Plain<Rank4<2, 3, 3, 2>> = c.stack().permute::<_, Axes4<1, 0, 2, 3>>();
        let all = layer.forward_heads(q.leaky_trace(), k.retaped(), v.retaped(), &mask);
        let (output, weights) = (all.output.array(), all.weights.array());
        let grads = (all.output * c).sum().backward();
        let by_all =
            (grads.get(&q).array(), grads.get(&k).array(), grads.get(&v).array());
        for (h, x) in heads.iter().enumerate() {
            let one = layer.forward(
                x.queries.leaky_trace(),
                x.keys.retaped(),
                x.values.retaped(),
                &mask,
            );
            let outputs = one.output.array();
            let one_weights = one.weights.array();
            let grads = (one.output * x.cotangent.clone()).sum().backward();
            let by_q = grads.get(&x.queries).array();
            let by_k = grads.get(&x.keys).array();
            let by_v = grads.get(&x.values).array();
            for b in 0..2 {
                let same = |a: &[f32], b: &[f32]| close(a, b, 1e-5, "head");
                same(output[b][h].as_flattened(), outputs[b].as_flattened());
                same(weights[b][h].as_flattened(), one_weights[b].as_flattened());
                same(by_all.0[b][h].as_flattened(), by_q[b].as_flattened());
                same(by_all.1[b][h].as_flattened(), by_k[b].as_flattened());
                same(by_all.2[b][h].as_flattened(), by_v[b].as_flattened());
            }
        }
    }
}

#[test]
fn every_weight_moves_in_training() {
    let dev = Dev::seed_from_u64(7);
    let x = draw::<5, 3>(&dev);
    let config = SgdConfig { lr: 0.1, ..SgdConfig::default() };
    let loss = |output: Output<OwnedTape<f32, Dev>>| {
        (output - x.cotangent.clone()).square().mean()
    };
    let moved = |before: Vec<f32>, after: Vec<f32>| {
        before.iter().zip(&after).all(|(b, a)| b != a)
    };

    let mut layer = AdditiveAttention::<5, 3, 4>::new(&dev, 0.1);
    assert_eq!(layer.num_trainable_params(), 4 * 5 + 4 * 3 + 4);
    let before = layer.clone();
    let queries = x.queries.trace(layer.alloc_grads());
    let (keys, values) = (x.keys.retaped(), x.values.retaped());
    let out = layer.forward(queries, keys, values, &Mask::none()).output;
    let grads = loss(out).backward();
    Sgd::new(&layer, config).update(&mut layer, &grads).expect("all are used");
    assert!(moved(before.w_q.as_vec(), layer.w_q.as_vec()));
    assert!(moved(before.w_k.as_vec(), layer.w_k.as_vec()));
    assert!(moved(before.w_v.as_vec(), layer.w_v.as_vec()));

    let mut layer = BilinearAttention::<5, 3>::new(&dev, 0.1);
    assert_eq!(layer.num_trainable_params(), 5 * 3);
    let before = layer.clone();
    let queries = x.queries.trace(layer.alloc_grads());
    let (keys, values) = (x.keys.retaped(), x.values.retaped());
    let out = layer.forward(queries, keys, values, &Mask::none()).output;
    let grads = loss(out).backward();
    Sgd::new(&layer, config).update(&mut layer, &grads).expect("all are used");
    assert!(moved(before.w.as_vec(), layer.w.as_vec()));
}

/// A layer within a layer, known to dfdx by the same macro.
#[test]
fn layers_nest() {
    struct Two {
        first: AdditiveAttention<5, 3, 4>,
        second: BilinearAttention<2, 6>,
        w: Plain<Rank2<7, 1>>,
    }
    support::layer! { Two { first: layer, second: layer, w: fan_in } }
    let dev = Dev::seed_from_u64(8);
    let mut two = Two {
        first: AdditiveAttention::new(&dev, 0.0),
        second: BilinearAttention::new(&dev, 0.0),
        w: dev.zeros(),
    };
    assert_eq!(two.num_trainable_params(), 36 + 12 + 7);
    let before = two.first.w_q.as_vec();
    two.reset_params();
    assert_ne!(two.first.w_q.as_vec(), before);
    assert!(two.w.as_vec().iter().all(|w| *w != 0.0));
    assert!(two.second.w.as_vec().iter().all(|w| w.abs() < 0.41));
}
