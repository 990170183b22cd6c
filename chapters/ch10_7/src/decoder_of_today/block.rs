// ANCHOR: header
//! A block whose parts are those of 2017 or those of today.

use super::grouped::GroupedQueryAttention;
use super::layers::{RmsNorm, SwiGlu};
use crate::feed_forward::FeedForward;
use crate::norm::LayerNorm;
use ch10_2::parameters;
use ch10_2::parameters::{NamedParameters, Parameters};
use ch10_3::dropout;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
// ANCHOR_END: header

// ANCHOR: parts
/// The parts of a decoder. The number of heads of keys and values is in its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Whether queries and keys are rotated by their positions, and nothing is added
    /// to the vectors of the tokens.
    pub rotary: bool,
    /// Whether [`RmsNorm`] takes the place of [`LayerNorm`].
    pub rms_norm: bool,
    /// Whether [`SwiGlu`] takes the place of [`FeedForward`].
    pub swiglu: bool,
    /// How many tokens a position attends to: itself, and those right before it.
    pub window: usize,
}

impl Parts {
    /// The parts of 2017, as in the section's language model.
    pub const BEFORE: Self =
        Parts { rotary: false, rms_norm: false, swiglu: false, window: usize::MAX };
    /// The parts of today, without a window.
    pub const TODAY: Self =
        Parts { rotary: true, rms_norm: true, swiglu: true, window: usize::MAX };
}
// ANCHOR_END: parts

// ANCHOR: either
/// A norm, of 2017 or of today.
#[derive(Clone, Debug)]
pub enum Norm<const M: usize> {
    /// Layer normalisation, as in 2017.
    Layer(LayerNorm<M>),
    /// RMSNorm, as today.
    Rms(RmsNorm<M>),
}

/// A network, of 2017 or of today.
#[derive(Clone, Debug)]
pub enum Network<const M: usize, const FFN: usize> {
    /// Two linear layers with a ReLU between them, as in 2017.
    Relu(FeedForward<M, FFN>),
    /// A network with a gate, as today.
    SwiGlu(SwiGlu<M, FFN>),
}
// ANCHOR_END: either

// ANCHOR: either_forward
impl<const M: usize> Norm<M> {
    pub(super) fn new(dev: &Dev, parts: &Parts) -> Self {
        if parts.rms_norm {
            Norm::Rms(RmsNorm::new(dev))
        } else {
            Norm::Layer(LayerNorm::new(dev))
        }
    }

    /// Maps (B, S, M) to the same shape.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
    ) -> Tensor3<B, S, M, T> {
        match self {
            Norm::Layer(norm) => norm.forward(x),
            Norm::Rms(norm) => norm.forward(x),
        }
    }
}

impl<const M: usize, const FFN: usize> Network<M, FFN> {
    fn new(dev: &Dev, parts: &Parts) -> Self {
        if parts.swiglu {
            Network::SwiGlu(SwiGlu::new(dev))
        } else {
            Network::Relu(FeedForward::new(dev))
        }
    }

    fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
    ) -> Tensor3<B, S, M, T> {
        match self {
            Network::Relu(network) => network.forward(x),
            Network::SwiGlu(network) => network.forward(x),
        }
    }
}

impl<const M: usize> Parameters for Norm<M> {
    fn parameters(&mut self) -> NamedParameters<'_> {
        match self {
            Norm::Layer(norm) => norm.parameters(),
            Norm::Rms(norm) => norm.parameters(),
        }
    }
}

impl<const M: usize, const FFN: usize> Parameters for Network<M, FFN> {
    fn parameters(&mut self) -> NamedParameters<'_> {
        match self {
            Network::Relu(network) => network.parameters(),
            Network::SwiGlu(network) => network.parameters(),
        }
    }
}
// ANCHOR_END: either_forward

// ANCHOR: today_block
/// Attention, then the network, each in a residual connection with the norm
/// before it.
#[derive(Clone, Debug)]
pub struct TodayBlock<
    const M: usize,
    const H: usize,
    const KV: usize,
    const D: usize,
    const FFN: usize,
> {
    /// The attention over the positions that the mask allows.
    pub attention: GroupedQueryAttention<M, H, KV, D>,
    /// The norm before the attention.
    pub attention_norm: Norm<M>,
    /// The network, for each position by itself.
    pub network: Network<M, FFN>,
    /// The norm before the network.
    pub network_norm: Norm<M>,
    /// Probability of dropout on what is added to a row, from 0 to below 1.
    pub dropout: f32,
}

parameters! {
    TodayBlock<M, H, KV, D, FFN> {
        attention, attention_norm, network, network_norm
    }
}
// ANCHOR_END: today_block

impl<const M: usize, const H: usize, const KV: usize, const D: usize, const FFN: usize>
    TodayBlock<M, H, KV, D, FFN>
{
    // ANCHOR: today_block_new
    pub(super) fn new(dev: &Dev, dropout: f32, parts: &Parts) -> Self {
        TodayBlock {
            attention: GroupedQueryAttention::new(dev, dropout, parts.rotary),
            attention_norm: Norm::new(dev, parts),
            network: Network::new(dev, parts),
            network_norm: Norm::new(dev, parts),
            dropout,
        }
    }
    // ANCHOR_END: today_block_new

    // ANCHOR: today_block_forward
    /// Maps (B, S, M) to the same shape. `attend` is the attention, of a whole text
    /// or with a cache.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
        attend: impl FnOnce(Tensor3<B, S, M, T>) -> Tensor3<B, S, M, T>,
    ) -> Tensor3<B, S, M, T> {
        let x = self.residual(x, &self.attention_norm, attend);
        self.residual(x, &self.network_norm, |x| self.network.forward(x))
    }

    fn residual<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
        norm: &Norm<M>,
        layer: impl FnOnce(Tensor3<B, S, M, T>) -> Tensor3<B, S, M, T>,
    ) -> Tensor3<B, S, M, T> {
        let (x, tape) = x.split_tape();
        let y = layer(norm.forward(x.clone().put_tape(tape)));
        kernels::dropout_add(x, y, self.dropout, |x, y| dropout(y, self.dropout) + x)
    }
    // ANCHOR_END: today_block_forward
}
