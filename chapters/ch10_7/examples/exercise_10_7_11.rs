//! Two small tasks: to copy a sequence, which needs positions; and the largest of
//! a set, which must not depend on them.
//!
//! Worked answer to exercise 11 of section 10.7.

use ch10_2::parameters;
use ch10_3::Mask;
use ch10_7::training::train_steps;
use ch10_7::{NormPosition, Transformer, TransformerEncoder};
use dfdx::prelude::*;
use kernels::{Dev, Tensor2};
use rand::{Rng, SeedableRng, rngs::StdRng, seq::SliceRandom};
use seq2seq::loss::OutputLayer;
use seq2seq::train::Seq2SeqModel;
use seq2seq::vocab::{Batch, EOS};
use support::{Progress, row};

const S: usize = 8;
const B: usize = 32;
const SYMBOLS: usize = 20;
const STEPS: usize = 600;

fn tokens(rng: &mut StdRng) -> [usize; S] {
    std::array::from_fn(|_| rng.gen_range(4..SYMBOLS as u32) as usize)
}

type Copier = Transformer<32, 2, 16, 64>;

/// Sentences whose translation is the sentence.
fn copies<const B: usize>(rng: &mut StdRng) -> Batch<B, S> {
    let source = std::array::from_fn(|_| {
        let mut row = tokens(rng);
        row[S - 1] = EOS;
        row
    });
    Batch { source, source_lens: [S; B], target: source, target_lens: [S; B] }
}

/// The share of new sequences that are copied without a mistake.
fn copied(positions: bool) -> f64 {
    let mut rng = StdRng::seed_from_u64(0);
    let batch = || [copies::<B>(&mut rng), copies(&mut rng)];
    let loss = |model: &Copier, part: &Batch<B, S>| {
        model.loss(part, OwnedTape::default()).sum()
    };
    let new = |dev: &Dev| {
        let sizes = (SYMBOLS, SYMBOLS);
        let mut model = Copier::new(dev, sizes, 1, 0.0, NormPosition::Post);
        if !positions {
            model.encoder.embedding.positions.table = dev.zeros();
            model.decoder.embedding.positions.table = dev.zeros();
        }
        model
    };
    let mut progress = Progress::new("copying", STEPS);
    let on_step = |_, loss, _: &Copier| progress.step(loss / (2 * B) as f32);
    let model = train_steps(STEPS, 0.003, 0, new, batch, loss, on_step);
    let test: Batch<200, S> = copies(&mut StdRng::seed_from_u64(1));
    let right =
        test.source.iter().filter(|row| model.decode((**row, S)) == row[..S - 1]);
    right.count() as f64 / 200.0
}

/// Which number is the largest of a set? The mean of all rows answers.
struct Largest {
    encoder: TransformerEncoder<32, 2, 16, 64>,
    output: OutputLayer<32>,
}

parameters! { Largest { encoder, output } }

impl Largest {
    fn new(dev: &Dev, positions: bool) -> Self {
        let mut encoder =
            TransformerEncoder::new(dev, SYMBOLS, 1, 0.0, NormPosition::Post);
        if !positions {
            encoder.embedding.positions.table = dev.zeros();
        }
        Largest { encoder, output: OutputLayer::new(dev, SYMBOLS) }
    }

    fn logits<const B: usize, T: Tape<f32, Dev>>(
        &self,
        sets: &[[usize; S]; B],
        tape: T,
    ) -> Tensor<(Const<B>, Const<1>, usize), f32, Dev, T> {
        let (rows, _) = self.encoder.forward(sets, &Mask::none(), tape);
        let mean: Tensor2<B, 32, T> = rows.mean::<_, Axis<1>>();
        self.output.logits(mean.reshape::<Rank3<B, 1, 32>>())
    }
}

/// The share of new sets that are right, and how far a logit is moved when the
/// members of a set are put in another order.
fn largest(positions: bool) -> (f64, f32) {
    let mut rng = StdRng::seed_from_u64(0);
    let mut sets = || -> [[usize; S]; B] { std::array::from_fn(|_| tokens(&mut rng)) };
    let batch = || [sets(), sets()];
    let label = |set: &[usize; S]| [set.iter().copied().fold(0, usize::max)];
    let loss = |model: &Largest, part: &[[usize; S]; B]| {
        let logits = model.logits(part, OwnedTape::default());
        seq2seq::loss::cross_entropy(logits, &part.each_ref().map(label)).sum()
    };
    let mut progress = Progress::new("sets", STEPS);
    let on_step = |_, loss, _: &Largest| progress.step(loss / (2 * B) as f32);
    let new = |dev: &Dev| Largest::new(dev, positions);
    let model = train_steps(STEPS, 0.003, 0, new, batch, loss, on_step);
    let mut rng = StdRng::seed_from_u64(1);
    let (mut right, mut moved) = (0, 0f32);
    for _ in 0..200 {
        let mut set = tokens(&mut rng);
        let before = model.logits(&[set], NoneTape).as_vec();
        right += usize::from([seq2seq::greedy::argmax(&before)] == label(&set));
        set.shuffle(&mut rng);
        let after = model.logits(&[set], NoneTape).as_vec();
        let apart = before.iter().zip(&after).map(|(a, b)| (a - b).abs());
        moved = apart.fold(moved, f32::max);
    }
    (f64::from(right as u32) / 200.0, moved)
}

fn main() {
    let mut all = Vec::new();
    row("", 18, &["copied", "largest", "moved"]);
    for (name, positions) in [("with positions", true), ("without", false)] {
        let (right, moved) = largest(positions);
        let copied = copied(positions);
        let cells =
            [format!("{copied:.3}"), format!("{right:.3}"), format!("{moved:.4}")];
        row(name, 18, &cells);
        all.push((copied, right, moved));
    }
    assert!(all[0].0 > 0.9 && all[1].0 < 0.1, "copies need positions: {all:?}");
    assert!(all[1].1 > 0.9 && all[1].2 < 1e-3, "sets have none: {all:?}");
    assert!(all[0].2 > 0.1, "with positions the order matters: {all:?}");
}
