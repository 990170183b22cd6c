//! The demo of the interlude: sentences as tensors, the parts of the model, a
//! short training, translations and how good they are.

mod demo;

use clap::Parser;
use std::process::ExitCode;
use support::RunArgs;

/// Sequence to sequence: an encoder and a decoder without attention
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    run: RunArgs,
}

fn main() -> ExitCode {
    support::run("seq2seq", |args: Args| {
        args.run.check_out()?;
        demo::training::training(&args.run)?;
        demo::parts::sentences()?;
        demo::parts::parts(args.run.seed);
        Ok(())
    })
}
