// ANCHOR: sequence
//! Section 10.7, the encoder alone: one block learns to write a sequence of
//! symbols from its end to its beginning.

use crate::encoder::TransformerEncoder;
use crate::norm::NormPosition;
use crate::training::train_steps;
use ch10_2::parameters;
use ch10_3::Mask;
use dfdx::prelude::*;
use kernels::{Dev, Tensor4};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use seq2seq::greedy::argmax;
use seq2seq::loss::{OutputLayer, masked_cross_entropy};
use seq2seq::train::{Loss, WORKERS};
use std::collections::HashSet;

/// Symbols that there are.
pub const SYMBOLS: usize = 10;
/// Symbols in a sequence.
pub const LEN: usize = 16;

/// A sequence to be reversed.
pub type Sequence = [usize; LEN];

/// A sequence in which each symbol is as likely as any other.
pub fn random_sequence(rng: &mut impl Rng) -> Sequence {
    std::array::from_fn(|_| rng.gen_range(0..SYMBOLS as u32) as usize)
}

/// The same from its end to its beginning.
pub fn reversed(sequence: &Sequence) -> Sequence {
    std::array::from_fn(|i| sequence[LEN - 1 - i])
}
// ANCHOR_END: sequence

// ANCHOR: reverser
/// Width of the model.
const M: usize = 32;

/// Blocks with one head, and the logits of the symbols for each position.
#[derive(Clone, Debug)]
pub struct Reverser {
    /// Reads the sequence.
    pub encoder: TransformerEncoder<M, 1, M, 64>,
    /// Predicts the symbols.
    pub output: OutputLayer<M>,
}

parameters! { Reverser { encoder, output } }
// ANCHOR_END: reverser

impl Reverser {
    // ANCHOR: reverser_new
    /// Without dropout.
    pub fn new(dev: &Dev, layers: usize, norm_position: NormPosition) -> Self {
        let encoder = TransformerEncoder::new(dev, SYMBOLS, layers, 0.0, norm_position);
        Reverser { encoder, output: OutputLayer::new(dev, SYMBOLS) }
    }
    // ANCHOR_END: reverser_new

    // ANCHOR: reverser_loss
    /// The cross-entropy of a symbol, in nats, summed over the B sequences.
    pub fn loss<const B: usize>(
        &self,
        sequences: &[Sequence; B],
        mask: &Mask<B, LEN, LEN>,
    ) -> Loss {
        let (rows, _) = self.encoder.forward(sequences, mask, OwnedTape::default());
        let labels = sequences.each_ref().map(reversed);
        let OutputLayer { weight, bias } = &self.output;
        masked_cross_entropy(rows, weight, bias, &labels, &[LEN; B]).sum()
    }
    // ANCHOR_END: reverser_loss

    // ANCHOR: predict
    /// The most probable symbol for each position of each sequence, and the
    /// weights of the first layer.
    pub fn predict<const B: usize>(
        &self,
        sequences: &[Sequence; B],
        mask: &Mask<B, LEN, LEN>,
    ) -> ([Sequence; B], Tensor4<B, 1, LEN, LEN>) {
        let (rows, mut weights) = self.encoder.forward(sequences, mask, NoneTape);
        let logits = self.output.logits(rows).as_vec();
        let row = |b, i| argmax(&logits[(b * LEN + i) * SYMBOLS..][..SYMBOLS]);
        let sequence = |b| std::array::from_fn(|i| row(b, i));
        (std::array::from_fn(sequence), weights.swap_remove(0))
    }
    // ANCHOR_END: predict
}

// ANCHOR: reverser_train
/// Sequences in a worker's part of a batch.
pub const PART: usize = 32;

/// Trains a model on sequences drawn at random, none of which is held out.
/// `on_step` is called with the number of each step and the loss of a symbol.
pub fn train_reverser(
    steps: usize,
    seed: u64,
    held_out: &[Sequence],
    model: impl Fn(&Dev) -> Reverser,
    mask: &Mask<PART, LEN, LEN>,
    mut on_step: impl FnMut(usize, f32),
) -> Reverser {
    let held_out: HashSet<Sequence> = held_out.iter().copied().collect();
    let mut rng = StdRng::seed_from_u64(seed);
    let mut sequence = || loop {
        let drawn = random_sequence(&mut rng);
        if !held_out.contains(&drawn) {
            return drawn;
        }
    };
    let batch = || -> [[Sequence; PART]; WORKERS] {
        std::array::from_fn(|_| std::array::from_fn(|_| sequence()))
    };
    let loss = |model: &Reverser, part: &[Sequence; PART]| model.loss(part, mask);
    train_steps(steps, 0.003, seed, model, batch, loss, |step, loss, _| {
        on_step(step, loss / (WORKERS * PART) as f32)
    })
}
// ANCHOR_END: reverser_train
