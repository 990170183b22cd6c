//! Exercise 3 of section 10.4: rows of letters to be written backwards, where
//! it is known which letter each step needs. `--models` trains more than one.

use ch10_4::BahdanauAttention;
use ch10_4::task::letters::{LENGTHS, Outcome, ROWS, TOKENS, TRAINING_STEPS, learn};
use kernels::{Dev, MaybeSend};
use seq2seq::context::{Context, FixedContext};
use seq2seq::translator::{Config, Translator};
use std::process::ExitCode;
use support::{RunArgs, row, seeds};

const WIDTH: usize = 32;

/// Trains a model with this context, and tests it.
fn outcome<C: Context<WIDTH> + MaybeSend>(
    seed: u64,
    context: impl Fn(&Dev) -> C,
) -> Outcome {
    let config = Config { layers: 1, embedding_dropout: 0.0, layer_dropout: 0.0 };
    let model = learn(seed, |dev| -> Translator<WIDTH, WIDTH, C> {
        Translator::new(dev, (TOKENS, TOKENS), &config, context(dev))
    });
    Outcome::new(|row| model.translate(row))
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
            let with = outcome(seed, |dev| BahdanauAttention::new(dev, 0.0));
            let without = outcome(seed, |_| FixedContext);
            for (name, right) in [("with", with.right), ("without", without.right)] {
                let right = right.map(|rows| rows.to_string());
                row(name, 10, &[&[seed.to_string()], &right[..]].concat());
            }
            assert!(with.right[3] > ROWS / 2 && with.right[3] > without.right[3] + 20);
            largest.push((seed, with));
        }
        println!("\nthe largest weight in the steps of rows that are right, in %");
        row("seed", 10, &["before", "on it", "after", "elsewhere"]);
        for (seed, with) in largest {
            let percent = with.percent();
            row(&seed.to_string(), 10, &percent);
            assert!(percent[1] + percent[2] > 90);
        }
        Ok(())
    })
}
