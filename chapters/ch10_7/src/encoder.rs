// ANCHOR: block
//! Section 10.7, the encoder: it reads a sentence, all positions at once.

use crate::embedding::TokenEmbedding;
use crate::feed_forward::FeedForward;
use crate::norm::{LayerNorm, NormPosition, Residual, finish};
use ch10_2::parameters;
use ch10_3::{AttentionOutput, Mask};
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};

/// Self-attention, then the feed-forward network, each in a residual
/// connection.
#[derive(Clone, Debug)]
pub struct EncoderBlock<
    const M: usize,
    const H: usize,
    const D: usize,
    const FFN: usize,
> {
    /// Each position attends to all that the mask allows.
    pub self_attention: MultiHeadAttention<M, H, D>,
    /// Around the attention.
    pub attention_residual: Residual<M>,
    /// Each position by itself.
    pub feed_forward: FeedForward<M, FFN>,
    /// Around the network.
    pub feed_forward_residual: Residual<M>,
}

parameters! {
    EncoderBlock<M, H, D, FFN> {
        self_attention, attention_residual, feed_forward, feed_forward_residual
    }
}
// ANCHOR_END: block

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    EncoderBlock<M, H, D, FFN>
{
    // ANCHOR: block_new
    /// Does not build unless H·D = M.
    pub fn new(dev: &Dev, dropout: f32, norm_position: NormPosition) -> Self {
        EncoderBlock {
            self_attention: MultiHeadAttention::new(dev, dropout),
            attention_residual: Residual::new(dev, dropout, norm_position),
            feed_forward: FeedForward::new(dev),
            feed_forward_residual: Residual::new(dev, dropout, norm_position),
        }
    }
    // ANCHOR_END: block_new

    // ANCHOR: block_forward
    /// (B, S, M) to the same shape, and the weights of the attention.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
        mask: &Mask<B, S, S>,
    ) -> AttentionOutput<Rank3<B, S, M>, Rank4<B, H, S, S>, T> {
        let (x, weights) = self.attention_residual.forward(x, |x| {
            let (keys, values) = (x.retaped(), x.retaped());
            let attended = self.self_attention.forward(x, keys, values, mask);
            (attended.output, attended.weights)
        });
        let (output, ()) = self
            .feed_forward_residual
            .forward(x, |x| (self.feed_forward.forward(x), ()));
        AttentionOutput { output, weights }
    }
    // ANCHOR_END: block_forward
}

// ANCHOR: encoder
/// The embedding, and blocks one after another.
#[derive(Clone, Debug)]
pub struct TransformerEncoder<
    const M: usize,
    const H: usize,
    const D: usize,
    const FFN: usize,
> {
    /// Of the tokens that are read.
    pub embedding: TokenEmbedding<M>,
    /// The layers.
    pub blocks: Vec<EncoderBlock<M, H, D, FFN>>,
    /// After the last block, if the blocks do not end in a normalisation.
    pub norm: Option<LayerNorm<M>>,
}

parameters! { TransformerEncoder<M, H, D, FFN> { embedding, blocks, norm } }
// ANCHOR_END: encoder

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    TransformerEncoder<M, H, D, FFN>
{
    // ANCHOR: encoder_new
    /// For a vocabulary of so many tokens.
    pub fn new(
        dev: &Dev,
        vocabulary: usize,
        layers: usize,
        dropout: f32,
        norm_position: NormPosition,
    ) -> Self {
        let block = |_| EncoderBlock::new(dev, dropout, norm_position);
        let pre = norm_position == NormPosition::Pre;
        TransformerEncoder {
            embedding: TokenEmbedding::new(dev, vocabulary, dropout),
            blocks: (0..layers).map(block).collect(),
            norm: pre.then(|| LayerNorm::new(dev)),
        }
    }
    // ANCHOR_END: encoder_new

    // ANCHOR: encoder_forward
    /// Rows (B, S, M) for S tokens of B sentences, and the weights of each layer.
    ///
    /// # Panics
    /// As [`TokenEmbedding::forward`].
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &[[usize; S]; B],
        mask: &Mask<B, S, S>,
        tape: T,
    ) -> (Tensor3<B, S, M, T>, Vec<Tensor4<B, H, S, S>>) {
        let mut x = self.embedding.forward(tokens, 0, tape);
        let mut weights = Vec::new();
        for block in &self.blocks {
            let after = block.forward(x, mask);
            x = after.output;
            weights.push(after.weights);
        }
        (finish(&self.norm, x), weights)
    }
    // ANCHOR_END: encoder_forward
}
