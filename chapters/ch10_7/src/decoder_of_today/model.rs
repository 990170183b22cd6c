// ANCHOR: header
//! The language model with blocks of today.

use super::block::{Norm, Parts, TodayBlock};
use crate::embedding::TokenEmbedding;
use crate::language_model::{
    PART, Setting, inputs_and_labels, perplexity_of, train_on_stories,
};
use crate::stories::{STEPS, Stories};
use ch10_2::parameters;
use ch10_3::Mask;
use dfdx::prelude::*;
use kernels::{Dev, Row, Tensor1, Tensor3};
use seq2seq::loss::masked_cross_entropy;
// ANCHOR_END: header

// ANCHOR: today_decoder
/// A causal stack of blocks: at each position of a text a probability for each
/// token that may come next. A token is read and predicted by one vector.
#[derive(Clone, Debug)]
pub struct TodayDecoder<
    const M: usize,
    const H: usize,
    const KV: usize,
    const D: usize,
    const FFN: usize,
> {
    /// Reads the tokens, and predicts them.
    pub embedding: TokenEmbedding<M>,
    /// One after another.
    pub blocks: Vec<TodayBlock<M, H, KV, D, FFN>>,
    /// After the last block.
    pub norm: Norm<M>,
    /// Added to the logits of the tokens.
    pub b_out: Row,
    /// As in [`Parts`].
    pub window: usize,
}

parameters! { TodayDecoder<M, H, KV, D, FFN> { embedding, blocks, norm, b_out } }
// ANCHOR_END: today_decoder

impl<const M: usize, const H: usize, const KV: usize, const D: usize, const FFN: usize>
    TodayDecoder<M, H, KV, D, FFN>
{
    // ANCHOR: today_decoder_new
    /// Returns an untrained model for a vocabulary of so many tokens.
    pub fn new(
        dev: &Dev,
        vocabulary: usize,
        layers: usize,
        dropout: f32,
        parts: &Parts,
    ) -> Self {
        let mut embedding = TokenEmbedding::new(dev, vocabulary, dropout);
        if parts.rotary {
            embedding.positions.table = dev.zeros();
        }
        TodayDecoder {
            embedding,
            blocks: (0..layers).map(|_| TodayBlock::new(dev, dropout, parts)).collect(),
            norm: Norm::new(dev, parts),
            b_out: dev.zeros_like(&(vocabulary,)),
            window: parts.window,
        }
    }
    // ANCHOR_END: today_decoder_new

    // ANCHOR: today_decoder_forward
    /// Returns rows for the tokens of B texts, of which the first `lens` count.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &[[usize; S]; B],
        lens: &[usize; B],
        tape: T,
    ) -> Tensor3<B, S, M, T> {
        let near = |q, k| k <= q && q - k < self.window;
        let mask = if self.window >= S {
            Mask::causal_within(*lens)
        } else {
            Mask::from_fn(|b, q, k| q < lens[b] && near(q, k))
        };
        let mut x = self.embedding.forward(tokens, 0, tape);
        for block in &self.blocks {
            x = block.forward(x, |x| block.attention.forward(x, &mask));
        }
        self.norm.forward(x)
    }
    // ANCHOR_END: today_decoder_forward

    // ANCHOR: today_decoder_loss
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
    // ANCHOR_END: today_decoder_loss
}

// ANCHOR: train_decoder
/// Trains a decoder of two blocks on the stories, as
/// [`train_storyteller`](crate::language_model::train_storyteller) does. A position
/// attends to the tokens that both the window and `setting.reach` allow.
///
/// # Panics
/// If there is no story to learn from.
pub fn train_decoder<const KV: usize, const FFN: usize>(
    stories: &Stories,
    parts: &Parts,
    setting: &Setting,
    seed: u64,
    on_step: impl FnMut(usize, f32, usize, &TodayDecoder<64, 4, KV, 16, FFN>),
) -> TodayDecoder<64, 4, KV, 16, FFN> {
    let Setting { steps, lr, dropout, reach } = *setting;
    let parts = Parts { window: parts.window.min(reach), ..*parts };
    let model =
        |dev: &Dev| TodayDecoder::new(dev, stories.vocab_size(), 2, dropout, &parts);
    let loss = |model: &TodayDecoder<64, 4, KV, 16, FFN>, part: &[&[usize]]| {
        model.loss::<PART, STEPS, _>(part, OwnedTape::default()).sum()
    };
    train_on_stories(stories, (steps, lr), seed, model, loss, on_step)
}
// ANCHOR_END: train_decoder
