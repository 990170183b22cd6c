//! Gradients of section 10.3 against finite differences, for every layer and
//! every input; and training moves every weight.

use ch10_1::{Dev, Tensor3, Tensor4};
use ch10_2::parameters::{Parameters, Sgd, step};
use ch10_3::{
    AdditiveAttention, BilinearAttention, DotProductAttention, Linear, Mask,
    masked_softmax,
};
use dfdx::prelude::*;
use testing::{backward_from, close, gradient_agrees, slopes_agree, weighted_sum};

fn masks() -> [Mask<2, 3, 4>; 5] {
    [
        Mask::none(),
        Mask::valid_lens([2, 4]),
        Mask::valid_lens_per_query([[1, 2, 3], [4, 2, 1]]),
        Mask::valid_lens_per_query([[0, 2, 4], [1, 0, 9]]),
        Mask::from_fn(|b, q, k| (b + 2 * q + k) % 3 != 0),
    ]
}

struct Inputs<const DQ: usize, const DK: usize> {
    queries: Tensor3<2, 3, DQ>,
    keys: Tensor3<2, 4, DK>,
    values: Tensor3<2, 4, 2>,
    /// The loss is the sum of the output times this.
    cotangent: Tensor3<2, 3, 2>,
}

fn draw<const DQ: usize, const DK: usize>(dev: &Dev) -> Inputs<DQ, DK> {
    Inputs {
        queries: dev.sample_normal(),
        keys: dev.sample_normal(),
        values: dev.sample_normal(),
        cotangent: dev.sample_normal(),
    }
}

const TOLERANCE: f32 = 2e-3;

type Output<T = NoneTape> = Tensor3<2, 3, 2, T>;
type Pool<'a, const DQ: usize, const DK: usize> =
    &'a dyn Fn(Tensor3<2, 3, DQ>, Tensor3<2, 4, DK>, Tensor3<2, 4, 2>) -> Output;

/// Checks the three inputs; `forward` is the evaluation of what the gradients
/// were taken from.
fn inputs_agree<const DQ: usize, const DK: usize>(
    inputs: &Inputs<DQ, DK>,
    grads: &Gradients<f32, Dev>,
    forward: Pool<DQ, DK>,
) {
    let Inputs { queries: q, keys: k, values: v, cotangent } = inputs;
    let loss = |out: Output| weighted_sum(out, &cotangent.as_vec()).array();
    let by_q = |q| loss(forward(q, k.clone(), v.clone()));
    slopes_agree(q, &grads.get(q), by_q, TOLERANCE, "queries");
    let by_k = |k| loss(forward(q.clone(), k, v.clone()));
    slopes_agree(k, &grads.get(k), by_k, TOLERANCE, "keys");
    let by_v = |v| loss(forward(q.clone(), k.clone(), v));
    slopes_agree(v, &grads.get(v), by_v, TOLERANCE, "values");
}

#[test]
fn of_masked_softmax() {
    let dev = Dev::seed_from_u64(1);
    for mask in masks() {
        let scores: Tensor3<2, 3, 4> = dev.sample_normal();
        let cotangent: Tensor3<2, 3, 4> = dev.sample_normal();
        let weights = masked_softmax(scores.leaky_trace(), &mask);
        let grads = backward_from(weights, &cotangent.as_vec());
        let loss = |scores| {
            weighted_sum(masked_softmax(scores, &mask), &cotangent.as_vec()).array()
        };
        slopes_agree(&scores, &grads.get(&scores), loss, TOLERANCE, "scores");
    }
}

#[test]
fn of_the_dot_product() {
    let dev = Dev::seed_from_u64(2);
    let layer = DotProductAttention::default();
    for mask in masks() {
        let x = draw::<5, 5>(&dev);
        let got = layer.forward(
            x.queries.leaky_trace(),
            x.keys.retaped(),
            x.values.retaped(),
            &mask,
        );
        let grads = backward_from(got.output, &x.cotangent.as_vec());
        inputs_agree(&x, &grads, &|q, k, v| layer.forward(q, k, v, &mask).output);
    }
}

#[test]
fn of_the_additive_score() {
    let dev = Dev::seed_from_u64(3);
    let layer = AdditiveAttention::<5, 3, 4>::new(&dev, 0.0);
    for mask in masks() {
        let x = draw::<5, 3>(&dev);
        let got = layer.forward(
            x.queries.leaky_trace(),
            x.keys.retaped(),
            x.values.retaped(),
            &mask,
        );
        let grads = backward_from(got.output, &x.cotangent.as_vec());
        let forward = |layer: &AdditiveAttention<5, 3, 4>, q, k, v| {
            layer.forward(q, k, v, &mask).output
        };
        inputs_agree(&x, &grads, &|q, k, v| forward(&layer, q, k, v));
        let loss = |layer: AdditiveAttention<5, 3, 4>| {
            let (q, k, v) = (x.queries.clone(), x.keys.clone(), x.values.clone());
            let out: Output = forward(&layer, q, k, v);
            weighted_sum(out, &x.cotangent.as_vec()).array()
        };
        parameters_agree(layer.clone(), grads, loss);
    }
}

#[test]
fn of_the_bilinear_score() {
    let dev = Dev::seed_from_u64(4);
    let layer = BilinearAttention::<5, 3>::new(&dev, 0.0);
    for mask in masks() {
        let x = draw::<5, 3>(&dev);
        let got = layer.forward(
            x.queries.leaky_trace(),
            x.keys.retaped(),
            x.values.retaped(),
            &mask,
        );
        let grads = backward_from(got.output, &x.cotangent.as_vec());
        inputs_agree(&x, &grads, &|q, k, v| layer.forward(q, k, v, &mask).output);
        let loss = |layer: BilinearAttention<5, 3>| {
            let (q, k, v) = (x.queries.clone(), x.keys.clone(), x.values.clone());
            let out: Output = layer.forward(q, k, v, &mask).output;
            weighted_sum(out, &x.cotangent.as_vec()).array()
        };
        parameters_agree(layer.clone(), grads, loss);
    }
}

/// One tensor as queries, keys and values: dfdx panics in `backward` if one
/// tensor enters an operation twice, which scaling the queries avoids.
#[test]
fn of_self_attention() {
    let dev = Dev::seed_from_u64(5);
    let x: Tensor3<2, 4, 3> = dev.sample_normal();
    let cotangent: Tensor3<2, 4, 3> = dev.sample_normal();
    let layer = DotProductAttention::default();
    let mask = Mask::causal();
    let got = layer.forward(x.leaky_trace(), x.leaky_trace(), x.leaky_trace(), &mask);
    let grads = backward_from(got.output, &cotangent.as_vec());
    let loss = |x: Tensor3<2, 4, 3>| {
        let got = layer.forward(x.clone(), x.clone(), x, &mask);
        weighted_sum(got.output, &cotangent.as_vec()).array()
    };
    slopes_agree(&x, &grads.get(&x), loss, TOLERANCE, "self-attention");

    let bilinear = BilinearAttention::<3, 3>::new(&dev, 0.0);
    let got =
        bilinear.forward(x.leaky_trace(), x.leaky_trace(), x.leaky_trace(), &mask);
    let grads = backward_from(got.output, &cotangent.as_vec());
    let loss = |x: Tensor3<2, 4, 3>| {
        let got = bilinear.forward(x.clone(), x.clone(), x, &mask);
        weighted_sum(got.output, &cotangent.as_vec()).array()
    };
    slopes_agree(&x, &grads.get(&x), loss, TOLERANCE, "bilinear self-attention");
}

/// All heads at once give what one head after the other gives.
#[test]
fn of_heads_at_once() {
    let dev = Dev::seed_from_u64(6);
    let layer = DotProductAttention::default();
    for mask in masks() {
        let heads: [Inputs<5, 5>; 3] = std::array::from_fn(|_| draw(&dev));
        let each = |i: usize| &heads[i];
        let q: [_; 3] = std::array::from_fn(|i| each(i).queries.clone());
        let k: [_; 3] = std::array::from_fn(|i| each(i).keys.clone());
        let v: [_; 3] = std::array::from_fn(|i| each(i).values.clone());
        let c: [_; 3] = std::array::from_fn(|i| each(i).cotangent.clone());
        let q: Tensor4<2, 3, 3, 5> = q.stack().permute::<_, Axes4<1, 0, 2, 3>>();
        let k: Tensor4<2, 3, 4, 5> = k.stack().permute::<_, Axes4<1, 0, 2, 3>>();
        let v: Tensor4<2, 3, 4, 2> = v.stack().permute::<_, Axes4<1, 0, 2, 3>>();
        let c: Tensor4<2, 3, 3, 2> = c.stack().permute::<_, Axes4<1, 0, 2, 3>>();
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
            let grads = backward_from(one.output, &x.cotangent.as_vec());
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

/// A linear layer, with its bias.
#[test]
fn of_a_linear_layer() {
    let dev = Dev::seed_from_u64(7);
    let layer = Linear::<5, 3>::with_bias(&dev);
    let x: Tensor3<2, 4, 5> = dev.sample_normal();
    let cotangent: Tensor3<2, 4, 3> = dev.sample_normal();
    let grads = backward_from(layer.forward(x.leaky_trace()), &cotangent.as_vec());
    let loss = |layer: &Linear<5, 3>, x| {
        weighted_sum(layer.forward(x), &cotangent.as_vec()).array()
    };
    slopes_agree(&x, &grads.get(&x), |x| loss(&layer, x), TOLERANCE, "x");
    parameters_agree(layer, grads, |layer| loss(&layer, x.clone()));
}

/// Checks the gradients of all parameters of `layer`.
fn parameters_agree<L: Parameters + Clone>(
    mut layer: L,
    grads: Gradients<f32, Dev>,
    loss: impl Fn(L) -> f32,
) {
    let gradient = layer.flat_gradient(grads);
    let with = |flat: &[f32]| {
        let mut layer = layer.clone();
        layer.load_flat(flat);
        loss(layer)
    };
    let flat = layer.clone().flatten();
    gradient_agrees(&flat, &gradient, with, TOLERANCE, "parameters");
}

#[test]
fn every_parameter_moves_in_training() {
    fn moves<L: Parameters>(
        mut layer: L,
        count: usize,
        forward: impl Fn(&L) -> Output<OwnedTape<f32, Dev>>,
    ) {
        let before = layer.flatten();
        assert_eq!(before.len(), count);
        let loss = forward(&layer).square().mean();
        step(&mut layer, &mut Sgd { lr: 0.1 }, loss);
        assert!(layer.flatten().iter().zip(&before).all(|(after, b)| after != b));
    }
    let dev = Dev::seed_from_u64(7);
    let x = draw::<5, 3>(&dev);
    let inputs = || (x.queries.leaky_trace(), x.keys.retaped(), x.values.retaped());
    moves(AdditiveAttention::<5, 3, 4>::new(&dev, 0.1), 4 * 5 + 4 * 3 + 4, |layer| {
        let (q, k, v) = inputs();
        layer.forward(q, k, v, &Mask::none()).output
    });
    moves(BilinearAttention::<5, 3>::new(&dev, 0.1), 5 * 3, |layer| {
        let (q, k, v) = inputs();
        layer.forward(q, k, v, &Mask::none()).output
    });
}
