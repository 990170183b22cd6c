//! Rows of random letters, to be written backwards: it is known which letter
//! each step needs.

use dfdx::prelude::*;
use kernels::Dev;
use rand::{Rng, SeedableRng, rngs::StdRng};
use seq2seq::greedy::argmax;
use seq2seq::train::{STEPS, Seq2SeqModel, Trainer, WORKERS};
use seq2seq::translator::Translation;
use seq2seq::vocab::{Batch, EOS, PAD};

/// The lengths of the rows in the test.
pub const LENGTHS: [usize; 4] = [3, 5, 7, 9];
/// The four special tokens, and twelve letters.
pub const TOKENS: usize = 4 + 12;
/// Steps of a training.
pub const TRAINING_STEPS: usize = 600;
/// Rows of letters for each length in the test.
pub const ROWS: usize = 100;

/// Random letters and the end.
fn letters(rng: &mut impl Rng, len: usize) -> ([usize; STEPS], usize) {
    let mut row = [PAD; STEPS];
    for letter in &mut row[..len] {
        *letter = rng.gen_range(4..TOKENS as u32) as usize;
    }
    row[len] = EOS;
    (row, len + 1)
}

/// The same letters, the last one first.
fn backwards((mut row, len): ([usize; STEPS], usize)) -> [usize; STEPS] {
    row[..len - 1].reverse();
    row
}

/// Rows of 3 to 9 letters, and the same backwards.
fn batch<const B: usize>(rng: &mut impl Rng) -> Batch<B, STEPS> {
    let rows: [_; B] = std::array::from_fn(|_| {
        let len = rng.gen_range(3..STEPS as u32);
        letters(rng, len as usize)
    });
    Batch {
        source: rows.map(|row| row.0),
        source_lens: rows.map(|row| row.1),
        target: rows.map(backwards),
        target_lens: rows.map(|row| row.1),
    }
}

/// Trains a model on new rows in each step.
pub fn learn<M: Seq2SeqModel>(seed: u64, model: impl Fn(&Dev) -> M) -> M {
    let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1));
    let mut trainer = Trainer::new(WORKERS, seed, 0.005, model);
    for _ in 0..TRAINING_STEPS {
        let parts: [Batch<32, STEPS>; WORKERS] =
            std::array::from_fn(|_| batch(&mut rng));
        trainer
            .step(&parts, |model, part| model.loss(part, OwnedTape::default()).sum());
    }
    trainer.into_model()
}

/// What a model makes of rows of each length.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// Rows that are right, by length.
    pub right: [usize; LENGTHS.len()],
    /// In the rows that are right: steps whose largest weight is one letter
    /// before the one that is needed, on it, one after it, or elsewhere.
    pub largest: [usize; 4],
}

impl Outcome {
    /// Of a model that writes rows backwards by `translate`.
    pub fn new(
        translate: impl Fn(([usize; STEPS], usize)) -> Translation<STEPS>,
    ) -> Self {
        let mut rng = StdRng::seed_from_u64(2);
        let mut outcome = Outcome::default();
        for (right, len) in outcome.right.iter_mut().zip(LENGTHS) {
            for _ in 0..ROWS {
                let row = letters(&mut rng, len);
                let Translation { tokens, weights } = translate(row);
                if tokens != backwards(row)[..len] {
                    continue;
                }
                *right += 1;
                for (step, weights) in weights.iter().take(len).enumerate() {
                    let needed = len - 1 - step;
                    let largest = argmax(weights);
                    let cell = match largest as isize - needed as isize {
                        -1 => 0,
                        0 => 1,
                        1 => 2,
                        _ => 3,
                    };
                    outcome.largest[cell] += 1;
                }
            }
        }
        outcome
    }

    /// The shares of the steps in `largest`, in whole percent.
    pub fn percent(&self) -> [usize; 4] {
        let steps: usize = self.largest.iter().sum();
        self.largest.map(|n| n * 100 / steps.max(1))
    }
}
