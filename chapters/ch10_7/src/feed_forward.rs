// ANCHOR: feed_forward_header
//! Section 10.7: a network of two layers that treats each position by itself.

use crate::ops;
use crate::parameters::{first_values, of_projection};
use ch10_1::Dev;
use ch10_5::Projection;
use dfdx::prelude::*;
use seq2seq::parameters::{Named, Parameters, within};
// ANCHOR_END: feed_forward_header

// ANCHOR: feed_forward
/// To width FFN, ReLU, to width O: max(0, x W1 + b1) W2 + b2. Vaswani et al.
/// 2017, "Attention Is All You Need", equation 2.
#[derive(Clone, Debug)]
pub struct PositionWiseFfn<const I: usize, const FFN: usize, const O: usize> {
    /// Before the ReLU.
    pub first: Projection<I, FFN, true>,
    /// After it.
    pub second: Projection<FFN, O, true>,
}

impl<const I: usize, const FFN: usize, const O: usize> PositionWiseFfn<I, FFN, O> {
    /// As training starts from it.
    pub fn new(dev: &Dev) -> Self {
        Self { first: first_values(dev), second: first_values(dev) }
    }

    /// (B, S, I) to (B, S, O): all positions by the same weights.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<B, S, I>, f32, Dev, T>,
    ) -> Tensor<Rank3<B, S, O>, f32, Dev, T> {
        ops::feed_forward(x, self)
    }
}
// ANCHOR_END: feed_forward

// ANCHOR: feed_forward_composed
/// What [`PositionWiseFfn`] computes.
pub fn feed_forward<
    const B: usize,
    const S: usize,
    const I: usize,
    const FFN: usize,
    const O: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor<Rank3<B, S, I>, f32, Dev, T>,
    layer: &PositionWiseFfn<I, FFN, O>,
) -> Tensor<Rank3<B, S, O>, f32, Dev, T> {
    let hidden: Tensor<Rank3<B, S, FFN>, f32, Dev, T> = layer.first.forward(x).relu();
    layer.second.forward(hidden)
}
// ANCHOR_END: feed_forward_composed

// ANCHOR: feed_forward_parameters
impl<const I: usize, const FFN: usize, const O: usize> Parameters
    for PositionWiseFfn<I, FFN, O>
{
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("first", of_projection(&mut self.first));
        all.extend(within("second", of_projection(&mut self.second)));
        all
    }
}
// ANCHOR_END: feed_forward_parameters
