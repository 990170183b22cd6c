//! Cheaper self-attention: each position attends to a few others, by a mask.
//!
//! Worked answer to exercise 5 of section 10.7. The task is the reversal of
//! sequences; 16 positions are 4 pieces of 4.

use ch10_3::Mask;
use ch10_7::NormPosition;
use ch10_7::reversal::{
    LEN, PART, Reverser, SYMBOLS, Sequence, random_sequence, reversed,
};
use ch10_7::training::train_steps;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::greedy::argmax;
use seq2seq::loss::masked_cross_entropy;
use seq2seq::train::WORKERS;
use support::Progress;

const STEPS: usize = 600;
/// Positions of a piece.
const W: usize = 4;

/// Which positions one may attend to.
#[derive(Clone, Copy)]
enum Pattern {
    All,
    /// Those of its own piece.
    Near,
    /// Those that have the same place in their pieces.
    Far,
}

impl Pattern {
    fn mask<const B: usize>(self) -> Mask<B, LEN, LEN> {
        match self {
            Pattern::All => Mask::none(),
            Pattern::Near => Mask::from_fn(|_, q, k| q / W == k / W),
            Pattern::Far => Mask::from_fn(|_, q, k| q % W == k % W),
        }
    }

    /// Weights of a head that are not 0 by this mask.
    fn weights(self) -> usize {
        let mask: Mask<1, LEN, LEN> = self.mask();
        let cells = (0..LEN * LEN).filter(|n| mask.allows(0, n / LEN, n % LEN));
        cells.count()
    }
}

/// The model of the section, each layer with a pattern of its own.
fn rows<const B: usize, T: Tape<f32, Dev>>(
    model: &Reverser,
    patterns: &[Pattern],
    sequences: &[Sequence; B],
    tape: T,
) -> Tensor3<B, LEN, 32, T> {
    let mut x = model.encoder.embedding.forward(sequences, 0, tape);
    for (block, pattern) in model.encoder.blocks.iter().zip(patterns) {
        x = block.forward(x, &pattern.mask()).output;
    }
    x
}

fn trained(name: &str, patterns: &[Pattern]) -> Reverser {
    let mut rng = StdRng::seed_from_u64(0);
    let batch = || -> [[Sequence; PART]; WORKERS] {
        std::array::from_fn(|_| std::array::from_fn(|_| random_sequence(&mut rng)))
    };
    let loss = |model: &Reverser, part: &[Sequence; PART]| {
        let rows = rows(model, patterns, part, OwnedTape::default());
        let labels = part.each_ref().map(reversed);
        let (weight, bias) = (&model.output.weight, &model.output.bias);
        masked_cross_entropy(rows, weight, bias, &labels, &[LEN; PART]).sum()
    };
    let mut progress = Progress::new(name, STEPS);
    let on_step = |_, loss, _: &Reverser| progress.step(loss / (PART * WORKERS) as f32);
    let new = |dev: &Dev| Reverser::new(dev, patterns.len(), NormPosition::Post);
    train_steps(STEPS, 0.003, 0, new, batch, loss, on_step)
}

/// The share of the symbols that are right.
fn right(model: &Reverser, patterns: &[Pattern]) -> f64 {
    let mut rng = StdRng::seed_from_u64(1);
    let new: [Sequence; 64] = std::array::from_fn(|_| random_sequence(&mut rng));
    let rows = rows(model, patterns, &new, NoneTape);
    let logits = model.output.logits(rows).as_vec();
    let ours = logits.chunks(SYMBOLS).map(argmax);
    let right = ours.zip(new.iter().flat_map(reversed)).filter(|(a, b)| a == b);
    right.count() as f64 / (64 * LEN) as f64
}

fn main() {
    let mut shares = Vec::new();
    println!("layers        weights a head  symbols right");
    for (name, patterns) in [
        ("all", &[Pattern::All][..]),
        ("near, near", &[Pattern::Near, Pattern::Near]),
        ("near, far", &[Pattern::Near, Pattern::Far]),
    ] {
        let share = right(&trained(name, patterns), patterns);
        let weights: usize = patterns.iter().map(|pattern| pattern.weights()).sum();
        println!("{name:12} {weights:15} {share:14.3}");
        shares.push(share);
    }
    assert!(shares[0] > 0.99 && shares[1] < 0.3 && shares[2] > 0.95, "{shares:?}");
}
