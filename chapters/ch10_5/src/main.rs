//! The program of section 10.5: a game for two heads, the layer on its
//! worked example, and what each head of a trained layer is good for.

mod demo;

use anyhow::Result;
use ch10_3::Mask;
use ch10_5::{MultiHeadAttention, merge_heads, split_heads};
use clap::Parser;
use demo::{game, seeds};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};
use std::process::ExitCode;
use support::{Labels, RunArgs, SeedArgs, heading, show_heatmaps};

/// Several heads, and what each is good for
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Train each model for N steps
    #[arg(long, value_name = "N", value_parser = support::number(1..=100_000))]
    steps: Option<usize>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Choose learning rates, and count what models of other seeds do
    Seeds(SeedArgs),
}

fn main() -> ExitCode {
    support::run("ch10_5", |args: Args| {
        if let Some(Command::Seeds(seed)) = args.command {
            seeds::main(&seed.into());
            return Ok(());
        }
        args.run.check_out()?;
        let trained = game::train_all(&args.run, args.steps);
        trained.results(&args.run)?;
        let dev = Dev::seed_from_u64(args.run.seed);
        split_and_merge(&dev);
        let layer = MultiHeadAttention::new(&dev, 0.0);
        shapes(&dev, &layer);
        heads(&args.run, &dev, &layer)?;
        trained.scores(&args.run)?;
        trained.masked();
        Ok(())
    })
}

/// Three positions of width 4, cut for two heads: rightly, and wrongly.
fn split_and_merge(dev: &Dev) {
    heading("Cutting rows into heads");
    let x: Tensor3<1, 3, 4> = dev.tensor([[
        [0.0, 1.0, 2.0, 3.0],
        [10.0, 11.0, 12.0, 13.0],
        [20.0, 21.0, 22.0, 23.0],
    ]]);
    println!("rows            {:.0?}", x.array()[0]);
    // ANCHOR: both
    let split: Tensor4<1, 2, 3, 2> = split_heads(x.clone());
    let reshaped: Tensor4<1, 2, 3, 2> = x.clone().reshape();
    // ANCHOR_END: both
    for (name, heads) in [("split", &split), ("reshape", &reshaped)] {
        for (h, rows) in heads.array()[0].iter().enumerate() {
            println!("{name:<8}head {h}  {rows:.0?}");
        }
    }
    let merged: Tensor3<1, 3, 4> = merge_heads(split);
    println!("merged again    {:.0?}", merged.array()[0]);
}

/// Width 100 in five heads of 20.
type Layer = MultiHeadAttention<100, 5, 20>;

/// Of six pairs, 3 of the first example are no padding, and 2 of the second.
fn mask() -> Mask<2, 4, 6> {
    Mask::valid_lens([3, 2])
}

fn shapes(dev: &Dev, layer: &Layer) {
    use ch10_2::parameters::Parameters;
    heading("Two examples, four queries, six pairs");
    let queries: Tensor3<2, 4, 100> = dev.ones();
    let pairs: Tensor3<2, 6, 100> = dev.ones();
    let got = layer.forward(queries, pairs.clone(), pairs, &mask());
    println!("parameters {}", layer.clone().count());
    println!("output  {:?}", got.output.shape().concrete());
    println!("weights {:?}", got.weights.shape().concrete());
    for b in 0..2 {
        line(&format!("ex. {b}, head 0, query 0"), 4, &got.weights.array()[b][0][0]);
    }
}

fn heads(run: &RunArgs, dev: &Dev, layer: &Layer) -> Result<()> {
    heading("Five heads, five sets of weights");
    let queries: Tensor3<2, 4, 100> = dev.sample_normal();
    let pairs: Tensor3<2, 6, 100> = dev.sample_normal();
    let weights = layer.forward(queries, pairs.clone(), pairs, &mask()).weights.array();
    for (h, head) in weights[0].iter().enumerate() {
        line(&format!("ex. 0, head {h}, query 0"), 4, &head[0]);
    }
    let titles = (0..5).map(|h| format!("head {h}")).collect();
    let labels = Labels { titles, columns: 3, ..Labels::default() };
    run.figure("heads", &show_heatmaps(&weights[0], &labels)?)
}

/// Prints a label and numbers with `digits` digits after the point.
fn line(label: &str, digits: usize, numbers: &[f32]) {
    print!("{label:<22}");
    for number in numbers {
        print!("{number:width$.digits$}", width = digits + 4);
    }
    println!();
}
