//! Gradients that no file of PyTorch's has: of one tensor in three places,
//! against finite differences, and of heads at once; and training moves every
//! weight.

use ch10_1::{Dev, Tensor3, Tensor4};
use ch10_2::parameters::{Parameters, Sgd, step};
use ch10_3::{AdditiveAttention, BilinearAttention, DotProductAttention, Mask};
use dfdx::prelude::*;
use testing::{backward_from, close, slopes_agree, weighted_sum};

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

#[test]
fn every_parameter_moves_in_training() {
    fn moves<L: Parameters>(
        mut layer: L,
        count: usize,
        forward: impl Fn(&L) -> Tensor3<2, 3, 2, OwnedTape<f32, Dev>>,
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
