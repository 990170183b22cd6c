//! What the norm does in a deep model: encoders of several depths learn to
//! reverse sequences, with the norm at either position and without it.

use super::reversal::held_out;
use anyhow::Result;
use ch10_3::Mask;
use ch10_7::NormPosition;
use ch10_7::reversal::{LEN, Reverser, reversed, train_reverser};
use seq2seq::program::Job;
use support::{Progress, heading, row, seeds};

const DEPTHS: [usize; 2] = [1, 6];
const STEPS: usize = 300;
const SEEDS: u64 = 3;

/// Trains all of them, and prints the share of the symbols that are right.
pub fn depth(job: &Job) -> Result<()> {
    let settings = (DEPTHS, STEPS, SEEDS, job.run.seed);
    if job.run.print_settings(&settings, &[]) {
        return Ok(());
    }
    heading("Depth and the norm");
    row("symbols right", 16, &["layers", "seed", "share"]);
    let positions = [
        ("post", NormPosition::Post),
        ("pre", NormPosition::Pre),
        ("no norm", NormPosition::None),
    ];
    for layers in DEPTHS {
        for (name, position) in positions {
            for seed in seeds(job.run.seed, SEEDS) {
                let share = share_right(layers, position, seed);
                let cells = [layers as f32, seed as f32].map(|n| n.to_string());
                let [layers, seed] = cells;
                row(name, 16, &[layers, seed, format!("{share:.3}")]);
            }
        }
    }
    Ok(())
}

/// Of the symbols of sequences that were held out.
fn share_right(layers: usize, position: NormPosition, seed: u64) -> f32 {
    let held_out = held_out(seed);
    let mut progress = Progress::new("reversing", STEPS);
    let new = |dev: &_| Reverser::new(dev, layers, position);
    let on_step = |_, loss| progress.step(loss);
    let model = train_reverser(STEPS, seed, &held_out, new, &Mask::none(), on_step);
    let (predicted, _) = model.predict(&held_out, &Mask::none());
    let right = held_out.map(|sequence| reversed(&sequence));
    let pairs = predicted.as_flattened().iter().zip(right.as_flattened());
    let right = pairs.filter(|(ours, right)| ours == right).count();
    right as f32 / (held_out.len() * LEN) as f32
}
