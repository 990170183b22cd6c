//! The demo of section 10.3: masks, an example to check by hand, worked
//! examples. The subcommands are those of its side pages.

mod demo;

use clap::{Parser, Subcommand};
use demo::Training;
use kernels::Dev;
use std::process::ExitCode;
use support::{RunArgs, SeedArgs};

/// Attention scoring functions
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Args {
    #[command(flatten)]
    run: RunArgs,
    #[command(subcommand)]
    part: Option<Part>,
}

#[derive(Subcommand)]
enum Part {
    /// Measure the effect of dividing by √d
    Scaling(RunArgs),
    /// Train with three divisors, at several learning rates
    Divisors {
        #[command(flatten)]
        training: Training,
        #[command(flatten)]
        seed: SeedArgs,
    },
    /// Train scores to look values up
    Lookup {
        #[command(flatten)]
        training: Training,
        /// Show how the learning rates were chosen
        #[arg(long)]
        rates: bool,
        #[command(flatten)]
        seed: SeedArgs,
    },
}

fn main() -> ExitCode {
    support::run("ch10_3", |Args { run, part }| {
        match part {
            Some(Part::Scaling(run)) => {
                run.check_out()?;
                demo::scaling::scaling(&Dev::seed_from_u64(run.seed), &run)?;
            }
            Some(Part::Divisors { training, seed }) => {
                demo::divisors::divisors(&training, &seed.into());
            }
            Some(Part::Lookup { training, rates: true, seed }) => {
                demo::lookup::rates(&training, &seed.into());
            }
            Some(Part::Lookup { training, seed, .. }) => {
                demo::lookup::learned_lookup(&training, &seed.into());
            }
            None => {
                run.check_out()?;
                demo::run(&Dev::seed_from_u64(run.seed), &run)?;
            }
        }
        Ok(())
    })
}
