// ANCHOR: block
//! Section 10.7, the decoder: it writes a sentence, attending to what it has
//! written itself and to what the encoder made of the sentence read.

use crate::embedding::TokenEmbedding;
use crate::feed_forward::FeedForward;
use crate::norm::{LayerNorm, NormPosition, Residual, finish};
use ch10_2::parameters;
use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};
use seq2seq::loss::OutputLayer;

/// Masked self-attention, attention to the encoder's rows (cross-attention),
/// then the feed-forward network, each in a residual connection.
#[derive(Clone, Debug)]
pub struct DecoderBlock<
    const M: usize,
    const H: usize,
    const D: usize,
    const FFN: usize,
> {
    /// Each position attends to those before it and to itself.
    pub self_attention: MultiHeadAttention<M, H, D>,
    /// Around the self-attention.
    pub attention_residual: Residual<M>,
    /// Each position attends to the encoder's rows.
    pub cross_attention: MultiHeadAttention<M, H, D>,
    /// Around the cross-attention.
    pub cross_residual: Residual<M>,
    /// Each position by itself.
    pub feed_forward: FeedForward<M, FFN>,
    /// Around the network.
    pub feed_forward_residual: Residual<M>,
}

parameters! {
    DecoderBlock<M, H, D, FFN> {
        self_attention, attention_residual, cross_attention, cross_residual,
        feed_forward, feed_forward_residual
    }
}
// ANCHOR_END: block

// ANCHOR: block_weights
/// The weights of the two attentions of a block: over P positions written and
/// over K positions read.
#[derive(Clone, Debug)]
pub struct DecoderAttentionWeights<
    const B: usize,
    const H: usize,
    const Q: usize,
    const P: usize,
    const K: usize,
> {
    /// Of the self-attention.
    pub self_attention: Tensor4<B, H, Q, P>,
    /// Of the cross-attention.
    pub cross_attention: Tensor4<B, H, Q, K>,
}
// ANCHOR_END: block_weights

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    DecoderBlock<M, H, D, FFN>
{
    // ANCHOR: block_new
    /// Does not build unless H·D = M.
    pub fn new(dev: &Dev, dropout: f32, norm_position: NormPosition) -> Self {
        let residual = || Residual::new(dev, dropout, norm_position);
        DecoderBlock {
            self_attention: MultiHeadAttention::new(dev, dropout),
            attention_residual: residual(),
            cross_attention: MultiHeadAttention::new(dev, dropout),
            cross_residual: residual(),
            feed_forward: FeedForward::new(dev),
            feed_forward_residual: residual(),
        }
    }
    // ANCHOR_END: block_new

    // ANCHOR: block_forward
    /// (B, Q, M) to the same shape, and the weights. `memory` are the encoder's
    /// rows.
    pub fn forward<const B: usize, const Q: usize, const K: usize, T>(
        &self,
        x: Tensor3<B, Q, M, T>,
        mask: &Mask<B, Q, Q>,
        memory: &Tensor3<B, K, M>,
        memory_mask: &Mask<B, Q, K>,
    ) -> (Tensor3<B, Q, M, T>, DecoderAttentionWeights<B, H, Q, Q, K>)
    where
        T: Tape<f32, Dev>,
    {
        let (x, self_attention) = self.attention_residual.forward(x, |x| {
            let (keys, values) = (x.retaped(), x.retaped());
            let attended = self.self_attention.forward(x, keys, values, mask);
            (attended.output, attended.weights)
        });
        let (x, cross_attention) = self.cross_residual.forward(x, |x| {
            let (keys, values) = (memory.retaped(), memory.retaped());
            let attended = self.cross_attention.forward(x, keys, values, memory_mask);
            (attended.output, attended.weights)
        });
        let (x, ()) = self
            .feed_forward_residual
            .forward(x, |x| (self.feed_forward.forward(x), ()));
        (x, DecoderAttentionWeights { self_attention, cross_attention })
    }
    // ANCHOR_END: block_forward
}

// ANCHOR: decoder
/// The embedding, blocks one after another, and the output layer.
#[derive(Clone, Debug)]
pub struct TransformerDecoder<
    const M: usize,
    const H: usize,
    const D: usize,
    const FFN: usize,
> {
    /// Of the tokens that are written.
    pub embedding: TokenEmbedding<M>,
    /// The layers.
    pub blocks: Vec<DecoderBlock<M, H, D, FFN>>,
    /// After the last block, if the blocks do not end in a normalisation.
    pub norm: Option<LayerNorm<M>>,
    /// From a row to the logits of the vocabulary.
    pub output: OutputLayer<M>,
}

parameters! { TransformerDecoder<M, H, D, FFN> { embedding, blocks, norm, output } }
// ANCHOR_END: decoder

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    TransformerDecoder<M, H, D, FFN>
{
    // ANCHOR: decoder_new
    /// For a vocabulary of so many tokens.
    pub fn new(
        dev: &Dev,
        vocabulary: usize,
        layers: usize,
        dropout: f32,
        norm_position: NormPosition,
    ) -> Self {
        let block = |_| DecoderBlock::new(dev, dropout, norm_position);
        let pre = norm_position == NormPosition::Pre;
        TransformerDecoder {
            embedding: TokenEmbedding::new(dev, vocabulary, dropout),
            blocks: (0..layers).map(block).collect(),
            norm: pre.then(|| LayerNorm::new(dev)),
            output: OutputLayer::new(dev, vocabulary),
        }
    }
    // ANCHOR_END: decoder_new

    // ANCHOR: decoder_forward
    /// Rows (B, Q, M) for Q tokens, and the weights of each layer. `memory` are
    /// the encoder's rows.
    ///
    /// # Panics
    /// As [`TokenEmbedding::forward`].
    pub fn forward<
        const B: usize,
        const Q: usize,
        const K: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        tokens: &[[usize; Q]; B],
        mask: &Mask<B, Q, Q>,
        memory: Tensor3<B, K, M, T>,
        memory_mask: &Mask<B, Q, K>,
    ) -> (Tensor3<B, Q, M, T>, Vec<DecoderAttentionWeights<B, H, Q, Q, K>>) {
        let (memory, tape) = memory.split_tape();
        let mut x = self.embedding.forward(tokens, 0, tape);
        let mut weights = Vec::new();
        for block in &self.blocks {
            let (after, attention) = block.forward(x, mask, &memory, memory_mask);
            x = after;
            weights.push(attention);
        }
        (finish(&self.norm, x), weights)
    }
    // ANCHOR_END: decoder_forward
}
