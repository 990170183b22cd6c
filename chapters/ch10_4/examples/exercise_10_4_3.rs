//! Exercise 3 of section 10.4: rows of letters to be written backwards, where
//! it is known which letter each step needs. `--models` trains more than one.

use ch10_4::BahdanauAttention;
use dfdx::prelude::*;
use kernels::{Dev, MaybeSend};
use rand::{Rng, SeedableRng, rngs::StdRng};
use seq2seq::context::{Context, FixedContext};
use seq2seq::greedy::argmax;
use seq2seq::train::{STEPS, Trainer, WORKERS};
use seq2seq::translator::{Config, Translation, Translator};
use seq2seq::vocab::{Batch, EOS, PAD};
use std::process::ExitCode;
use support::{RunArgs, row, seeds};

const WIDTH: usize = 32;
const LENGTHS: [usize; 4] = [3, 5, 7, 9];
/// The four special tokens, and twelve letters.
const TOKENS: usize = 4 + 12;
const TRAINING_STEPS: usize = 600;
/// Rows of letters for each length in the test.
const ROWS: usize = 100;

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

/// Trains on new rows in each step.
fn learn<C: Context<WIDTH> + MaybeSend>(
    seed: u64,
    context: impl Fn(&Dev) -> C,
) -> Translator<WIDTH, WIDTH, C> {
    let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1));
    let config = Config { layers: 1, embedding_dropout: 0.0, layer_dropout: 0.0 };
    let model = |dev: &Dev| -> Translator<WIDTH, WIDTH, C> {
        Translator::new(dev, (TOKENS, TOKENS), &config, context(dev))
    };
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
#[derive(Default)]
struct Outcome {
    /// Rows that are right, by length.
    right: [usize; LENGTHS.len()],
    /// In the rows that are right: steps whose largest weight is one letter
    /// before the one that is needed, on it, one after it, or elsewhere.
    largest: [usize; 4],
}

fn test<C: Context<WIDTH>>(model: &Translator<WIDTH, WIDTH, C>) -> Outcome {
    let mut rng = StdRng::seed_from_u64(2);
    let mut outcome = Outcome::default();
    for (right, len) in outcome.right.iter_mut().zip(LENGTHS) {
        for _ in 0..ROWS {
            let row = letters(&mut rng, len);
            let Translation { tokens, weights } = model.translate(row);
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

/// Rows of letters, written backwards
#[derive(clap::Parser)]
struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Train N models of each kind, each from a seed of its own
    #[arg(long, value_name = "N", value_parser = support::number(1..=1000))]
    models: Option<usize>,
}

fn main() -> ExitCode {
    support::run("exercise_10_4_3", |Args { run, models }: Args| {
        if models.is_some() {
            let settings = (WIDTH, LENGTHS, TRAINING_STEPS, ROWS, run.seed, models);
            run.print_settings(&settings, &[]);
        }
        println!("rows of so many letters, written backwards: right of {ROWS}");
        row("letters", 10, &["seed", "3", "5", "7", "9"]);
        let mut largest = Vec::new();
        for seed in seeds(run.seed, models.unwrap_or(1) as u64) {
            let with = test(&learn(seed, |dev| BahdanauAttention::new(dev, 0.0)));
            let without = test(&learn(seed, |_| FixedContext));
            for (name, right) in [("with", with.right), ("without", without.right)] {
                let right = right.map(|rows| rows.to_string());
                row(name, 10, &[&[seed.to_string()], &right[..]].concat());
            }
            assert!(with.right[3] > ROWS / 2 && with.right[3] > without.right[3] + 20);
            largest.push((seed, with.largest));
        }
        println!("\nthe largest weight in the steps of rows that are right, in %");
        row("seed", 10, &["before", "on it", "after", "elsewhere"]);
        for (seed, cells) in largest {
            let steps: usize = cells.iter().sum();
            row(&seed.to_string(), 10, &cells.map(|n| n * 100 / steps));
            assert!(cells[1] + cells[2] > steps * 9 / 10);
        }
        Ok(())
    })
}
