//! The program of section 10.6: self-attention, what it does without an order,
//! and positional encoding. The side pages have commands of their own.

mod demo;

use anyhow::Result;
use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use ch10_6::{SelfAttention, self_attention};
use clap::Parser;
use demo::{coreference, order, pixels, positions};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
use std::process::ExitCode;
use support::{RunArgs, SeedArgs, heading};

/// Sequences that attend to themselves
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Args {
    #[command(flatten)]
    run: RunArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Train models that compare shapes, with attention over pixels
    Pixels {
        #[command(flatten)]
        args: pixels::Args,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Choose their learning rates, and count what models of other seeds do
    Shapes(SeedArgs),
    /// Train models that say what "it" refers to
    Coreference {
        #[command(flatten)]
        args: coreference::Args,
        #[command(flatten)]
        run: RunArgs,
    },
}

fn main() -> ExitCode {
    support::run("ch10_6", |args: Args| match args.command {
        Some(Command::Pixels { args, run }) => {
            run.check_out()?;
            pixels::main(&run, &args)
        }
        Some(Command::Shapes(seed)) => pixels::count(&seed.into()),
        Some(Command::Coreference { args, run }) => {
            run.check_out()?;
            coreference::main(&run, &args)
        }
        None => {
            args.run.check_out()?;
            main_page(&args.run)
        }
    })
}

fn main_page(run: &RunArgs) -> Result<()> {
    let dev = Dev::seed_from_u64(run.seed);
    let order = order::Order::new(&dev);
    order.lost();
    shapes(&dev);
    one_head(&dev);
    order.weights(run)?;
    order.in_all_orders();
    positions::main(run, &dev)?;
    order.with_positions();
    Ok(())
}

fn shapes(dev: &Dev) {
    heading("A sequence that attends to itself");
    // ANCHOR: shapes
    let layer: MultiHeadAttention<100, 5, 20> = MultiHeadAttention::new(dev, 0.0);
    let x: Tensor3<2, 4, 100> = dev.ones();
    let got = self_attention(&layer, x, &Mask::valid_lens([3, 2]));
    // ANCHOR_END: shapes
    println!("output  {:?}", got.output.shape().concrete());
    println!("weights {:?}", got.weights.shape().concrete());
}

/// Three sequences with room for ten rows each.
fn one_head(dev: &Dev) {
    heading("One head, three lengths");
    let lens = [7, 10, 4];
    let layer: SelfAttention<128, 64> = SelfAttention::new(dev);
    let x: Tensor3<3, 10, 128> = dev.sample_normal();
    let mask = Mask::valid_lens(lens);
    let got = layer.forward(x.clone(), &mask);
    println!("output  {:?}", got.output.shape().concrete());
    for (b, rows) in got.weights.array().iter().enumerate() {
        let row = rows[0].map(|weight| format!("{weight:.2}"));
        println!("example {b}, row 0   {}", row.join(" "));
    }
    let noise: Tensor3<3, 10, 128> = dev.sample_normal();
    let (mut padded, noise) = (x.array(), noise.array());
    for (b, len) in lens.into_iter().enumerate() {
        padded[b][len..].copy_from_slice(&noise[b][len..]);
    }
    let other = layer.forward(dev.tensor(padded), &mask).output.array();
    let output = got.output.array();
    let same = |b: usize| output[b][..lens[b]] == other[b][..lens[b]];
    println!("other padding, same rows: {:?}", [same(0), same(1), same(2)]);
}
