// ANCHOR: header
//! Interlude, from states to probabilities, and the loss: cross-entropy over
//! the tokens that count.

use ch10_2::parameters;
use ch10_3::xavier_bound;
use dfdx::prelude::*;
use kernels::{Dev, Matrix, Row, Tensor1, Tensor2, Tensor3};
use rand_distr::Uniform;
// ANCHOR_END: header

// ANCHOR: output_layer
/// Turns a state of M numbers into logits, one for each token of a vocabulary.
#[derive(Clone, Debug)]
pub struct OutputLayer<const M: usize> {
    /// A row of M numbers for each token.
    pub weight: Matrix<M>,
    /// A number for each token.
    pub bias: Row,
}

parameters! { OutputLayer<M> { weight, bias } }

impl<const M: usize> OutputLayer<M> {
    /// Weights uniform within ±√(6 / (M + tokens)), biases within ±1/√M.
    pub fn new(dev: &Dev, vocab_size: usize) -> Self {
        let within = |bound: f32| Uniform::new_inclusive(-bound, bound);
        let weight = within(xavier_bound(M, vocab_size));
        OutputLayer {
            weight: dev.sample_like(&(vocab_size, Const), weight),
            bias: dev.sample_like(&(vocab_size,), within(1.0 / (M as f32).sqrt())),
        }
    }

    /// (B, S, M) to (B, S, tokens).
    pub fn logits<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
    ) -> Logits<B, S, T> {
        logits(x, &self.weight, &self.bias)
    }
}
// ANCHOR_END: output_layer

// ANCHOR: logits
/// For each step of each example a number for each token of the vocabulary: the
/// larger, the more probable the token.
pub type Logits<const B: usize, const S: usize, T = NoneTape> =
    Tensor<(Const<B>, Const<S>, usize), f32, Dev, T>;

/// x Wᵀ + b.
pub fn logits<const B: usize, const S: usize, const M: usize, T: Tape<f32, Dev>>(
    x: Tensor3<B, S, M, T>,
    weight: &Matrix<M>,
    bias: &Row,
) -> Logits<B, S, T> {
    let weight: Tensor<(Const<M>, usize), f32, Dev, T> =
        weight.retaped::<T>().permute();
    let x = x.matmul(weight);
    let shape = *x.shape();
    x + bias.retaped::<T>().broadcast_like(&shape)
}
// ANCHOR_END: logits

// ANCHOR: cross_entropy
/// -ln p of the label of each step, where p is the softmax of the logits.
pub fn cross_entropy<const B: usize, const S: usize, T: Tape<f32, Dev>>(
    logits: Logits<B, S, T>,
    labels: &[[usize; S]; B],
) -> Tensor2<B, S, T> {
    let labels = logits.device().tensor(*labels);
    let (logits, tape) = logits.split_tape();
    let label: Tensor2<B, S, T> = logits.retaped::<T>().select(labels);
    let all: Tensor2<B, S, T> = logits.put_tape(tape).logsumexp::<_, Axis<2>>();
    all - label
}
// ANCHOR_END: cross_entropy

// ANCHOR: masked_cross_entropy
/// **Masked cross-entropy** of the logits x Wᵀ + b: for each example the sum of
/// the [`cross_entropy`] of its first `lens` steps, divided by the number S of
/// steps.
pub fn masked_cross_entropy<const B: usize, const S: usize, const M: usize, T>(
    x: Tensor3<B, S, M, T>,
    weight: &Matrix<M>,
    bias: &Row,
    labels: &[[usize; S]; B],
    lens: &[usize; B],
) -> Tensor1<B, T>
where
    T: Tape<f32, Dev>,
{
    let counts = |b: usize, s: usize| s < lens[b];
    let losses = kernels::cross_entropy(x, weight, bias, labels, counts, |x| {
        let mask: [[f32; S]; B] =
            std::array::from_fn(|b| std::array::from_fn(|s| f32::from(counts(b, s))));
        let mask: Tensor2<B, S> = weight.device().tensor(mask);
        cross_entropy(logits(x, weight, bias), labels) * mask
    });
    losses.sum::<_, Axis<1>>() / S as f32
}
// ANCHOR_END: masked_cross_entropy
