// ANCHOR: main
//! The telling run of section 10.7.

mod parts;
mod time;

use clap::Command;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = Command::new("ch10_7").about("The Transformer");
    let command = command.subcommand(time::command());
    support::run_with("ch10_7", command, 0, |run, args| {
        if let Some(("time", args)) = args.subcommand() {
            let runs = args.get_one::<u16>("runs").copied().unwrap_or(1);
            return time::measured(run, runs.into());
        }
        parts::norms();
        parts::shapes(run.seed);
        Ok(())
    })
}
// ANCHOR_END: main
