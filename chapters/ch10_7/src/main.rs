// ANCHOR: main
//! The telling run of section 10.7.

mod alone;
mod storyteller;

use clap::Command;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = Command::new("ch10_7").about("The Transformer");
    let command = command.subcommand(storyteller::command());
    support::run_with("ch10_7", command, 0, |run, args| {
        if let Some(("write", args)) = args.subcommand() {
            return storyteller::write(args);
        }
        alone::encoder_alone(run)?;
        alone::decoder_alone(run, args)
    })
}
// ANCHOR_END: main
