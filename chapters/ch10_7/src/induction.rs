// ANCHOR: sequences
//! Section 10.7, a head that copies: attention and nothing else, on sequences
//! that repeat.

use crate::embedding::TokenEmbedding;
use crate::norm::{LayerNorm, NormPosition, Residual};
use crate::training::train_steps;
use ch10_2::parameters;
use ch10_3::{AttentionOutput, Mask};
use ch10_5::MultiHeadAttention;
use ch10_6::self_attention;
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3, Tensor4};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use seq2seq::greedy::argmax;
use seq2seq::loss::{OutputLayer, cross_entropy};
use seq2seq::train::{Loss, WORKERS};
use std::ops::Range;

/// Size of the vocabulary: the letters from a to z.
pub const TOKENS: usize = 26;
/// Tokens of a sequence.
pub const LEN: usize = 32;
/// The shortest period of the training, and the longest.
pub const PERIODS: [usize; 2] = [6, 15];

/// Tokens that come again and again in the same order.
#[derive(Clone, Debug)]
pub struct Repetition<const S: usize> {
    /// What is read.
    pub tokens: [usize; S],
    /// After each of them, what comes next.
    pub next: [usize; S],
    /// The number of tokens after which they begin again.
    pub period: usize,
}
// ANCHOR_END: sequences

impl<const S: usize> Repetition<S> {
    // ANCHOR: with_period
    /// Draws `period` different tokens, and repeats them.
    ///
    /// # Panics
    /// If the period is 0 or above [`TOKENS`].
    pub fn random_with_period(period: usize, rng: &mut impl Rng) -> Self {
        assert!((1..=TOKENS).contains(&period), "period {period}");
        let mut drawn: [usize; TOKENS] = std::array::from_fn(|token| token);
        drawn.shuffle(rng);
        let token = |i: usize| drawn[i % period];
        let next = std::array::from_fn(|i| token(i + 1));
        Repetition { tokens: std::array::from_fn(token), next, period }
    }
    // ANCHOR_END: with_period

    // ANCHOR: shares
    /// Returns how much each token counts in the loss: those that have been there
    /// before have equal shares, 1 together, and the others 0.
    pub fn shares(&self) -> [f32; S] {
        let share =
            |i| if i < self.period { 0.0 } else { 1.0 / (S - self.period) as f32 };
        std::array::from_fn(share)
    }
    // ANCHOR_END: shares

    // ANCHOR: draw
    /// Draws a sequence with one of the periods of the training.
    pub fn draw(rng: &mut impl Rng) -> Self {
        let [shortest, longest] = PERIODS.map(|period| period as u32);
        Self::random_with_period(rng.gen_range(shortest..=longest) as usize, rng)
    }
    // ANCHOR_END: draw
}

// ANCHOR: attention_layer
/// Width of the model.
pub const M: usize = 32;
/// Heads of a layer.
pub const HEADS: usize = 2;
/// Width of a head.
pub const D: usize = M / HEADS;

/// Self-attention in a residual connection: a block without its network.
#[derive(Clone, Debug)]
pub struct AttentionLayer {
    /// Causal attention.
    pub attention: MultiHeadAttention<M, HEADS, D>,
    /// The residual connection around it.
    pub residual: Residual<M>,
}

parameters! { AttentionLayer { attention, residual } }

impl AttentionLayer {
    /// Returns a pre-norm layer without dropout.
    pub fn new(dev: &Dev) -> Self {
        let residual = Residual::new(dev, 0.0, NormPosition::Pre);
        AttentionLayer { attention: MultiHeadAttention::new(dev, 0.0), residual }
    }

    /// Maps rows (B, S, M) to the same shape, and returns the weights too.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
    ) -> AttentionOutput<Rank3<B, S, M>, Rank4<B, HEADS, S, S>, T> {
        let (output, weights) = self.residual.forward(x, |x| {
            let found = self_attention(&self.attention, x, &Mask::causal());
            (found.output, found.weights)
        });
        AttentionOutput { output, weights }
    }
}
// ANCHOR_END: attention_layer

// ANCHOR: attention_only
/// A language model without feed-forward networks.
#[derive(Clone, Debug)]
pub struct AttentionOnly {
    /// Reads the tokens.
    pub embedding: TokenEmbedding<M>,
    /// One after another.
    pub layers: Vec<AttentionLayer>,
    /// The norm after the last layer.
    pub norm: LayerNorm<M>,
    /// Predicts the next token.
    pub output: OutputLayer<M>,
}

parameters! { AttentionOnly { embedding, layers, norm, output } }
// ANCHOR_END: attention_only

impl AttentionOnly {
    // ANCHOR: attention_only_new
    /// Returns an untrained model of so many layers.
    pub fn new(dev: &Dev, layers: usize) -> Self {
        AttentionOnly {
            embedding: TokenEmbedding::new(dev, TOKENS, 0.0),
            layers: (0..layers).map(|_| AttentionLayer::new(dev)).collect(),
            norm: LayerNorm::new(dev),
            output: OutputLayer::new(dev, TOKENS),
        }
    }
    // ANCHOR_END: attention_only_new

    // ANCHOR: attention_only_forward
    /// Returns rows for the tokens of B sequences, and the weights of each layer.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &[[usize; S]; B],
        tape: T,
    ) -> (Tensor3<B, S, M, T>, Vec<Tensor4<B, HEADS, S, S>>) {
        let mut x = self.embedding.forward(tokens, 0, tape);
        let mut weights = Vec::new();
        for layer in &self.layers {
            let after = layer.forward(x);
            x = after.output;
            weights.push(after.weights);
        }
        (self.norm.forward(x), weights)
    }
    // ANCHOR_END: attention_only_forward

    // ANCHOR: attention_only_loss
    /// Returns the loss of a token in each sequence, in nats, summed over the B
    /// sequences. Only tokens that have been there before count, since nothing says
    /// what comes after the others.
    pub fn loss<const B: usize>(&self, sequences: &[Repetition<LEN>; B]) -> Loss {
        let tokens = sequences.each_ref().map(|sequence| sequence.tokens);
        let (rows, _) = self.forward(&tokens, OwnedTape::default());
        let next = sequences.each_ref().map(|sequence| sequence.next);
        let shares = sequences.each_ref().map(Repetition::shares);
        let shares: Tensor2<B, LEN> = self.output.weight.device().tensor(shares);
        (cross_entropy(self.output.logits(rows), &next) * shares).sum()
    }
    // ANCHOR_END: attention_only_loss

    // ANCHOR: repeats
    /// Evaluates the model on sequences.
    pub fn repeats<const B: usize, const S: usize>(
        &self,
        sequences: &[Repetition<S>; B],
    ) -> Repeats {
        let tokens = sequences.each_ref().map(|sequence| sequence.tokens);
        self.repeats_of(self.forward(&tokens, NoneTape).0, sequences)
    }

    /// Evaluates rows that are computed already.
    pub fn repeats_of<const B: usize, const S: usize>(
        &self,
        rows: Tensor3<B, S, M>,
        sequences: &[Repetition<S>; B],
    ) -> Repeats {
        let logits = self.output.logits(rows);
        let scores = logits.as_vec();
        let next = sequences.each_ref().map(|sequence| sequence.next);
        let nats = cross_entropy(logits, &next).as_vec();
        let shares = sequences.each_ref().map(Repetition::shares);
        let (mut loss, mut right) = (0.0, 0.0);
        for (at, share) in shares.as_flattened().iter().enumerate() {
            loss += share * nats[at];
            if argmax(&scores[at * TOKENS..][..TOKENS]) == next[at / S][at % S] {
                right += share;
            }
        }
        Repeats { loss: loss / B as f32, right: right / B as f32 }
    }
    // ANCHOR_END: repeats

    // ANCHOR: without
    /// Returns the model without one of its heads: what the head finds is
    /// multiplied by 0.
    pub fn without(&self, layer: usize, head: usize) -> Self {
        let mut model = self.clone();
        let w_o = &mut model.layers[layer].attention.w_o.weight;
        let mut rows = w_o.array();
        rows.iter_mut().for_each(|row| row[head * D..(head + 1) * D].fill(0.0));
        *w_o = w_o.device().tensor(rows);
        model
    }
    // ANCHOR_END: without
}

// ANCHOR: repeats_struct
/// How well a model continues what repeats: means over the tokens that count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repeats {
    /// The loss of a token, in nats.
    pub loss: f32,
    /// The share after which the most probable token is the one that comes.
    pub right: f32,
}
// ANCHOR_END: repeats_struct

// ANCHOR: scores
/// Returns the mean weight of a head on the token `back` positions back, over some
/// of the rows.
///
/// # Panics
/// If one of the rows has no token so far back, or there is no row.
pub fn on_distance<const S: usize>(
    map: &[[f32; S]],
    back: usize,
    rows: Range<usize>,
) -> f32 {
    assert!(rows.start >= back && !rows.is_empty(), "{back} back in {rows:?}");
    rows.clone().map(|q| map[q][q - back]).sum::<f32>() / rows.len() as f32
}

/// Returns the mean weight of a head on tokens that came after the present one, over
/// the rows whose token has been there before; 0 if there is no such row.
pub fn on_successors<const S: usize>(map: &[[f32; S]], tokens: &[usize; S]) -> f32 {
    let (mut sum, mut rows) = (0.0, 0);
    for (q, row) in map.iter().enumerate() {
        let after = (1..=q).filter(|&k| tokens[k - 1] == tokens[q]);
        sum += after.clone().map(|k| row[k]).sum::<f32>();
        rows += usize::from(after.count() > 0);
    }
    sum / rows.max(1) as f32
}
// ANCHOR_END: scores

// ANCHOR: train_attention_only
/// Sequences in a worker's part of a batch.
pub const PART: usize = 32;
/// Steps of a training.
pub const STEPS: usize = 600;
/// The learning rate, chosen by the record of several seeds.
pub const RATE: f32 = 0.01;

/// Trains a model on sequences drawn at random. Calls `on_step` with the number of
/// each step, the loss of a token, and the model.
pub fn train_attention_only(
    layers: usize,
    steps: usize,
    lr: f32,
    seed: u64,
    mut on_step: impl FnMut(usize, f32, &AttentionOnly),
) -> AttentionOnly {
    let mut rng = StdRng::seed_from_u64(seed);
    let batch = || -> [[Repetition<LEN>; PART]; WORKERS] {
        std::array::from_fn(|_| std::array::from_fn(|_| Repetition::draw(&mut rng)))
    };
    let new = |dev: &Dev| AttentionOnly::new(dev, layers);
    let loss = |model: &AttentionOnly, part: &[Repetition<LEN>; PART]| model.loss(part);
    train_steps(steps, lr, seed, new, batch, loss, |step, loss, model| {
        on_step(step, loss / (WORKERS * PART) as f32, model)
    })
}
// ANCHOR_END: train_attention_only
