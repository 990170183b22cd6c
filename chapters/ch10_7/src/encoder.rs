// ANCHOR: encoder_header
//! Section 10.7, the encoder: it reads a sentence, all positions at once.

use crate::attention::{Attention, attend, see};
use crate::feed_forward::PositionWiseFfn;
use crate::norm::{AddNorm, LayerNorm, NormAt};
use crate::ops;
use crate::parameters::{first_attention, first_vectors, of_attention};
use ch10_1::Dev;
use ch10_3::{Attended, ValidLens};
use ch10_6::PositionalEncoding;
use dfdx::prelude::*;
use seq2seq::parameters::{Named, Parameters, within};
use seq2seq::words::Embedding;
// ANCHOR_END: encoder_header

// ANCHOR: encoder_block
/// Self-attention, then the network, each with its residual connection.
#[derive(Clone, Debug)]
pub struct EncoderBlock<
    const M: usize,
    const H: usize,
    const D: usize,
    const FFN: usize,
> {
    /// Each position looks at all of them.
    pub attention: Attention<M, H, D>,
    /// Around the attention.
    pub around_attention: AddNorm<M>,
    /// Each position by itself.
    pub ffn: PositionWiseFfn<M, FFN, M>,
    /// Around the network.
    pub around_ffn: AddNorm<M>,
}
// ANCHOR_END: encoder_block

// ANCHOR: encoder_block_impl
impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    EncoderBlock<M, H, D, FFN>
{
    /// As training starts from it. Does not build unless H·D = M.
    pub fn new(dev: &Dev, dropout: f32, at: NormAt) -> Self {
        EncoderBlock {
            attention: first_attention(dev, dropout),
            around_attention: AddNorm::new(dev, dropout, at),
            ffn: PositionWiseFfn::new(dev),
            around_ffn: AddNorm::new(dev, dropout, at),
        }
    }

    /// (B, S, M) to the same shape, and the weights of the attention.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<B, S, M>, f32, Dev, T>,
        lens: &ValidLens<B, S>,
    ) -> Attended<Rank3<B, S, M>, Rank4<B, H, S, S>, T> {
        let (x, tape) = x.split_tape();
        let read = self.around_attention.before(x.clone().put_tape(tape));
        let seen = see(&self.attention, read.retaped::<T>());
        let found = attend(&self.attention, read, seen, lens);
        let y = self.around_attention.after(x, found.output);
        let (y, tape) = y.split_tape();
        let read = self.around_ffn.before(y.clone().put_tape(tape));
        let output = self.around_ffn.after(y, self.ffn.forward(read));
        Attended { output, weights: found.weights }
    }
}
// ANCHOR_END: encoder_block_impl

// ANCHOR: encoder
/// Positions that a model knows.
pub const MAX: usize = 1000;

/// The encoding of positions in a model of width M.
pub type Positions<const M: usize> = PositionalEncoding<MAX, M>;

/// The vectors of words with their positions, and blocks one after another.
#[derive(Clone, Debug)]
pub struct TransformerEncoder<
    const M: usize,
    const H: usize,
    const D: usize,
    const FFN: usize,
> {
    /// The vectors of the words that are read.
    pub embedding: Embedding<M>,
    /// What tells one position from another.
    pub positions: Positions<M>,
    /// Its layers.
    pub blocks: Vec<EncoderBlock<M, H, D, FFN>>,
    /// After the last block, if the blocks do not end in a normalisation.
    pub last: Option<LayerNorm<M>>,
}

/// What was read, and the weights of each layer.
pub type Read<
    const B: usize,
    const S: usize,
    const M: usize,
    const H: usize,
    T = NoneTape,
> = (Tensor<Rank3<B, S, M>, f32, Dev, T>, Vec<Tensor<Rank4<B, H, S, S>, f32, Dev>>);
// ANCHOR_END: encoder

// ANCHOR: encoder_impl
impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    TransformerEncoder<M, H, D, FFN>
{
    /// As training starts from it, for a vocabulary of so many `words`.
    pub fn new(
        dev: &Dev,
        words: usize,
        layers: usize,
        dropout: f32,
        at: NormAt,
    ) -> Self {
        let block = |_| EncoderBlock::new(dev, dropout, at);
        TransformerEncoder {
            embedding: first_vectors(dev, words),
            positions: PositionalEncoding::new(dev, dropout),
            blocks: (0..layers).map(block).collect(),
            last: (at == NormAt::Pre).then(|| LayerNorm::new(dev)),
        }
    }

    /// Reads sentences. Of each only the first `lens` tokens are looked at.
    ///
    /// # Panics
    /// A token is not in the vocabulary; S is more than [`MAX`].
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &[[usize; S]; B],
        lens: &[usize; B],
        tape: T,
    ) -> Read<B, S, M, H, T> {
        let lens = ValidLens::PerExample(*lens);
        let mut x = ops::embed(tokens, &self.embedding, &self.positions, 0, tape);
        let mut weights = Vec::new();
        for block in &self.blocks {
            let after = block.forward(x, &lens);
            x = after.output;
            weights.push(after.weights);
        }
        if let Some(norm) = &self.last {
            x = norm.forward(x);
        }
        (x, weights)
    }
}
// ANCHOR_END: encoder_impl

// ANCHOR: encoder_parameters
impl<const M: usize, const H: usize, const D: usize, const FFN: usize> Parameters
    for EncoderBlock<M, H, D, FFN>
{
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("attention", of_attention(&mut self.attention));
        let around = &mut self.around_attention;
        all.extend(within("around_attention", around.parameters()));
        all.extend(within("ffn", self.ffn.parameters()));
        all.extend(within("around_ffn", self.around_ffn.parameters()));
        all
    }
}

impl<const M: usize, const H: usize, const D: usize, const FFN: usize> Parameters
    for TransformerEncoder<M, H, D, FFN>
{
    fn parameters(&mut self) -> Named<'_> {
        let mut all: Named = vec![("embedding".into(), &mut self.embedding)];
        for (layer, block) in self.blocks.iter_mut().enumerate() {
            all.extend(within(&format!("block_{layer}"), block.parameters()));
        }
        if let Some(norm) = &mut self.last {
            all.extend(within("last", norm.parameters()));
        }
        all
    }
}
// ANCHOR_END: encoder_parameters
