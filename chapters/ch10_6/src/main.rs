// ANCHOR: main
//! Section 10.6, self-attention and positional encoding: the telling run. It
//! prints and draws; the mechanism is in the library beside it. `time`
//! measures what a convolution, a recurrent network and attention cost.

mod order;
mod positions;
mod pronoun;
mod sight;
mod time;

use ch10_1::Dev;
use ch10_3::{Attended, ValidLens};
use ch10_5::MultiHeadAttention;
use ch10_6::{SelfAttention, self_attend};
use clap::{Arg, Command, value_parser};
use dfdx::prelude::*;
use std::process::ExitCode;
use support::heading;

/// The seed that the book was made with.
const SEED: u64 = 106;

fn main() -> ExitCode {
    let about = "Section 10.6: sequences that attend to themselves";
    let command = Command::new("ch10_6").about(about);
    let command = command.subcommand(time::command());
    let steps = Arg::new("steps").long("steps").value_name("N");
    let steps = steps.value_parser(value_parser!(u16));
    let command = command.arg(steps.help("Train for so many steps"));
    support::run_with("ch10_6", command, SEED, |run, args| {
        let dev = Dev::seed_from_u64(run.seed);
        if let Some(("time", args)) = args.subcommand() {
            let runs = args.get_one::<u16>("runs").copied().unwrap_or(30);
            return time::measured(run, &dev, runs.into());
        }
        shapes(&dev);
        one_head(&dev);
        let order = order::Order::new(&dev);
        order.lost();
        positions::told(run, &dev)?;
        order.kept();
        let steps = args.get_one::<u16>("steps").map(|&n| n.into());
        sight::pixels(run, &dev, steps.unwrap_or(300))?;
        pronoun::meant(run, &dev, steps.unwrap_or(800))
    })
}
// ANCHOR_END: main

// ANCHOR: shapes
/// Width 100 in five heads of 20.
type Layer = MultiHeadAttention<100, 100, 100, 5, 20, 100>;

fn shapes(dev: &Dev) {
    heading("A sequence that attends to itself");
    let layer: Layer = MultiHeadAttention::new(dev, 0.0);
    let x: Tensor<Rank3<2, 4, 100>, f32, Dev> = dev.ones();
    let lens = ValidLens::PerExample([3, 2]);
    let Attended { output, weights } = self_attend(&layer, x, &lens);
    println!("output  {:?}", output.shape().concrete());
    println!("weights {:?}", weights.shape().concrete());
}
// ANCHOR_END: shapes

// ANCHOR: one_head_run
/// Three sequences with room for ten rows each.
type Rows<const D: usize> = Tensor<Rank3<3, 10, D>, f32, Dev>;

fn one_head(dev: &Dev) {
    heading("One head, three lengths");
    let lens = [7, 10, 4];
    let layer: SelfAttention<128, 64> = SelfAttention::new(dev);
    let x: Rows<128> = dev.sample_normal();
    let valid = ValidLens::PerExample(lens);
    let Attended { output, weights } = layer.forward(x.clone(), &valid);
    println!("output  {:?}", output.shape().concrete());
    for (b, rows) in weights.array().iter().enumerate() {
        let row = rows[0].map(|weight| format!("{weight:.2}"));
        println!("example {b}, row 0   {}", row.join(" "));
    }
    let noise: Rows<128> = dev.sample_normal();
    let (mut padded, noise) = (x.array(), noise.array());
    for (b, len) in lens.into_iter().enumerate() {
        padded[b][len..].copy_from_slice(&noise[b][len..]);
    }
    let other = layer.forward(dev.tensor(padded), &valid).output.array();
    let output = output.array();
    let same = |b: usize| output[b][..lens[b]] == other[b][..lens[b]];
    println!("other padding, same rows: {:?}", [same(0), same(1), same(2)]);
}
// ANCHOR_END: one_head_run
