// ANCHOR: decoder_header
//! Section 10.7, the decoder: it writes a sentence, looking at what it has
//! written itself and at what the encoder has read.

use crate::attention::{Attention, Seen, attend, see};
use crate::encoder::Positions;
use crate::feed_forward::PositionWiseFfn;
use crate::norm::{AddNorm, LayerNorm, NormAt};
use crate::ops;
use crate::parameters::{first_attention, first_vectors, of_attention};
use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_6::PositionalEncoding;
use dfdx::prelude::*;
use seq2seq::loss::Words;
use seq2seq::parameters::{Named, Parameters, within};
use seq2seq::words::Embedding;
// ANCHOR_END: decoder_header

// ANCHOR: causal
/// One mask for padding and for the future: position q may look at positions
/// 0 to q, and one that is no longer among the first `lens` of its example at
/// none.
pub fn causal<const B: usize, const Q: usize>(lens: &[usize; B]) -> ValidLens<B, Q> {
    let row = |len: usize| std::array::from_fn(|q| if q < len { q + 1 } else { 0 });
    ValidLens::PerQuery(lens.map(row))
}
// ANCHOR_END: causal

// ANCHOR: decoder_block
/// Self-attention, attention to what was read, then the network, each with
/// its residual connection.
#[derive(Clone, Debug)]
pub struct DecoderBlock<
    const M: usize,
    const H: usize,
    const D: usize,
    const FFN: usize,
> {
    /// Each position looks at those before it and at itself.
    pub self_attention: Attention<M, H, D>,
    /// Around it.
    pub around_self: AddNorm<M>,
    /// Each position looks at what the encoder has read.
    pub cross_attention: Attention<M, H, D>,
    /// Around it.
    pub around_cross: AddNorm<M>,
    /// Each position by itself.
    pub ffn: PositionWiseFfn<M, FFN, M>,
    /// Around the network.
    pub around_ffn: AddNorm<M>,
}

/// The weights of the two attentions of a block: of the positions P written,
/// and of the positions K read.
#[derive(Clone, Debug)]
pub struct Looks<
    const B: usize,
    const H: usize,
    const Q: usize,
    const P: usize,
    const K: usize,
> {
    /// Of the self-attention: (B, H, Q, P).
    pub written: Tensor<Rank4<B, H, Q, P>, f32, Dev>,
    /// Of the attention to what was read: (B, H, Q, K).
    pub read: Tensor<Rank4<B, H, Q, K>, f32, Dev>,
}
// ANCHOR_END: decoder_block

// ANCHOR: masked_seen
/// What an attention looks at, and how much of it counts.
pub struct Masked<
    const B: usize,
    const Q: usize,
    const K: usize,
    const M: usize,
    T = NoneTape,
> {
    /// Its keys and values.
    pub seen: Seen<B, K, M, T>,
    /// How many of them, for each query.
    pub lens: ValidLens<B, Q>,
}
// ANCHOR_END: masked_seen

// ANCHOR: decoder_block_impl
impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    DecoderBlock<M, H, D, FFN>
{
    /// As training starts from it. Does not build unless H·D = M.
    pub fn new(dev: &Dev, dropout: f32, at: NormAt) -> Self {
        DecoderBlock {
            self_attention: first_attention(dev, dropout),
            around_self: AddNorm::new(dev, dropout, at),
            cross_attention: first_attention(dev, dropout),
            around_cross: AddNorm::new(dev, dropout, at),
            ffn: PositionWiseFfn::new(dev),
            around_ffn: AddNorm::new(dev, dropout, at),
        }
    }

    /// (B, Q, M) to the same shape, and the weights. `written` turns the keys
    /// and values of the Q positions into those of all P that were written so
    /// far; `read` is what the encoder has read.
    pub fn forward<
        const B: usize,
        const Q: usize,
        const P: usize,
        const K: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        x: Tensor<Rank3<B, Q, M>, f32, Dev, T>,
        written: impl FnOnce(Seen<B, Q, M, T>) -> Masked<B, Q, P, M, T>,
        read: Masked<B, Q, K, M, T>,
    ) -> (Tensor<Rank3<B, Q, M>, f32, Dev, T>, Looks<B, H, Q, P, K>) {
        let (x, tape) = x.split_tape();
        let query = self.around_self.before(x.clone().put_tape(tape));
        let own = written(see(&self.self_attention, query.retaped::<T>()));
        let own = attend(&self.self_attention, query, own.seen, &own.lens);
        let y = self.around_self.after(x, own.output);

        let (y, tape) = y.split_tape();
        let query = self.around_cross.before(y.clone().put_tape(tape));
        let there = attend(&self.cross_attention, query, read.seen, &read.lens);
        let z = self.around_cross.after(y, there.output);

        let (z, tape) = z.split_tape();
        let row = self.around_ffn.before(z.clone().put_tape(tape));
        let output = self.around_ffn.after(z, self.ffn.forward(row));
        (output, Looks { written: own.weights, read: there.weights })
    }
}
// ANCHOR_END: decoder_block_impl

// ANCHOR: decoder
/// The vectors of words with their positions, blocks one after another, and
/// a row of logits for each position.
#[derive(Clone, Debug)]
pub struct TransformerDecoder<
    const M: usize,
    const H: usize,
    const D: usize,
    const FFN: usize,
> {
    /// The vectors of the words that are written.
    pub embedding: Embedding<M>,
    /// What tells one position from another.
    pub positions: Positions<M>,
    /// Its layers.
    pub blocks: Vec<DecoderBlock<M, H, D, FFN>>,
    /// After the last block, if the blocks do not end in a normalisation.
    pub last: Option<LayerNorm<M>>,
    /// From the last row of a position to the logits of the words.
    pub w_out: Tensor<(usize, Const<M>), f32, Dev>,
    /// Added to them.
    pub b_out: Tensor<(usize,), f32, Dev>,
}

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    TransformerDecoder<M, H, D, FFN>
{
    /// As training starts from it, for a vocabulary of so many `words`.
    pub fn new(
        dev: &Dev,
        words: usize,
        layers: usize,
        dropout: f32,
        at: NormAt,
    ) -> Self {
        let out = seq2seq::gru::xavier(M, words);
        let out = rand_distr::Uniform::new(-out, out);
        let block = |_| DecoderBlock::new(dev, dropout, at);
        TransformerDecoder {
            embedding: first_vectors(dev, words),
            positions: PositionalEncoding::new(dev, dropout),
            blocks: (0..layers).map(block).collect(),
            last: (at == NormAt::Pre).then(|| LayerNorm::new(dev)),
            w_out: dev.sample_like(&(words, Const), out),
            b_out: dev.zeros_like(&(words,)),
        }
    }

    /// What turns a row into logits.
    pub fn words(&self) -> Words<'_, M> {
        (&self.w_out, &self.b_out)
    }
}
// ANCHOR_END: decoder

// ANCHOR: decoder_forward
/// Rows of the last layer, and the weights of each layer.
pub type Written<
    const B: usize,
    const H: usize,
    const Q: usize,
    const P: usize,
    const K: usize,
    const M: usize,
    T = NoneTape,
> = (Tensor<Rank3<B, Q, M>, f32, Dev, T>, Vec<Looks<B, H, Q, P, K>>);

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    TransformerDecoder<M, H, D, FFN>
{
    /// All positions at once, of which the first `lens` of each example
    /// count, after what was `read`, of which the first `read_lens` do.
    ///
    /// # Panics
    /// A token is not in the vocabulary; Q is more than
    /// [`MAX`](crate::encoder::MAX).
    pub fn forward<
        const B: usize,
        const Q: usize,
        const K: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        tokens: &[[usize; Q]; B],
        lens: &[usize; B],
        read: Tensor<Rank3<B, K, M>, f32, Dev, T>,
        read_lens: &[usize; B],
    ) -> Written<B, H, Q, Q, K, M, T> {
        let (read, tape) = read.split_tape();
        let mut x = ops::embed(tokens, &self.embedding, &self.positions, 0, tape);
        let mut weights = Vec::new();
        for block in &self.blocks {
            let there = Masked {
                seen: see(&block.cross_attention, read.retaped::<T>()),
                lens: ValidLens::PerExample(*read_lens),
            };
            let own = |seen| Masked { seen, lens: causal(lens) };
            let (after, looks) = block.forward(x, own, there);
            x = after;
            weights.push(looks);
        }
        (self.finish(x), weights)
    }

    pub(crate) fn finish<const B: usize, const Q: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<B, Q, M>, f32, Dev, T>,
    ) -> Tensor<Rank3<B, Q, M>, f32, Dev, T> {
        match &self.last {
            Some(norm) => norm.forward(x),
            None => x,
        }
    }
}
// ANCHOR_END: decoder_forward

// ANCHOR: decoder_parameters
impl<const M: usize, const H: usize, const D: usize, const FFN: usize> Parameters
    for DecoderBlock<M, H, D, FFN>
{
    fn parameters(&mut self) -> Named<'_> {
        let own = of_attention(&mut self.self_attention);
        let mut all = within("self_attention", own);
        all.extend(within("around_self", self.around_self.parameters()));
        let there = of_attention(&mut self.cross_attention);
        all.extend(within("cross_attention", there));
        all.extend(within("around_cross", self.around_cross.parameters()));
        all.extend(within("ffn", self.ffn.parameters()));
        all.extend(within("around_ffn", self.around_ffn.parameters()));
        all
    }
}

impl<const M: usize, const H: usize, const D: usize, const FFN: usize> Parameters
    for TransformerDecoder<M, H, D, FFN>
{
    fn parameters(&mut self) -> Named<'_> {
        let mut all: Named = vec![("embedding".into(), &mut self.embedding)];
        for (layer, block) in self.blocks.iter_mut().enumerate() {
            all.extend(within(&format!("block_{layer}"), block.parameters()));
        }
        if let Some(norm) = &mut self.last {
            all.extend(within("last", norm.parameters()));
        }
        all.push(("w_out".into(), &mut self.w_out));
        all.push(("b_out".into(), &mut self.b_out));
        all
    }
}
// ANCHOR_END: decoder_parameters
