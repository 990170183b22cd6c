// ANCHOR: header
//! Section 10.2, attention pooling: estimators that weigh the values of a
//! sample by how near their keys are to a query, and the training of one.
//!
//! Keys are plain numbers here; section 10.3 has keys that are vectors. Random
//! numbers are drawn by the device that is passed in.

pub mod kernels;
pub mod parameters;

use ch10_1::{Dev, Tensor0, Tensor1, Tensor2, Tensor3};
use dfdx::prelude::*;
use parameters::{Sgd, step};
// ANCHOR_END: header

// ANCHOR: truth
/// Returns 2 sin x + x^0.8, the function behind the data.
pub fn truth<S: Shape>(x: Tensor<S, f32, Dev>) -> Tensor<S, f32, Dev> {
    x.clone().sin() * 2.0 + x.powf(0.8)
}

/// The standard deviation of the noise.
pub const NOISE: f32 = 0.5;
// ANCHOR_END: truth

// ANCHOR: samples
/// N points: their inputs in rising order, and their noisy outputs.
#[derive(Clone, Debug)]
pub struct Samples<const N: usize> {
    /// The inputs.
    pub x: Tensor1<N>,
    /// The outputs.
    pub y: Tensor1<N>,
}

/// Draws inputs from [0, 5) and noise, both with the device's generator.
pub fn draw_samples<const N: usize>(dev: &Dev) -> Samples<N> {
    let uniform: Tensor1<N> = dev.sample_uniform();
    let mut x = (uniform * 5.0).as_vec();
    x.sort_by(f32::total_cmp);
    let x: Tensor1<N> = dev.tensor(x);
    let noise: Tensor1<N> = dev.sample_normal() * NOISE;
    Samples { y: truth(x.clone()) + noise, x }
}
// ANCHOR_END: samples

// ANCHOR: test_inputs
/// Returns the inputs 0, 0.1, 0.2 … at which an estimator is tested.
pub fn test_inputs<const Q: usize>(dev: &Dev) -> Tensor1<Q> {
    dev.tensor(std::array::from_fn(|q| q as f32 / 10.0))
}

/// Returns the mean squared error of Q outputs.
pub fn mse<const Q: usize>(output: Tensor1<Q>, target: &Tensor1<Q>) -> f32 {
    (output - target.clone()).square().mean().array()
}
// ANCHOR_END: test_inputs

// ANCHOR: pool
/// Returns the weighted sum of the K values for each query: attention pooling.
pub fn pool<const Q: usize, const K: usize, T: Tape<f32, Dev>>(
    weights: Tensor2<Q, K, T>,
    values: Tensor1<K>,
) -> Tensor1<Q, T> {
    weights.matmul(values)
}

/// Returns the weights of average pooling, the same for every key.
pub fn uniform_weights<const Q: usize, const K: usize>(dev: &Dev) -> Tensor2<Q, K> {
    dev.ones() / K as f32
}
// ANCHOR_END: pool

// ANCHOR: gaussian
/// Subtracts each key from each query.
pub fn differences<const Q: usize, const K: usize>(
    queries: Tensor1<Q>,
    keys: Tensor1<K>,
) -> Tensor2<Q, K> {
    let queries: Tensor2<Q, K> = queries.broadcast::<_, Axis<1>>();
    let keys: Tensor2<Q, K> = keys.broadcast::<_, Axis<0>>();
    queries - keys
}

/// Returns the softmax of -u²/2 along the keys: the weights of a Gaussian kernel.
pub fn gaussian_weights<const Q: usize, const K: usize, T: Tape<f32, Dev>>(
    u: Tensor2<Q, K, T>,
) -> Tensor2<Q, K, T> {
    (u.square() * -0.5).softmax::<Axis<1>>()
}
// ANCHOR_END: gaussian

// ANCHOR: gaussian_attention
/// Attention with a Gaussian kernel whose width is learned.
#[derive(Clone, Debug)]
pub struct GaussianAttention {
    /// What each distance is multiplied by.
    pub w: Tensor0,
}

parameters! { GaussianAttention { w } }

impl GaussianAttention {
    /// Creates a layer whose `w` is drawn from [0, 1).
    pub fn new(dev: &Dev) -> Self {
        GaussianAttention { w: dev.sample_uniform() }
    }

    /// Returns the weights of each query, from its differences to the keys.
    pub fn weights<const Q: usize, const K: usize, T: Tape<f32, Dev>>(
        &self,
        u: Tensor2<Q, K, T>,
    ) -> Tensor2<Q, K, T> {
        let w: Tensor2<Q, K, T> = self.w.retaped::<T>().broadcast();
        gaussian_weights(w * u)
    }
}
// ANCHOR_END: gaussian_attention

// ANCHOR: pool_batch
/// Returns the weighted sums of a batch: each example has K values of its own,
/// and a value is DV numbers.
pub fn pool_batch<
    const B: usize,
    const Q: usize,
    const K: usize,
    const DV: usize,
    T: Tape<f32, Dev>,
>(
    weights: Tensor3<B, Q, K, T>,
    values: Tensor3<B, K, DV>,
) -> Tensor3<B, Q, DV, T> {
    weights.matmul(values)
}
// ANCHOR_END: pool_batch

// ANCHOR: pool_own
/// Returns the weighted sum of each query's own K values, one number each: a
/// batch of Q examples with one query.
pub fn pool_own<const Q: usize, const K: usize, T: Tape<f32, Dev>>(
    weights: Tensor2<Q, K, T>,
    values: Tensor2<Q, K>,
) -> Tensor1<Q, T> {
    let weights: Tensor3<Q, 1, K, T> = weights.reshape();
    let values: Tensor3<Q, K, 1> = values.reshape();
    let output: Tensor3<Q, 1, 1, T> = pool_batch(weights, values);
    output.reshape()
}
// ANCHOR_END: pool_own

// ANCHOR: without_diagonal
/// Drops the diagonal: row i loses its entry i. K is N - 1.
pub fn without_diagonal<const N: usize, const K: usize>(
    matrix: Tensor2<N, N>,
) -> Tensor2<N, K> {
    const { assert!(K + 1 == N) };
    let others = |i: usize| (0..N).filter(move |&j| j != i);
    let indices: Vec<usize> = (0..N).flat_map(others).collect();
    let indices: Tensor<Rank2<N, K>, usize, Dev> = matrix.device().tensor(indices);
    matrix.gather(indices)
}
// ANCHOR_END: without_diagonal

// ANCHOR: training_set
/// N queries to learn from, each with K keys and values of its own and the
/// output that pooling should give.
#[derive(Clone, Debug)]
pub struct TrainingSet<const N: usize, const K: usize> {
    /// Each query minus each of its keys.
    pub differences: Tensor2<N, K>,
    /// The values of each query.
    pub values: Tensor2<N, K>,
    /// The output that each query should have.
    pub targets: Tensor1<N>,
}

impl<const N: usize, const K: usize> TrainingSet<N, K> {
    /// Makes every point a query, with the K other points as keys and values.
    pub fn leave_one_out(samples: &Samples<N>) -> Self {
        let all = TrainingSet::with_self(samples);
        TrainingSet {
            differences: without_diagonal(all.differences),
            values: without_diagonal(all.values),
            targets: all.targets,
        }
    }
}
// ANCHOR_END: training_set

// ANCHOR: with_self
impl<const N: usize> TrainingSet<N, N> {
    /// Makes every point a query, with all points as keys, itself included.
    pub fn with_self(samples: &Samples<N>) -> Self {
        let (x, y) = (samples.x.clone(), samples.y.clone());
        TrainingSet {
            differences: differences(x.clone(), x),
            values: y.clone().broadcast::<_, Axis<0>>(),
            targets: y,
        }
    }
}
// ANCHOR_END: with_self

// ANCHOR: loss
/// Returns the sum of the squared errors over a training set.
pub fn loss<const N: usize, const K: usize, T: Tape<f32, Dev>>(
    model: &GaussianAttention,
    set: &TrainingSet<N, K>,
    tape: T,
) -> Tensor0<T> {
    let u: Tensor2<N, K, T> = set.differences.clone().put_tape(tape);
    let output: Tensor1<N, T> = pool_own(model.weights(u), set.values.clone());
    (output - set.targets.clone()).square().sum()
}
// ANCHOR_END: loss

// ANCHOR: train
/// d2l's learning rate.
pub const LR: f32 = 0.5;
/// How often d2l's training goes over the data.
pub const EPOCHS: usize = 5;

/// Trains by gradient descent, with all N queries in each step. Returns the loss
/// before each step and `w` after it.
pub fn train<const N: usize, const K: usize>(
    model: &mut GaussianAttention,
    set: &TrainingSet<N, K>,
    lr: f32,
    epochs: usize,
) -> Vec<(f32, f32)> {
    let mut sgd = Sgd { lr };
    let mut history = Vec::new();
    for _ in 0..epochs {
        let loss = loss(model, set, OwnedTape::default());
        let before = step(model, &mut sgd, loss);
        history.push((before, model.w.array()));
    }
    history
}
// ANCHOR_END: train

// ANCHOR: entropy
/// Returns the entropy of each row of weights, in nats: 0 if one key gets
/// everything, ln K if all get the same.
pub fn entropy<const Q: usize, const K: usize>(weights: Tensor2<Q, K>) -> Tensor1<Q> {
    // 0 ln 0 counts as 0.
    let logs = weights.clone().clamp(f32::MIN_POSITIVE, 1.0).ln();
    (weights * logs).sum::<Rank1<Q>, Axis<1>>().negate()
}
// ANCHOR_END: entropy
