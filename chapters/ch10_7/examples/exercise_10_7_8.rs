//! A decoder is given the task of an encoder: to reverse a sequence. The two
//! differ by the mask alone. Which places can it get right?
//!
//! Worked answer to exercise 8 of section 10.7.

use ch10_1::Dev;
use ch10_7::language::LanguageModel;
use ch10_7::reversal::{LEN, SYMBOLS, Sequence, draw, reversed};
use ch10_7::words::losses;
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::loss::logits;
use seq2seq::train::Training;
use std::collections::HashSet;
use support::{Progress, row};

/// One block with one head. It is an encoder or a decoder as its mask is.
type Half = LanguageModel<32, 1, 32, 64>;

type Rows<const B: usize, const S: usize, T> = Tensor<Rank3<B, S, 32>, f32, Dev, T>;

/// What it computes with the mask of a decoder, or without.
fn rows<const B: usize, const S: usize, T: Tape<f32, Dev>>(
    half: &Half,
    tokens: &[[usize; S]; B],
    lens: &[usize; B],
    masked: bool,
    tape: T,
) -> Rows<B, S, T> {
    match masked {
        true => half.forward(tokens, lens, tape).0,
        false => half.body.forward(tokens, lens, tape).0,
    }
}

/// Trained to reverse.
fn reverser(masked: bool) -> Half {
    const STEPS: usize = 600;
    let model = |dev: &Dev| Half::new(dev, SYMBOLS, 1, 0.0);
    let mut training = Training::new(2, 0, 0.003, model);
    let mut rng = StdRng::seed_from_u64(0);
    let mut progress = Progress::new("to reverse", STEPS);
    for _ in 0..STEPS {
        let batch: [[Sequence; 32]; 2] =
            [(); 2].map(|()| draw(&mut rng, &HashSet::new()));
        let loss = training.step_on(&batch, |half, part| {
            let rows = rows(half, part, &[LEN; 32], masked, tape());
            let labels = part.each_ref().map(reversed);
            losses(rows, half.words(), &labels, &[LEN; 32]).sum()
        });
        progress.step(loss / 64.0);
    }
    training.into_model()
}

fn tape() -> OwnedTape<f32, Dev> {
    OwnedTape::default()
}

/// The share that is right, at each place.
fn right(half: &Half, masked: bool) -> [f32; LEN] {
    const B: usize = 500;
    let asked: [Sequence; B] = draw(&mut StdRng::seed_from_u64(1), &HashSet::new());
    let rows = rows(half, &asked, &[LEN; B], masked, NoneTape);
    let logits = logits(rows, half.words()).as_vec();
    let mut right = [0.0; LEN];
    for (at, row) in logits.chunks(SYMBOLS).enumerate() {
        let (b, place) = (at / LEN, at % LEN);
        let largest = row.iter().fold(f32::MIN, |a, &b| a.max(b));
        let wanted = reversed(&asked[b])[place];
        right[place] += f32::from(row[wanted] == largest) / B as f32;
    }
    right
}

fn main() {
    let places: Vec<usize> = (0..LEN).step_by(3).collect();
    row("place", 10, &places);
    let [encoder, decoder] = [false, true].map(|masked| {
        let right = right(&reverser(masked), masked);
        let name = if masked { "decoder" } else { "encoder" };
        let cells: Vec<String> =
            places.iter().map(|&at| format!("{:.3}", right[at])).collect();
        row(name, 10, &cells);
        right
    });
    assert!(encoder.iter().all(|&right| right > 0.98));
    assert!(decoder[..LEN / 2].iter().all(|&right| right < 0.2));
    assert!(decoder[LEN / 2..].iter().all(|&right| right > 0.98));
}
