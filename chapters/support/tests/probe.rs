//! A program as a section has them, for the tests of what happens to one.

use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::ExitCode;
use support::{Labels, ModelPath, Progress, RunArgs, heading, note, show_heatmaps};

/// Runs into walls
#[derive(clap::Parser)]
#[command(mut_arg("seed", |seed| seed.default_value("7")))]
struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Where the model is saved
    #[arg(long, value_name = "FILE", global = true)]
    model: Option<PathBuf>,
    /// Train for N epochs
    #[arg(long, value_name = "N", default_value_t = 20, global = true)]
    #[arg(value_parser = support::number(1..=100_000))]
    epochs: usize,
    /// Sample at this temperature
    #[arg(long, value_name = "T", default_value_t = 1.0)]
    #[arg(value_parser = support::real(0.01..=100.0))]
    temperature: f32,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Trains, or reads the model, and prints
    Train,
    /// Prints its seeds
    Seeds,
    /// Prints what is worth a record
    Record,
    /// Fails with this text
    Fail {
        /// The text
        text: String,
    },
    /// Makes a mistake
    Panic,
}

fn main() -> ExitCode {
    support::run("support_probe", |args: Args| match &args.command {
        None => {
            args.run.check_out()?;
            let map = show_heatmaps(&[[0.0, 1.0]], &Labels::default())?;
            args.run.figure("map", &map)
        }
        Some(Command::Train) => train(&args),
        Some(Command::Seeds) => {
            let seeds: Vec<u64> = support::seeds(args.run.seed, 3).collect();
            println!("{seeds:?}");
            Ok(())
        }
        Some(Command::Record) => {
            args.run.print_settings(&(args.epochs, args.run.seed), b"data");
            println!("after hours");
            Ok(())
        }
        Some(Command::Fail { text }) => bail!("{text}"),
        Some(Command::Panic) => panic!("a b c\nd e f"),
    })
}

fn train(args: &Args) -> Result<()> {
    let settings = (args.epochs, args.temperature, args.run.seed);
    let file = ModelPath::new(args.model.clone(), "support_probe", &settings, b"");
    if file.load()?.is_none() {
        file.check()?;
        note("no model yet: training");
        let mut progress = Progress::new("training", args.epochs);
        (0..args.epochs).for_each(|i| progress.step(1.0 / (i + 1) as f32));
        file.save(b"\x02\0\0\0\0\0\0\0{}")?;
    }
    heading("Model");
    Ok(())
}
