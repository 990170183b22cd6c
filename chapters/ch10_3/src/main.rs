//! The demo of section 10.3: masks, an example to check by hand, worked
//! examples. The subcommands are those of its side pages.

mod demo;

use clap::{Parser, Subcommand};
use demo::Training;
use kernels::Dev;
use std::process::ExitCode;
use support::RunArgs;

/// Attention scoring functions
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    run: RunArgs,
    #[command(subcommand)]
    part: Option<Part>,
}

#[derive(Subcommand)]
enum Part {
    /// Measure what dividing by √d is for
    Scaling,
    /// Train with three divisors, at several learning rates
    Divisors(Training),
    /// Train scores to look values up
    Lookup {
        #[command(flatten)]
        training: Training,
        /// Show how the learning rates were chosen
        #[arg(long)]
        rates: bool,
    },
}

fn main() -> ExitCode {
    support::run("ch10_3", |Args { run, part }| {
        run.check_out()?;
        let dev = Dev::seed_from_u64(run.seed);
        match part {
            Some(Part::Scaling) => demo::scaling::scaling(&dev, &run)?,
            Some(Part::Divisors(training)) => demo::divisors::divisors(&training, &run),
            Some(Part::Lookup { training, rates: true }) => {
                demo::lookup::rates(&training, &run);
            }
            Some(Part::Lookup { training, .. }) => {
                demo::lookup::learned_lookup(&training, &run);
            }
            None => demo::run(&dev, &run)?,
        }
        Ok(())
    })
}
