//! The encoder alone: trained to reverse sequences.

use anyhow::Result;
use ch10_2::parameters::Parameters;
use ch10_7::reversal::{LEN, Reverser, Sequence, random_sequence, reversed};
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::program::Job;
use seq2seq::train::Trainer;
use std::collections::HashSet;
use support::{Labels, Progress, heading, row, show_heatmaps};

/// The flags of `reversal`.
#[derive(clap::Args)]
pub struct Args {
    /// Train in N steps
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = support::number(10..=100_000))]
    steps: usize,
}

/// Sequences in a worker's part of a batch.
const PART: usize = 32;
const LR: f32 = 0.003;

/// Trains, evaluates on sequences that were held out, and draws the weights.
pub fn reversal(job: &Job, args: &Args) -> Result<()> {
    job.run.check_out()?;
    heading("Encoder alone");
    let mut rng = StdRng::seed_from_u64(job.run.seed);
    let held_out: [Sequence; 512] = std::array::from_fn(|_| random_sequence(&mut rng));
    let mut model = train(args.steps, job.run.seed, &mut rng, &HashSet::from(held_out));
    println!("parameters {}", model.count());
    let (predicted, _) = model.predict(&held_out);
    let right = predicted.iter().zip(&held_out);
    let right = right.filter(|(ours, asked)| **ours == reversed(asked)).count();
    println!("\nheld-out sequences {}, right as a whole {right}", held_out.len());
    draw(job, &model, held_out[0])
}

/// The learning rate rises over the first tenth of the steps and falls after.
fn train(
    steps: usize,
    seed: u64,
    rng: &mut StdRng,
    held_out: &HashSet<Sequence>,
) -> Reverser {
    let mut trainer = Trainer::new(2, seed, LR, Reverser::new);
    let mut progress = Progress::new("reversing", steps);
    row("step", 10, &["loss"]);
    for step in 1..=steps {
        let share = step as f32 / steps as f32;
        trainer.set_lr(LR * (10.0 * share).min(1.05 - share));
        let mut sequence = || loop {
            let drawn = random_sequence(rng);
            if !held_out.contains(&drawn) {
                return drawn;
            }
        };
        let parts: [[Sequence; PART]; 2] =
            std::array::from_fn(|_| std::array::from_fn(|_| sequence()));
        let loss = trainer.step(&parts, |model, part| model.loss(part));
        let loss = loss / (2 * PART) as f32;
        progress.step(loss);
        if step == 1 || step % (steps / 8).max(1) == 0 {
            row(&step.to_string(), 10, &[format!("{loss:.4}")]);
        }
    }
    trainer.into_model()
}

/// Prints one sequence and draws its weights.
fn draw(job: &Job, model: &Reverser, sequence: Sequence) -> Result<()> {
    let ([predicted], weights) = model.predict(&[sequence]);
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
