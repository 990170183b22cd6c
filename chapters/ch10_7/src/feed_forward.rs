// ANCHOR: feed_forward
//! Section 10.7, a network of two layers that treats each position by itself.

use ch10_2::parameters;
use ch10_3::Linear;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

/// To width FFN, ReLU, to width O: max(0, x W1 + b1) W2 + b2. Vaswani et al.
/// 2017, "Attention Is All You Need", equation 2.
#[derive(Clone, Debug)]
pub struct FeedForward<const M: usize, const FFN: usize, const O: usize = M> {
    /// Before the ReLU.
    pub first: Linear<M, FFN>,
    /// After it.
    pub second: Linear<FFN, O>,
}

parameters! { FeedForward<M, FFN, O> { first, second } }
// ANCHOR_END: feed_forward

impl<const M: usize, const FFN: usize, const O: usize> FeedForward<M, FFN, O> {
    // ANCHOR: feed_forward_new
    /// Two linear layers with biases.
    pub fn new(dev: &Dev) -> Self {
        Self { first: Linear::with_bias(dev), second: Linear::with_bias(dev) }
    }
    // ANCHOR_END: feed_forward_new

    // ANCHOR: feed_forward_forward
    /// (B, S, M) to (B, S, O): all positions by the same weights.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
    ) -> Tensor3<B, S, O, T> {
        let (first, second) = (&self.first, &self.second);
        let first = (&first.weight, first.bias.as_ref());
        let second = (&second.weight, second.bias.as_ref());
        kernels::feed_forward(x, first, second, |x| {
            self.second.forward(self.first.forward(x).relu())
        })
    }
    // ANCHOR_END: feed_forward_forward
}
