//! The encoder alone: trained to reverse sequences.

use anyhow::Result;
use ch10_2::parameters::Parameters;
use ch10_3::Mask;
use ch10_7::NormPosition;
use ch10_7::reversal::{
    LEN, Reverser, Sequence, random_sequence, reversed, train_reverser,
};
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::program::Job;
use support::{Labels, Progress, heading, row, show_heatmaps};

/// The flags of `reversal`.
#[derive(clap::Args)]
pub struct Args {
    /// Train in N steps
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = support::number(10..=100_000))]
    steps: usize,
}

/// Trains, evaluates on sequences that were held out, and draws the weights.
pub fn reversal(job: &Job, args: &Args) -> Result<()> {
    job.run.check_out()?;
    heading("Encoder alone");
    let (seed, steps) = (job.run.seed, args.steps);
    let held_out = held_out(seed);
    let mut progress = Progress::new("reversing", steps);
    row("step", 10, &["loss"]);
    let new = |dev: &_| Reverser::new(dev, 1, NormPosition::Post);
    let on_step = |step: usize, loss| {
        progress.step(loss);
        if step == 1 || step.is_multiple_of((steps / 8).max(1)) {
            row(&step.to_string(), 10, &[format!("{loss:.4}")]);
        }
    };
    let mut model = train_reverser(steps, seed, &held_out, new, &Mask::none(), on_step);
    println!("\nparameters {}", model.count());
    let (predicted, _) = model.predict(&held_out, &Mask::none());
    let right = predicted.iter().zip(&held_out);
    let right = right.filter(|(ours, asked)| **ours == reversed(asked)).count();
    println!("held-out sequences {}, right as a whole {right}", held_out.len());
    draw(job, &model, held_out[0])
}

/// Sequences to evaluate with.
pub fn held_out(seed: u64) -> [Sequence; 512] {
    let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1000));
    std::array::from_fn(|_| random_sequence(&mut rng))
}

/// Prints one sequence and draws its weights.
fn draw(job: &Job, model: &Reverser, sequence: Sequence) -> Result<()> {
    let ([predicted], weights) = model.predict(&[sequence], &Mask::none());
    let symbols = |sequence: [usize; LEN]| sequence.map(|s| s.to_string());
    println!("\nread    {}", symbols(sequence).join(" "));
    println!("written {}", symbols(predicted).join(" "));
    let labels = Labels {
        keys: "Symbols read",
        queries: "Symbols written",
        key_tokens: symbols(sequence).to_vec(),
        query_tokens: symbols(predicted).to_vec(),
        ..Labels::default()
    };
    let [[weights]] = weights.array();
    job.run.figure("reversal", &show_heatmaps(&weights, &labels)?)
}
