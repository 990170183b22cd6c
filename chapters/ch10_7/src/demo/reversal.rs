//! The encoder alone: trained to reverse sequences.

use anyhow::Result;
use ch10_2::parameters::Parameters;
use ch10_3::Mask;
use ch10_7::NormPosition;
use ch10_7::reversal::{
    LEN, Reverser, SYMBOLS, Sequence, random_sequence, reversed, train_reverser,
};
use dfdx::prelude::*;
use program::Job;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::greedy::argmax;
use support::{Labels, Progress, heading, row, seeds, show_heatmaps};

/// The flags of `reversal`.
#[derive(clap::Args)]
pub struct Args {
    /// Train in N steps
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = support::number(10..=100_000))]
    steps: usize,
    /// Train with N seeds, and count
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = support::number(1..=1000))]
    seeds: usize,
}

/// Trains, evaluates on sequences that were held out, and draws the weights.
pub fn reversal(job: &Job, args: &Args) -> Result<()> {
    if args.seeds > 1 {
        return count(job, args);
    }
    job.run.check_out()?;
    heading("Encoder alone");
    row("step", 10, &["loss"]);
    let on_step = |step: usize, loss: f32| {
        if step == 1 || step.is_multiple_of((args.steps / 8).max(1)) {
            row(&step.to_string(), 10, &[format!("{loss:.4}")]);
        }
    };
    let mut model = train(args.steps, job.run.seed, on_step);
    println!("\nparameters {}", model.count());
    let found = Found::new(&model, job.run.seed);
    println!("held-out sequences {HELD_OUT}, right as a whole {}", found.right);
    println!("weight on the position asked for: mean {:.2}", found.mean);
    draw(job, &model, held_out(job.run.seed)[0])
}

/// The same from several seeds.
fn count(job: &Job, args: &Args) -> Result<()> {
    let settings = (args.steps, args.seeds, HELD_OUT, job.run.seed);
    job.run.print_settings(&settings, &[]);
    heading("Encoder alone, several seeds");
    row("seed", 6, &["right", "mean", "least", "most"]);
    for seed in seeds(job.run.seed, args.seeds as u64) {
        let found = Found::new(&train(args.steps, seed, |_, _| ()), seed);
        let weights = [found.mean, found.least].map(|weight| format!("{weight:.2}"));
        let counts = [found.right, found.most].map(|count| count.to_string());
        let [[right, most], [mean, least]] = [counts, weights];
        row(&seed.to_string(), 6, &[right, mean, least, most]);
    }
    Ok(())
}

fn train(steps: usize, seed: u64, mut on_step: impl FnMut(usize, f32)) -> Reverser {
    let mut progress = Progress::new("reversing", steps);
    let new = |dev: &_| Reverser::new(dev, 1, NormPosition::Post);
    train_reverser(steps, seed, &held_out(seed), new, &Mask::none(), |step, loss| {
        progress.step(loss);
        on_step(step, loss);
    })
}

/// What a trained model does with the sequences that were held out.
struct Found {
    /// Sequences that are right as a whole.
    right: usize,
    /// The weight on the position that is asked for.
    mean: f32,
    least: f32,
    /// Rows in which the symbol asked for, summed over its positions, has more
    /// weight than any other symbol.
    most: usize,
}

impl Found {
    fn new(model: &Reverser, seed: u64) -> Self {
        let held_out = held_out(seed);
        let (predicted, weights) = model.predict(&held_out, &Mask::none());
        let right = predicted.iter().zip(&held_out);
        let right = right.filter(|(ours, asked)| **ours == reversed(asked)).count();
        let (mut sum, mut least, mut most) = (0.0, 1f32, 0);
        let rows = weights.as_vec();
        for (at, row) in rows.chunks(LEN).enumerate() {
            let (sequence, i) = (&held_out[at / LEN], at % LEN);
            let weight = row[LEN - 1 - i];
            (sum, least) = (sum + weight, least.min(weight));
            let mut of_symbol = [0.0; SYMBOLS];
            sequence.iter().zip(row).for_each(|(symbol, w)| of_symbol[*symbol] += w);
            most += usize::from(argmax(&of_symbol) == sequence[LEN - 1 - i]);
        }
        Found { right, mean: sum / (HELD_OUT * LEN) as f32, least, most }
    }
}

/// Sequences that are held out.
const HELD_OUT: usize = 512;

/// Sequences to evaluate with.
pub fn held_out(seed: u64) -> [Sequence; HELD_OUT] {
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
