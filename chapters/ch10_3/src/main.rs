//! The demo of section 10.3: masks, an example to check by hand, worked
//! examples, a lookup that is learned. `scaling` is the demo of its side page.

mod demo;

use clap::{Parser, Subcommand};
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
}

fn main() -> ExitCode {
    support::run("ch10_3", |Args { run, part }| {
        run.check_out()?;
        let dev = Dev::seed_from_u64(run.seed);
        match part {
            Some(Part::Scaling) => demo::scaling::scaling(&dev, &run),
            None => demo::run(&dev, &run),
        }
    })
}
