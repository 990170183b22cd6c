//! Dropout of section 10.3: on the weights, in training only.

use ch10_1::{Dev, Tensor2, Tensor3, Tensor4};
use ch10_3::*;
use dfdx::prelude::*;
use kernels::{DefinitionTape, onto_owned_tape};
use testing::close;

const B: usize = 4000;

struct Case {
    queries: Tensor3<B, 1, 2>,
    keys: Tensor3<B, 4, 2>,
    /// A unit matrix: the output is the weights that were used.
    values: Tensor3<B, 4, 4>,
}

fn case(dev: &Dev) -> Case {
    let one: Tensor2<1, 2> = dev.sample_normal();
    let keys: Tensor2<4, 2> = dev.sample_normal();
    let eye = [[1., 0., 0., 0.], [0., 1., 0., 0.], [0., 0., 1., 0.], [0., 0., 0., 1.]];
    Case {
        queries: one.broadcast(),
        keys: keys.broadcast(),
        values: dev.tensor(eye).broadcast(),
    }
}

/// Every way to attend drops in training: a weight is 0 or scaled up. In
/// evaluation none drops.
#[test]
fn every_layer_drops() {
    let dev = Dev::seed_from_u64(3);
    let Case { queries: q, keys: k, values: v } = case(&dev);
    let mask = Mask::valid_lens([3; B]);
    let drops = |training: [Vec<f32>; 2], evaluation: [Vec<f32>; 2]| {
        let [used, weights] = training;
        let mut dropped = 0;
        for (used, weight) in used.iter().zip(&weights) {
            let scaled = (used - weight / 0.75).abs() < 1e-5;
            assert!(*used == 0.0 || scaled, "{used} from {weight}");
            dropped += usize::from(*used == 0.0 && *weight > 0.0);
        }
        let share = dropped as f32 / (3 * B) as f32;
        assert!((share - 0.25).abs() < 0.02, "{share} dropped");
        close(&evaluation[0], &evaluation[1], 1e-6, "evaluation");
    };
    let layer = AdditiveAttention::<2, 2, 3>::new(&dev, 0.25);
    let training = layer.forward(q.leaky_trace(), k.retaped(), v.retaped(), &mask);
    let evaluation = layer.forward(q.clone(), k.clone(), v.clone(), &mask);
    drops(numbers(training), numbers(evaluation));

    let layer = BilinearAttention::<2, 2>::new(&dev, 0.25);
    let training = layer.forward(q.leaky_trace(), k.retaped(), v.retaped(), &mask);
    let evaluation = layer.forward(q.clone(), k.clone(), v.clone(), &mask);
    drops(numbers(training), numbers(evaluation));

    let layer = DotProductAttention { dropout: 0.25 };
    let training = layer.forward(q.leaky_trace(), k.retaped(), v.retaped(), &mask);
    let evaluation = layer.forward(q.clone(), k.clone(), v.clone(), &mask);
    drops(numbers(training), numbers(evaluation));

    let q: Tensor4<B, 1, 1, 2> = q.reshape();
    let k: Tensor4<B, 1, 4, 2> = k.reshape();
    let v: Tensor4<B, 1, 4, 4> = v.reshape();
    let training =
        layer.forward_heads(q.leaky_trace(), k.retaped(), v.retaped(), &mask);
    drops(numbers(training), numbers(layer.forward_heads(q, k, v, &mask)));
}

/// Output and weights.
fn numbers<O: ConstShape, W: ConstShape, T: Tape<f32, Dev>>(
    got: AttentionOutput<O, W, T>,
) -> [Vec<f32>; 2] {
    [got.output.as_vec(), got.weights.as_vec()]
}

/// By the kernels and by the definitions, the same weights are dropped, and the
/// gradients are the same.
#[test]
fn kernels_and_definitions_drop_the_same() {
    for seed in 0..3 {
        let kernels = trained::<OwnedTape<f32, Dev>>(seed);
        let definitions = trained::<DefinitionTape>(seed);
        for (ours, wanted) in kernels.iter().zip(&definitions) {
            close(ours, wanted, 1e-5, &format!("seed {seed}"));
        }
    }
}

/// The outputs with dropout of additive and dot-product attention, and the
/// gradients of the sums of their squares by the queries.
fn trained<T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>>(seed: u64) -> [Vec<f32>; 4] {
    let dev = Dev::seed_from_u64(seed);
    let queries: Tensor3<3, 2, 2> = dev.sample_normal();
    let keys: Tensor3<3, 4, 2> = dev.sample_normal();
    let values: Tensor3<3, 4, 4> = dev.sample_normal();
    let mask = Mask::valid_lens([4, 1, 3]);
    let additive = AdditiveAttention::<2, 2, 3>::new(&dev, 0.3);
    let (k, v) = (keys.retaped(), values.retaped());
    let additive = additive.forward(queries.retaped::<T>(), k, v, &mask);
    let dot_product = DotProductAttention { dropout: 0.3 };
    let (k, v) = (keys.retaped(), values.retaped());
    let dot_product = dot_product.forward(queries.retaped::<T>(), k, v, &mask);
    let [a, b] = [additive.output, dot_product.output].map(|output| {
        let numbers = output.as_vec();
        let gradients = onto_owned_tape(output).square().sum().backward();
        [numbers, gradients.get(&queries).as_vec()]
    });
    let ([a, d_a], [b, d_b]) = (a, b);
    [a, d_a, b, d_b]
}
