// ANCHOR: main
//! Section 10.6, self-attention and positional encoding: the telling run. It
//! prints and draws; the mechanism is in the library beside it.

use ch10_1::Dev;
use ch10_3::{Attended, ValidLens};
use ch10_5::MultiHeadAttention;
use ch10_6::{PositionalEncoding, self_attend};
use dfdx::prelude::*;
use std::process::ExitCode;
use support::{heading, run};

/// The seed that the book was made with.
const SEED: u64 = 106;

fn main() -> ExitCode {
    let about = "Section 10.6: sequences that attend to themselves";
    run("ch10_6", about, SEED, |run| {
        let dev = Dev::seed_from_u64(run.seed);
        shapes(&dev);
        encoded(&dev);
        Ok(())
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

// ANCHOR: encoded
fn encoded(dev: &Dev) {
    heading("Positions as sines and cosines");
    let encoding: PositionalEncoding<60, 32> =
        PositionalEncoding::new(dev, 0.0);
    println!("table {:?}", encoding.table.shape().concrete());
}
// ANCHOR_END: encoded
