//! The demo of the interlude: sentences as tensors, the parts of the model, a
//! short training, translations and how good they are.

mod demo;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use support::{RunArgs, SeedArgs};

/// Sequence to sequence: an encoder and a decoder without attention
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Args {
    #[command(flatten)]
    run: RunArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Show how sentences become tensors, and BLEU by hand
    Sentences,
    /// Learn pieces of words, and cut words into them
    Pieces {
        /// The words, in English
        words: Vec<String>,
    },
    /// Train several seeds; count the sentences that come out by heart
    ByHeart {
        /// Trainings, each from another seed
        #[arg(long, value_name = "N", default_value_t = 12)]
        #[arg(value_parser = support::number(1..=100))]
        seeds: usize,
        #[command(flatten)]
        seed: SeedArgs,
    },
}

fn main() -> ExitCode {
    support::run("seq2seq", |args: Args| match args.command {
        Some(Command::Sentences) => demo::parts::sentences(),
        Some(Command::Pieces { words }) => {
            demo::pieces::pieces(&words);
            Ok(())
        }
        Some(Command::ByHeart { seeds, seed }) => {
            demo::training::by_heart(&seed.into(), seeds)
        }
        None => {
            args.run.check_out()?;
            demo::training::training(&args.run)?;
            demo::parts::parts(args.run.seed);
            Ok(())
        }
    })
}
