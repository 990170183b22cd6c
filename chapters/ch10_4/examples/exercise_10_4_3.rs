//! Exercise 3 of section 10.4: rows of letters to be written backwards, where
//! it is known which letter each step has to look at.

use anyhow::Result;
use ch10_1::Dev;
use ch10_4::Attention;
use rand::{Rng, SeedableRng, rngs::StdRng};
use seq2seq::context::{Context, LastState};
use seq2seq::course::WORKERS;
use seq2seq::train::Training;
use seq2seq::translator::{Dropouts, Translator};
use seq2seq::vocab::{Batch, EOS, PAD};
use support::row;

const WIDTH: usize = 32;
/// Up to nine letters and the end.
const STEPS: usize = 10;
const LENGTHS: [usize; 4] = [3, 5, 7, 9];
/// The four special tokens, and twelve letters.
const WORDS: usize = 4 + 12;
const TRAINING_STEPS: usize = 600;
/// Rows of letters for each length that are asked.
const ASKED: usize = 100;

/// Random letters and the end.
fn letters(random: &mut impl Rng, len: usize) -> ([usize; STEPS], usize) {
    let mut row = [PAD; STEPS];
    for letter in &mut row[..len] {
        *letter = random.gen_range(4..WORDS as u32) as usize;
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
fn batch<const B: usize>(random: &mut impl Rng) -> Batch<B, STEPS> {
    let rows: [_; B] = std::array::from_fn(|_| {
        let len = random.gen_range(3..STEPS as u32);
        letters(random, len as usize)
    });
    Batch {
        source: rows.map(|row| row.0),
        source_lens: rows.map(|row| row.1),
        target: rows.map(backwards),
        target_lens: rows.map(|row| row.1),
    }
}

/// Trains on new rows in each step.
fn learn<C: Context<WIDTH> + Send>(
    context: impl Fn(&Dev) -> C,
) -> Translator<WIDTH, WIDTH, C> {
    let mut random = StdRng::seed_from_u64(1);
    let mut training = Training::new(WORKERS, 0, 0.005, |dev| {
        Translator::new(dev, (WORDS, WORDS), 1, Dropouts::default(), context(dev))
    });
    for _ in 0..TRAINING_STEPS {
        let parts: [Batch<32, STEPS>; WORKERS] =
            std::array::from_fn(|_| batch(&mut random));
        training.step(&parts);
    }
    training.into_model()
}

/// What a model makes of rows of each length.
#[derive(Default)]
struct Asked {
    /// Rows that were written backwards without a mistake, by length.
    right: [usize; LENGTHS.len()],
    /// Steps whose largest weight lies one before the letter to be written,
    /// on it, one after it, or elsewhere.
    places: [usize; 4],
}

fn ask<C: Context<WIDTH>>(model: &Translator<WIDTH, WIDTH, C>) -> Asked {
    let mut random = StdRng::seed_from_u64(2);
    let mut asked = Asked::default();
    for (right, len) in asked.right.iter_mut().zip(LENGTHS) {
        for _ in 0..ASKED {
            let given = letters(&mut random, len);
            let (written, weights) = model.translate(given);
            *right += usize::from(written == backwards(given)[..len]);
            for (step, weights) in weights.iter().take(len).enumerate() {
                let place = match largest(weights) + step + 1 {
                    looked if looked + 1 == len => 0,
                    looked if looked == len => 1,
                    looked if looked == len + 1 => 2,
                    _ => 3,
                };
                asked.places[place] += 1;
            }
        }
    }
    asked
}

fn largest(weights: &[f32]) -> usize {
    let all = weights.iter().enumerate();
    all.max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(at, _)| at)
}

fn main() -> Result<()> {
    let with = ask(&learn(|dev| Attention::new(dev, 0.0)));
    let without = ask(&learn(|_| LastState));
    println!("rows of so many letters, written backwards: right of {ASKED}");
    row("letters", 12, &LENGTHS);
    row("with", 12, &with.right);
    row("without", 12, &without.right);
    let steps: usize = with.places.iter().sum();
    println!("\nwhere the largest weight lies, in % of {steps} steps");
    row("", 12, &["before", "on it", "after", "elsewhere"]);
    row("with", 12, &with.places.map(|n| n * 100 / steps));
    assert!(with.right[3] > without.right[3] + 20);
    assert_eq!(without.places, [0; 4]);
    Ok(())
}
