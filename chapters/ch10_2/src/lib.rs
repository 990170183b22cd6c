// ANCHOR: header
//! Section 10.2, attention pooling: estimators that weigh the values of a
//! sample by how near their keys are to a query, and the training of one.
//!
//! Nothing here prints, writes files or draws random numbers of its own: the
//! device that is passed in draws them. Keys are plain numbers; keys that are
//! vectors come in section 10.3.

pub mod parameters;

use anyhow::Result;
use ch10_1::Dev;
use dfdx::optim::{Optimizer, Sgd, SgdConfig};
use dfdx::prelude::*;
// ANCHOR_END: header

// ANCHOR: truth
/// The function behind the data: 2 sin x + x^0.8.
pub fn truth<Any: Shape>(x: Tensor<Any, f32, Dev>) -> Tensor<Any, f32, Dev> {
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
    pub x: Tensor<Rank1<N>, f32, Dev>,
    /// The outputs.
    pub y: Tensor<Rank1<N>, f32, Dev>,
}

/// Draws inputs from [0, 5) and noise, both with the device's generator.
pub fn draw_samples<const N: usize>(dev: &Dev) -> Samples<N> {
    let shares: Tensor<Rank1<N>, f32, Dev> = dev.sample_uniform();
    let mut x = (shares * 5.0).as_vec();
    x.sort_by(f32::total_cmp);
    let x: Tensor<Rank1<N>, f32, Dev> = dev.tensor(x);
    let noise: Tensor<Rank1<N>, f32, Dev> = dev.sample_normal() * NOISE;
    Samples { y: truth(x.clone()) + noise, x }
}

/// The inputs 0, 0.1, 0.2 … at which an estimator is asked.
pub fn test_inputs<const Q: usize>(dev: &Dev) -> Tensor<Rank1<Q>, f32, Dev> {
    dev.tensor(std::array::from_fn(|q| q as f32 / 10.0))
}
// ANCHOR_END: samples

// ANCHOR: mse
/// The mean of the squared differences between Q outputs and what they
/// should be.
pub fn mse<const Q: usize>(
    output: Tensor<Rank1<Q>, f32, Dev>,
    wanted: &Tensor<Rank1<Q>, f32, Dev>,
) -> f32 {
    (output - wanted.clone()).square().mean().array()
}
// ANCHOR_END: mse

// ANCHOR: pool
/// Attention pooling: for each query, the weighted sum of the K values.
pub fn pool<const Q: usize, const K: usize, T: Tape<f32, Dev>>(
    weights: Tensor<Rank2<Q, K>, f32, Dev, T>,
    values: Tensor<Rank1<K>, f32, Dev>,
) -> Tensor<Rank1<Q>, f32, Dev, T> {
    weights.matmul(values)
}

/// The weights of average pooling: every key gets the same.
pub fn uniform_weights<const Q: usize, const K: usize>(
    dev: &Dev,
) -> Tensor<Rank2<Q, K>, f32, Dev> {
    dev.ones() / K as f32
}
// ANCHOR_END: pool

// ANCHOR: gaussian
/// Each query minus each key.
pub fn differences<const Q: usize, const K: usize>(
    queries: Tensor<Rank1<Q>, f32, Dev>,
    keys: Tensor<Rank1<K>, f32, Dev>,
) -> Tensor<Rank2<Q, K>, f32, Dev> {
    let queries: Tensor<Rank2<Q, K>, f32, Dev> = queries.broadcast::<_, Axis<1>>();
    let keys: Tensor<Rank2<Q, K>, f32, Dev> = keys.broadcast::<_, Axis<0>>();
    queries - keys
}

/// The weights of a Gaussian kernel: the softmax of -u²/2 along the keys.
pub fn gaussian_weights<const Q: usize, const K: usize, T: Tape<f32, Dev>>(
    u: Tensor<Rank2<Q, K>, f32, Dev, T>,
) -> Tensor<Rank2<Q, K>, f32, Dev, T> {
    (u.square() * -0.5).softmax::<Axis<1>>()
}
// ANCHOR_END: gaussian

// ANCHOR: parametric
/// The one number that is learned.
pub type Parameter = Tensor<Rank0, f32, Dev>;

/// The weights of a Gaussian kernel whose distances are scaled by `w`.
pub fn parametric_weights<const Q: usize, const K: usize, T: Tape<f32, Dev>>(
    w: Tensor<Rank0, f32, Dev, T>,
    u: Tensor<Rank2<Q, K>, f32, Dev>,
) -> Tensor<Rank2<Q, K>, f32, Dev, T> {
    let w: Tensor<Rank2<Q, K>, f32, Dev, T> = w.broadcast();
    gaussian_weights(w * u)
}
// ANCHOR_END: parametric

// ANCHOR: pool_batch
/// Attention pooling for a batch: each example has weights for its own K
/// values, and a value is DV numbers.
pub fn pool_batch<
    const B: usize,
    const Q: usize,
    const K: usize,
    const DV: usize,
    T: Tape<f32, Dev>,
>(
    weights: Tensor<Rank3<B, Q, K>, f32, Dev, T>,
    values: Tensor<Rank3<B, K, DV>, f32, Dev>,
) -> Tensor<Rank3<B, Q, DV>, f32, Dev, T> {
    weights.matmul(values)
}

/// Attention pooling where each query has K values of its own, one number
/// each: a batch of Q examples with one query.
pub fn pool_own<const Q: usize, const K: usize, T: Tape<f32, Dev>>(
    weights: Tensor<Rank2<Q, K>, f32, Dev, T>,
    values: Tensor<Rank2<Q, K>, f32, Dev>,
) -> Tensor<Rank1<Q>, f32, Dev, T> {
    let weights: Tensor<Rank3<Q, 1, K>, f32, Dev, T> = weights.reshape();
    let values: Tensor<Rank3<Q, K, 1>, f32, Dev> = values.reshape();
    let output: Tensor<Rank3<Q, 1, 1>, f32, Dev, T> = pool_batch(weights, values);
    output.reshape()
}
// ANCHOR_END: pool_batch

// ANCHOR: leave_one_out
/// Drops the diagonal: row i loses its entry i. K is N - 1.
pub fn leave_one_out<const N: usize, const K: usize>(
    matrix: Tensor<Rank2<N, N>, f32, Dev>,
) -> Tensor<Rank2<N, K>, f32, Dev> {
    const { assert!(K + 1 == N) };
    let others = |i: usize| (0..N).filter(move |&j| j != i);
    let indices: Vec<usize> = (0..N).flat_map(others).collect();
    let indices: Tensor<Rank2<N, K>, usize, Dev> = matrix.device().tensor(indices);
    matrix.gather(indices)
}
// ANCHOR_END: leave_one_out

// ANCHOR: pairs
/// What to learn from: for each of N queries K pairs of its own, and the
/// output that is wanted.
pub struct Pairs<const N: usize, const K: usize> {
    /// Each query minus each of its keys.
    pub differences: Tensor<Rank2<N, K>, f32, Dev>,
    /// The values of each query.
    pub values: Tensor<Rank2<N, K>, f32, Dev>,
    /// What pooling should give.
    pub targets: Tensor<Rank1<N>, f32, Dev>,
}

impl<const N: usize> Pairs<N, N> {
    /// Every point is a query, and all points are its pairs: itself too.
    pub fn all(samples: &Samples<N>) -> Self {
        let (x, y) = (samples.x.clone(), samples.y.clone());
        let differences = differences(x.clone(), x);
        let values = y.clone().broadcast::<_, Axis<0>>();
        Pairs { differences, values, targets: y }
    }

    /// Every point is a query, and the other K points are its pairs.
    pub fn others<const K: usize>(samples: &Samples<N>) -> Pairs<N, K> {
        let Pairs { differences, values, targets } = Pairs::all(samples);
        let differences = leave_one_out(differences);
        Pairs { differences, values: leave_one_out(values), targets }
    }
}
// ANCHOR_END: pairs

// ANCHOR: loss
/// The sum of the squared errors of the parametric form.
pub fn loss<const N: usize, const K: usize, T: Tape<f32, Dev>>(
    w: Tensor<Rank0, f32, Dev, T>,
    pairs: &Pairs<N, K>,
) -> Tensor<Rank0, f32, Dev, T> {
    let weights = parametric_weights(w, pairs.differences.clone());
    let output = pool_own(weights, pairs.values.clone());
    (output - pairs.targets.clone()).square().sum()
}
// ANCHOR_END: loss

// ANCHOR: step
/// Moves `w` against the gradient of a loss that a tape recorded.
///
/// # Errors
/// The tape never met `w`, so that there is no gradient.
pub fn step(
    w: &mut Parameter,
    loss: Tensor<Rank0, f32, Dev, OwnedTape<f32, Dev>>,
    sgd: &mut Sgd<Parameter, f32, Dev>,
) -> Result<()> {
    let gradients: Gradients<f32, Dev> = loss.backward();
    Ok(sgd.update(w, &gradients)?)
}
// ANCHOR_END: step

// ANCHOR: train
/// Trains `w` by gradient descent, all N queries in each step; gives for
/// each step the loss before it and `w` after it.
///
/// # Errors
/// As in [`step`].
pub fn train<const N: usize, const K: usize>(
    w: &mut Parameter,
    pairs: &Pairs<N, K>,
    lr: f64,
    epochs: usize,
) -> Result<Vec<(f32, f32)>> {
    let config = SgdConfig { lr, momentum: None, weight_decay: None };
    let mut sgd = Sgd::new(w, config);
    let mut history = Vec::new();
    for _ in 0..epochs {
        let loss = loss(w.leaky_trace(), pairs);
        let before = loss.array();
        step(w, loss, &mut sgd)?;
        history.push((before, w.array()));
    }
    Ok(history)
}
// ANCHOR_END: train

// ANCHOR: entropy
/// The entropy of each row of weights, in nats: 0 if one key gets
/// everything, ln K if all get the same.
pub fn entropy<const Q: usize, const K: usize>(
    weights: Tensor<Rank2<Q, K>, f32, Dev>,
) -> Tensor<Rank1<Q>, f32, Dev> {
    // 0 ln 0 counts as 0.
    let logs = weights.clone().clamp(f32::MIN_POSITIVE, 1.0).ln();
    (weights * logs).sum::<Rank1<Q>, Axis<1>>().negate()
}
// ANCHOR_END: entropy

// ANCHOR: kernels
/// How the weight falls with the distance u, up to a constant factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// exp(-u²/2)
    Gaussian,
    /// 1 as far as |u| is at most 1, else 0
    Boxcar,
    /// 1 - u² as far as |u| is at most 1, else 0
    Epanechnikov,
    /// 1
    Constant,
}

impl Kernel {
    /// The kernel at each distance.
    pub fn at<Any: ConstShape>(
        self,
        u: Tensor<Any, f32, Dev>,
    ) -> Tensor<Any, f32, Dev> {
        let dev = u.device();
        let (ones, zeros) = (dev.ones::<Any>(), dev.zeros::<Any>());
        match self {
            Kernel::Gaussian => (u.square() * -0.5).exp(),
            Kernel::Boxcar => u.abs().le(1.0).choose(ones, zeros),
            Kernel::Epanechnikov => (u.square().negate() + 1.0).relu(),
            Kernel::Constant => ones,
        }
    }
}

/// The weights of a kernel of some width: its values at u/width, divided by
/// their sum. A query without any key in its window gets zeros.
///
/// # Panics
/// The width is not above 0.
pub fn kernel_weights<const Q: usize, const K: usize>(
    kernel: Kernel,
    width: f32,
    u: Tensor<Rank2<Q, K>, f32, Dev>,
) -> Tensor<Rank2<Q, K>, f32, Dev> {
    assert!(width > 0.0, "a width is above 0");
    let heights = kernel.at(u / width);
    let sums: Tensor<Rank1<Q>, f32, Dev> = heights.clone().sum::<_, Axis<1>>();
    let sums: Tensor<Rank2<Q, K>, f32, Dev> = sums.broadcast::<_, Axis<1>>();
    (heights / sums).nans_to(0.0) // an empty window is 0/0
}
// ANCHOR_END: kernels
