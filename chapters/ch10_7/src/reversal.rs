// ANCHOR: reversal_header
//! Section 10.7, encoder alone: one block learns to write a sequence of
//! symbols from its end to its beginning. There is no decoder in it.

use crate::encoder::TransformerEncoder;
use crate::norm::NormAt;
use crate::ops;
use ch10_1::Dev;
use dfdx::prelude::*;
use rand::Rng;
use seq2seq::loss::{Words, logits};
use seq2seq::parameters::{Named, Parameters, within};
use seq2seq::train::{Recorded, Training};
use std::collections::HashSet;
// ANCHOR_END: reversal_header

// ANCHOR: sequence
/// Symbols that there are.
pub const SYMBOLS: usize = 10;
/// Symbols in a sequence.
pub const LEN: usize = 16;

/// A sequence to be reversed.
pub type Sequence = [usize; LEN];

/// B sequences, each symbol as likely as any other, none of them in `not`.
pub fn draw<const B: usize>(
    rng: &mut impl Rng,
    not: &HashSet<Sequence>,
) -> [Sequence; B] {
    let mut symbol = || rng.gen_range(0..SYMBOLS as u32) as usize;
    let mut sequence = || std::array::from_fn(|_| symbol());
    let mut allowed = || {
        let mut drawn = sequence();
        while not.contains(&drawn) {
            drawn = sequence();
        }
        drawn
    };
    std::array::from_fn(|_| allowed())
}

/// What is asked for.
pub fn reversed(sequence: &Sequence) -> Sequence {
    std::array::from_fn(|i| sequence[LEN - 1 - i])
}
// ANCHOR_END: sequence

// ANCHOR: reverser
/// Width of the model.
const M: usize = 32;

/// One block with one head, and a row of logits for each position.
#[derive(Clone, Debug)]
pub struct Reverser {
    /// Reads the sequence.
    pub encoder: TransformerEncoder<M, 1, M, 64>,
    w_out: Tensor<(usize, Const<M>), f32, Dev>,
    b_out: Tensor<(usize,), f32, Dev>,
}

impl Reverser {
    /// As training starts from it.
    pub fn new(dev: &Dev) -> Self {
        let encoder = TransformerEncoder::new(dev, SYMBOLS, 1, 0.0, NormAt::Post);
        let normal = rand_distr::StandardNormal;
        let w_out = dev.sample_like(&(SYMBOLS, Const), normal);
        let w_out = w_out / (M as f32).sqrt();
        Reverser { encoder, w_out, b_out: dev.zeros_like(&(SYMBOLS,)) }
    }

    fn words(&self) -> Words<'_, M> {
        (&self.w_out, &self.b_out)
    }

    /// The cross-entropy of a symbol, in nats, summed over the B sequences.
    pub fn loss<const B: usize>(&self, sequences: &[Sequence; B]) -> Recorded {
        let tape = OwnedTape::default();
        let (rows, _) = self.encoder.forward(sequences, &[LEN; B], tape);
        let labels = sequences.each_ref().map(reversed);
        ops::losses(rows, self.words(), &labels, &[LEN; B]).sum()
    }
}
// ANCHOR_END: reverser

// ANCHOR: reverser_answer
/// What the model says, and the weights of its only head.
pub type Answer<const B: usize> =
    ([Sequence; B], Tensor<Rank4<B, 1, LEN, LEN>, f32, Dev>);

impl Reverser {
    /// The likeliest symbol for each place of each sequence.
    pub fn answer<const B: usize>(&self, asked: &[Sequence; B]) -> Answer<B> {
        let (rows, mut weights) = self.encoder.forward(asked, &[LEN; B], NoneTape);
        let logits = logits(rows, self.words()).as_vec();
        let mut symbols = logits.chunks(SYMBOLS).map(|row| {
            let symbols = (0..SYMBOLS).max_by(|&a, &b| row[a].total_cmp(&row[b]));
            symbols.unwrap_or_default()
        });
        let mut symbol = || symbols.next().unwrap_or_default();
        let mut sequence = || std::array::from_fn(|_| symbol());
        (std::array::from_fn(|_| sequence()), weights.swap_remove(0))
    }

    /// The shares of the symbols, and of the sequences, that are right.
    pub fn right<const B: usize>(&self, asked: &[Sequence; B]) -> (f32, f32) {
        let (said, _) = self.answer(asked);
        let wanted = asked.each_ref().map(reversed);
        let symbols = said.as_flattened().iter().zip(wanted.as_flattened());
        let symbols = symbols.filter(|(a, b)| a == b).count();
        let whole = said.iter().zip(&wanted).filter(|(a, b)| a == b).count();
        (symbols as f32 / (B * LEN) as f32, whole as f32 / B as f32)
    }
}
// ANCHOR_END: reverser_answer

// ANCHOR: reverser_train
/// Sequences in a batch, and in the part of it that each worker takes.
pub const BATCH: usize = 64;
const PART: usize = BATCH / 2;

/// Trains on `steps` batches of new sequences, none of which is in `held_out`,
/// and calls `seen` with the loss a symbol of each. The rate rises over the
/// first tenth of the steps and falls after that.
pub fn train(
    steps: usize,
    seed: u64,
    rng: &mut impl Rng,
    held_out: &HashSet<Sequence>,
    mut seen: impl FnMut(f32),
) -> Reverser {
    const RATE: f32 = 0.003;
    let mut training = Training::new(2, seed, RATE, Reverser::new);
    for step in 0..steps {
        let share = (step + 1) as f32 / steps as f32;
        training.set_rate(RATE * (10.0 * share).min(1.05 - share));
        let batch: [[Sequence; PART]; 2] = [draw(rng, held_out), draw(rng, held_out)];
        let loss = training.step_on(&batch, Reverser::loss);
        seen(loss / BATCH as f32);
    }
    training.into_model()
}
// ANCHOR_END: reverser_train

// ANCHOR: reverser_parameters
impl Parameters for Reverser {
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("encoder", self.encoder.parameters());
        all.push(("w_out".into(), &mut self.w_out));
        all.push(("b_out".into(), &mut self.b_out));
        all
    }
}
// ANCHOR_END: reverser_parameters
