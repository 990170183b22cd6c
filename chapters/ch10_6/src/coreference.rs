// ANCHOR: header
//! Section 10.6, what "it" refers to: a model of two layers of self-attention
//! that answers with a word of the sentence.

use crate::encoding::PositionalEncoding;
use crate::self_attention::self_attention;
use ch10_2::parameters;
use ch10_3::{AttentionOutput, Linear, Mask, xavier_uniform};
use ch10_5::{KeyValues, MultiHeadAttention};
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3, Tensor4};
// ANCHOR_END: header

// ANCHOR: model
/// Width of the model.
pub const WIDTH: usize = 32;
/// Heads of each layer.
pub const HEADS: usize = 2;

/// Embedded words with their positions, two layers of attention, and a linear
/// layer that scores each of V words as the one that "it" refers to. Sentences
/// have room for S words.
#[derive(Clone, Debug)]
pub struct CoreferenceModel<const V: usize, const S: usize> {
    /// A row for each word: (V, WIDTH).
    pub embedding: Tensor2<V, WIDTH>,
    /// Added to the rows; without it the model does not know the order.
    pub positions: Option<PositionalEncoding<S, WIDTH>>,
    /// Every word attends to every word.
    pub first: MultiHeadAttention<WIDTH, HEADS, 16>,
    /// "it" attends to every word.
    pub second: MultiHeadAttention<WIDTH, HEADS, 16>,
    /// From the row of "it" to a score for each word.
    pub output: Linear<WIDTH, V>,
}

parameters! { CoreferenceModel<V, S> { embedding, first, second, output } }
// ANCHOR_END: model

// ANCHOR: tokens
/// B sentences of at most S words: token ids, numbers of words, and where
/// "it" stands in each.
#[derive(Clone, Debug)]
pub struct Tokens<const B: usize, const S: usize> {
    /// The words; anything after the end.
    pub ids: [[usize; S]; B],
    /// Words of each sentence.
    pub lens: [usize; B],
    /// The position of "it".
    pub it: [usize; B],
}
// ANCHOR_END: tokens

// ANCHOR: masks
/// Which words each word may attend to in the first layer, and "it" in the
/// second.
#[derive(Clone, Debug)]
pub struct Masks<const B: usize, const S: usize> {
    /// For every word.
    pub first: Mask<B, S, S>,
    /// For "it".
    pub second: Mask<B, 1, S>,
}

impl<const B: usize, const S: usize> Masks<B, S> {
    /// All words of a sentence, and no padding.
    pub fn new(lens: [usize; B]) -> Self {
        Masks { first: Mask::valid_lens(lens), second: Mask::valid_lens(lens) }
    }
}
// ANCHOR_END: masks

// ANCHOR: output
/// What the model makes of B sentences.
pub struct CoreferenceOutput<
    const B: usize,
    const V: usize,
    const S: usize,
    T = NoneTape,
> {
    /// A score for each word of the vocabulary.
    pub logits: Tensor3<B, 1, V, T>,
    /// The weights of the first layer.
    pub first: Tensor4<B, HEADS, S, S>,
    /// The weights of the second layer.
    pub second: Tensor4<B, HEADS, 1, S>,
}
// ANCHOR_END: output

impl<const V: usize, const S: usize> CoreferenceModel<V, S> {
    // ANCHOR: model_new
    /// Weights by [`xavier_uniform`], biases 0; with positions or without.
    pub fn new(dev: &Dev, positions: bool) -> Self {
        Self {
            embedding: xavier_uniform(dev, V, WIDTH),
            positions: positions.then(|| PositionalEncoding::new(dev, 0.0)),
            first: MultiHeadAttention::new(dev, 0.0),
            second: MultiHeadAttention::new(dev, 0.0),
            output: Linear::with_bias(dev),
        }
    }
    // ANCHOR_END: model_new

    // ANCHOR: first_layer
    /// The first layer: each word adds to itself what it finds.
    fn first_layer<const B: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &Tokens<B, S>,
        mask: &Mask<B, S, S>,
        tape: T,
    ) -> AttentionOutput<Rank3<B, S, WIDTH>, Rank4<B, HEADS, S, S>, T> {
        let ids = self.embedding.device().tensor(tokens.ids);
        let words: Tensor3<B, S, WIDTH, T> =
            self.embedding.clone().put_tape(tape).gather(ids);
        let words = words * (WIDTH as f32).sqrt();
        let x = match &self.positions {
            Some(positions) => positions.forward(words),
            None => words,
        };
        let input = x.retaped::<T>();
        let found = self_attention(&self.first, x, mask);
        AttentionOutput { output: found.output + input, ..found }
    }
    // ANCHOR_END: first_layer

    // ANCHOR: second_layer
    /// The second layer: only "it" asks, (B, 1, WIDTH), and its row gives the
    /// scores.
    fn second_layer<const B: usize, T: Tape<f32, Dev>>(
        &self,
        it: Tensor3<B, 1, WIDTH, T>,
        words: KeyValues<B, S, WIDTH, T>,
        mask: &Mask<B, 1, S>,
    ) -> AttentionOutput<Rank3<B, 1, V>, Rank4<B, HEADS, 1, S>, T> {
        let input = it.retaped::<T>();
        let found = self.second.attend(it, words, mask);
        let output = self.output.forward(found.output + input);
        AttentionOutput { output, weights: found.weights }
    }
    // ANCHOR_END: second_layer

    // ANCHOR: model_forward
    /// The scores, and both layers' weights.
    pub fn forward<const B: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &Tokens<B, S>,
        masks: &Masks<B, S>,
        tape: T,
    ) -> CoreferenceOutput<B, V, S, T> {
        self.forward_with(tokens, masks, tape, |words| words)
    }

    /// The same, with keys and values of the second layer changed on the way.
    pub fn forward_with<const B: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &Tokens<B, S>,
        masks: &Masks<B, S>,
        tape: T,
        change: impl FnOnce(KeyValues<B, S, WIDTH, T>) -> KeyValues<B, S, WIDTH, T>,
    ) -> CoreferenceOutput<B, V, S, T> {
        let first = self.first_layer(tokens, &masks.first, tape);
        let rows = first.output;
        let words = self.second.project_kv(rows.retaped::<T>(), rows.retaped::<T>());
        let it: Tensor2<B, WIDTH, T> =
            rows.select(self.embedding.device().tensor(tokens.it));
        let second = self.second_layer(it.reshape(), change(words), &masks.second);
        CoreferenceOutput {
            logits: second.output,
            first: first.weights,
            second: second.weights,
        }
    }
    // ANCHOR_END: model_forward
}
