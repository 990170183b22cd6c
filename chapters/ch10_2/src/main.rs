//! The program of section 10.2: three estimators of one curve, the last of
//! them trained. `kernels` is the program of its side page; `seeds` trains on
//! two hundred samples.

mod demo;

use clap::{Parser, Subcommand};
use demo::{Setting, estimators, kernels, seeds, training};
use std::process::ExitCode;
use support::{RunArgs, SeedArgs};

/// Attention pooling: Nadaraya-Watson kernel regression.
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
    /// Compare kernels, widths and amounts of data
    Kernels(RunArgs),
    /// Train on two hundred samples, and count
    Seeds(SeedArgs),
}

fn main() -> ExitCode {
    support::run("ch10_2", |Args { run, part }| {
        match part {
            Some(Part::Kernels(run)) => {
                let s = Setting::new(run.seed);
                kernels::kernels_and_widths(&run, &s)?;
                return kernels::more_data(&run, &s);
            }
            Some(Part::Seeds(seed)) => {
                seeds::counts(&seed.into());
                return Ok(());
            }
            None => {}
        }
        let s = Setting::new(run.seed);
        estimators::data(&s);
        estimators::average_pooling(&s);
        estimators::nadaraya_watson(&run, &s)?;
        estimators::batches(&s.dev);
        let model = training::training(&run, &s)?;
        training::trained(&run, &s, &model)?;
        training::three_estimates(&run, &s, &model)?;
        training::entropies(&s, &model);
        training::own_key(&s);
        Ok(())
    })
}
