// ANCHOR: parts
//! Section 10.7, decoder alone: a language model whose parts are switched on one
//! after another, from a table of pairs to two blocks.

use crate::embedding::TokenEmbedding;
use crate::feed_forward::FeedForward;
use crate::language_model::{PART, inputs_and_labels, perplexity_of, train_on_stories};
use crate::norm::{LayerNorm, finish};
use crate::stories::{STEPS, Stories};
use ch10_2::parameters;
use ch10_3::{Mask, dropout};
use ch10_5::MultiHeadAttention;
use ch10_6::self_attention;
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor3};
use seq2seq::loss::masked_cross_entropy;

/// What a model has beside the vectors of its tokens, and attention.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts {
    /// Whether the encodings of the positions are added to the vectors.
    pub positions: bool,
    /// Whether a position attends to the tokens before it, too, and not only to its
    /// own.
    pub before: bool,
    /// Whether there is a feed-forward network after the attention.
    pub network: bool,
    /// Whether the input of a sublayer is added to its output.
    pub residual: bool,
    /// Whether the input of each sublayer is normalised, and the output.
    pub norm: bool,
    /// The number of blocks.
    pub layers: usize,
}
// ANCHOR_END: parts

// ANCHOR: parts_rows
/// A model of the table: its name, heads, and parts.
pub type Variant = (&'static str, usize, Parts);

/// Returns the models from a table of pairs to a Transformer, each with one part more.
pub fn variants() -> [Variant; 8] {
    let pairs = Parts { layers: 1, ..Parts::default() };
    let positions = Parts { positions: true, ..pairs };
    let attention = Parts { before: true, ..positions };
    let network = Parts { network: true, ..attention };
    let residual = Parts { residual: true, ..network };
    let norm = Parts { norm: true, ..residual };
    [
        ("pairs as vectors", 1, pairs),
        ("+ positions", 1, positions),
        ("+ one head", 1, attention),
        ("+ four heads", 4, attention),
        ("+ network", 4, network),
        ("+ residual", 4, residual),
        ("+ norm", 4, norm),
        ("+ second layer", 4, Parts { layers: 2, ..norm }),
    ]
}
// ANCHOR_END: parts_rows

// ANCHOR: parts_block
/// Width of the rows, as in the storyteller.
pub const M: usize = 64;
/// Width within the network.
pub const FFN: usize = 128;
/// Probability of dropout in embedding, attention and sublayers.
pub const DROPOUT: f32 = 0.2;

/// Attention, and whatever else is switched on in a block.
#[derive(Clone, Debug)]
pub struct PartsBlock<const H: usize, const D: usize> {
    attention_norm: Option<LayerNorm<M>>,
    /// Over the tokens that are switched on.
    pub attention: MultiHeadAttention<M, H, D>,
    network_norm: Option<LayerNorm<M>>,
    network: Option<FeedForward<M, FFN>>,
    residual: bool,
}

parameters! {
    PartsBlock<H, D> { attention, attention_norm, network, network_norm }
}

impl<const H: usize, const D: usize> PartsBlock<H, D> {
    fn new(dev: &Dev, parts: &Parts) -> Self {
        let norm = |on: bool| on.then(|| LayerNorm::new(dev));
        PartsBlock {
            attention_norm: norm(parts.norm),
            attention: MultiHeadAttention::new(dev, DROPOUT),
            network_norm: norm(parts.norm && parts.network),
            network: parts.network.then(|| FeedForward::new(dev)),
            residual: parts.residual,
        }
    }
    // ANCHOR_END: parts_block

    // ANCHOR: parts_block_forward
    fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
        mask: &Mask<B, S, S>,
    ) -> Tensor3<B, S, M, T> {
        let attend = |x| self_attention(&self.attention, x, mask).output;
        let x = self.sublayer(x, &self.attention_norm, attend);
        let Some(network) = &self.network else { return x };
        self.sublayer(x, &self.network_norm, |x| network.forward(x))
    }

    fn sublayer<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
        norm: &Option<LayerNorm<M>>,
        layer: impl FnOnce(Tensor3<B, S, M, T>) -> Tensor3<B, S, M, T>,
    ) -> Tensor3<B, S, M, T> {
        let (x, tape) = x.split_tape();
        let y = layer(finish(norm, x.clone().put_tape(tape)));
        let y = dropout(y, DROPOUT);
        if self.residual { y + x } else { y }
    }
    // ANCHOR_END: parts_block_forward
}

// ANCHOR: parts_model
/// A language model of the parts that are switched on.
#[derive(Clone, Debug)]
pub struct PartsModel<const H: usize, const D: usize> {
    /// Reads the tokens, and predicts them.
    pub embedding: TokenEmbedding<M>,
    /// One after another.
    pub blocks: Vec<PartsBlock<H, D>>,
    norm: Option<LayerNorm<M>>,
    b_out: kernels::Row,
    before: bool,
}

parameters! { PartsModel<H, D> { embedding, blocks, norm, b_out } }

impl<const H: usize, const D: usize> PartsModel<H, D> {
    /// Returns an untrained model for a vocabulary of so many tokens. Does not build
    /// unless H·D = M.
    pub fn new(dev: &Dev, vocabulary: usize, parts: &Parts) -> Self {
        let mut embedding = TokenEmbedding::new(dev, vocabulary, DROPOUT);
        if !parts.positions {
            embedding.positions.table = dev.zeros();
        }
        let block = |_| PartsBlock::new(dev, parts);
        PartsModel {
            embedding,
            blocks: (0..parts.layers).map(block).collect(),
            norm: parts.norm.then(|| LayerNorm::new(dev)),
            b_out: dev.zeros_like(&(vocabulary,)),
            before: parts.before,
        }
    }
    // ANCHOR_END: parts_model

    // ANCHOR: parts_forward
    /// Returns rows for the tokens of B texts, of which the first `lens` count.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &[[usize; S]; B],
        lens: &[usize; B],
        tape: T,
    ) -> Tensor3<B, S, M, T> {
        let seen = |q, k| k == q || self.before && k < q;
        let mask = Mask::from_fn(|b, q, k| q < lens[b] && seen(q, k));
        let x = self.embedding.forward(tokens, 0, tape);
        let x = self.blocks.iter().fold(x, |x, block| block.forward(x, &mask));
        finish(&self.norm, x)
    }
    // ANCHOR_END: parts_forward

    // ANCHOR: parts_loss
    /// Returns for each text the sum of -ln p over its tokens, in nats. A text of
    /// more than S tokens is cut off.
    ///
    /// # Panics
    /// If there are more than B texts.
    pub fn loss<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        texts: &[impl AsRef<[usize]>],
        tape: T,
    ) -> Tensor1<B, T> {
        let (inputs, labels, lens) = inputs_and_labels::<B, S>(texts);
        let rows = self.forward(&inputs, &lens, tape);
        let vectors = &self.embedding.vectors;
        masked_cross_entropy(rows, vectors, &self.b_out, &labels, &lens) * S as f32
    }

    /// Returns the perplexity of stories.
    ///
    /// # Panics
    /// If a story has more than [`STEPS`] tokens.
    pub fn perplexity(&self, stories: &[Vec<usize>]) -> f64 {
        let loss = |text: &[usize]| self.loss::<1, STEPS, _>(&[text], NoneTape);
        perplexity_of::<STEPS>(stories, loss)
    }
    // ANCHOR_END: parts_loss

    // ANCHOR: parts_train
    /// Trains a model on the stories, as
    /// [`train_storyteller`](crate::language_model::train_storyteller) does.
    ///
    /// # Panics
    /// If there is no story to learn from.
    pub fn trained(
        stories: &Stories,
        parts: &Parts,
        (steps, lr): (usize, f32),
        seed: u64,
        on_step: impl FnMut(usize, f32, usize, &Self),
    ) -> Self {
        let new = |dev: &Dev| Self::new(dev, stories.vocab_size(), parts);
        let loss = |model: &Self, part: &[&[usize]]| {
            model.loss::<PART, STEPS, _>(part, OwnedTape::default()).sum()
        };
        train_on_stories(stories, (steps, lr), seed, new, loss, on_step)
    }
    // ANCHOR_END: parts_train
}
