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

#[test]
fn evaluation_drops_nothing() {
    let dev = Dev::seed_from_u64(1);
    let Case { queries, keys, values } = case(&dev);
    let with = DotProductAttention { dropout: 0.5 };
    let got = with.forward(queries, keys, values, &Mask::none());
    close(&got.output.as_vec(), &got.weights.as_vec(), 1e-6, "output");
}

#[test]
fn training_drops_a_share_and_keeps_the_mean() {
    let dev = Dev::seed_from_u64(2);
    for p in [0.1, 0.5] {
        let Case { queries, keys, values } = case(&dev);
        let layer = DotProductAttention { dropout: p };
        let mask = Mask::valid_lens([3; B]);
        let got = layer.forward(
            queries.leaky_trace(),
            keys.retaped(),
            values.retaped(),
            &mask,
        );
        let weights = got.weights.as_vec();
        let used = got.output.as_vec();
        let mut dropped = 0;
        for (used, weight) in used.iter().zip(&weights) {
            let scaled = (used - weight / (1.0 - p)).abs() < 1e-5;
            assert!(*used == 0.0 || scaled, "{used} from {weight}");
            dropped += usize::from(*used == 0.0 && *weight > 0.0);
        }
        let share = dropped as f32 / (3 * B) as f32;
        assert!((share - p).abs() < 0.02, "{share} dropped");
        let mean: Tensor2<1, 4> = got.output.split_tape().0.mean::<_, Axis<0>>();
        close(&mean.as_vec(), &weights[..4], 0.02, "mean");
    }
}

/// Every way to attend drops in training, and none in evaluation.
#[test]
fn every_layer_drops() {
    let dev = Dev::seed_from_u64(3);
    let Case { queries: q, keys: k, values: v } = case(&dev);
    let all = Mask::none();
    let differ = |training: Vec<f32>, evaluation: Vec<f32>| {
        let zeros = |x: &[f32]| x.iter().filter(|&&x| x == 0.0).count();
        assert!(zeros(&training) > B && zeros(&evaluation) == 0);
    };
    let layer = AdditiveAttention::<2, 2, 3>::new(&dev, 0.5);
    let (keys, values) = (k.retaped(), v.retaped());
    let training = layer.forward(q.leaky_trace(), keys, values, &all);
    let evaluation = layer.forward(q.clone(), k.clone(), v.clone(), &all);
    differ(training.output.as_vec(), evaluation.output.as_vec());

    let layer = BilinearAttention::<2, 2>::new(&dev, 0.5);
    let (keys, values) = (k.retaped(), v.retaped());
    let training = layer.forward(q.leaky_trace(), keys, values, &all);
    let evaluation = layer.forward(q.clone(), k.clone(), v.clone(), &all);
    differ(training.output.as_vec(), evaluation.output.as_vec());

    let layer = DotProductAttention { dropout: 0.5 };
    let q: Tensor4<B, 1, 1, 2> = q.reshape();
    let k: Tensor4<B, 1, 4, 2> = k.reshape();
    let v: Tensor4<B, 1, 4, 4> = v.reshape();
    let (keys, values) = (k.retaped(), v.retaped());
    let training = layer.forward_heads(q.leaky_trace(), keys, values, &all);
    let evaluation = layer.forward_heads(q, k, v, &all);
    differ(training.output.as_vec(), evaluation.output.as_vec());
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

/// The same seed drops the same weights.
#[test]
fn the_seed_decides() {
    let run = |seed| {
        let dev = Dev::seed_from_u64(seed);
        let Case { queries, keys, values } = case(&dev);
        let layer = DotProductAttention { dropout: 0.5 };
        layer
            .forward(
                queries.leaky_trace(),
                keys.retaped(),
                values.retaped(),
                &Mask::none(),
            )
            .output
            .as_vec()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}
