//! The demo of the interlude: sentences as tensors, the parts of the model, a
//! short training, translations and how good they are.

mod demo;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use support::RunArgs;

/// Sequence to sequence: an encoder and a decoder without attention
#[derive(Parser)]
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
}

fn main() -> ExitCode {
    support::run("seq2seq", |args: Args| {
        if let Some(Command::Sentences) = args.command {
            return demo::parts::sentences();
        }
        args.run.check_out()?;
        demo::training::training(&args.run)?;
        demo::parts::parts(args.run.seed);
        Ok(())
    })
}
