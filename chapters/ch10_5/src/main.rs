// ANCHOR: main
//! Section 10.5, multi-head attention: the telling run. It prints and draws;
//! the layer itself is in the library beside it.

mod game;

use anyhow::Result;
use ch10_1::{Dev, Labels, show_heatmaps};
use ch10_3::{Attended, ValidLens};
use ch10_5::{MultiHeadAttention, merge_heads, split_heads};
use dfdx::prelude::*;
use std::process::ExitCode;
use support::{Run, heading};

/// The seed that the book was made with.
const SEED: u64 = 105;

fn main() -> ExitCode {
    let about = "Section 10.5: several heads, and what each is good for";
    support::old::run("ch10_5", about, SEED, |run| {
        let dev = Dev::seed_from_u64(run.seed);
        places(&dev);
        let layer = MultiHeadAttention::new(&dev, 0.0);
        shapes(&dev, &layer);
        heads(run, &dev, &layer)?;
        game::played(run, &dev)
    })
}
// ANCHOR_END: main

// ANCHOR: places
/// Three positions of width 4, cut for two heads: rightly, and wrongly.
fn places(dev: &Dev) {
    heading("Cutting rows into heads");
    let x: Tensor<Rank3<1, 3, 4>, f32, Dev> = dev.tensor([[
        [0.0, 1.0, 2.0, 3.0],
        [10.0, 11.0, 12.0, 13.0],
        [20.0, 21.0, 22.0, 23.0],
    ]]);
    println!("rows            {:.0?}", x.array()[0]);
    let right: Tensor<Rank4<1, 2, 3, 2>, f32, Dev> = split_heads(x.clone());
    let wrong: Tensor<Rank4<1, 2, 3, 2>, f32, Dev> = x.clone().reshape();
    for (name, heads) in [("split", &right), ("reshape", &wrong)] {
        for (h, rows) in heads.array()[0].iter().enumerate() {
            println!("{name:<8}head {h}  {rows:.0?}");
        }
    }
    let back: Tensor<Rank3<1, 3, 4>, f32, Dev> = merge_heads(right);
    println!("merged again    {:.0?}", back.array()[0]);
}
// ANCHOR_END: places

// ANCHOR: shapes
/// Width 100 in five heads of 20.
type Layer = MultiHeadAttention<100, 100, 100, 5, 20, 100>;

/// Only 3 pairs of the first example are real, and 2 of the second.
const LENS: ValidLens<2, 4> = ValidLens::PerExample([3, 2]);

fn shapes(dev: &Dev, layer: &Layer) {
    heading("Two examples, four queries, six pairs");
    let queries: Tensor<Rank3<2, 4, 100>, f32, Dev> = dev.ones();
    let pairs: Tensor<Rank3<2, 6, 100>, f32, Dev> = dev.ones();
    let Attended { output, weights } =
        layer.forward(queries, pairs.clone(), pairs, &LENS);
    println!("parameters {}", layer.num_trainable_params());
    println!("output  {:?}", output.shape().concrete());
    println!("weights {:?}", weights.shape().concrete());
    for b in 0..2 {
        let first = weights.array()[b][0][0];
        line(&format!("ex. {b}, head 0, query 0"), 4, &first);
    }
}

/// Prints a label and numbers with so many digits after the point.
fn line(label: &str, digits: usize, numbers: &[f32]) {
    print!("{label:<22}");
    for number in numbers {
        print!("{number:width$.digits$}", width = digits + 4);
    }
    println!();
}
// ANCHOR_END: shapes

// ANCHOR: heads
fn heads(run: &Run, dev: &Dev, layer: &Layer) -> Result<()> {
    heading("Five heads, five opinions");
    let queries: Tensor<Rank3<2, 4, 100>, f32, Dev> = dev.sample_normal();
    let pairs: Tensor<Rank3<2, 6, 100>, f32, Dev> = dev.sample_normal();
    let Attended { weights, .. } = layer.forward(queries, pairs.clone(), pairs, &LENS);
    for (h, head) in weights.array()[0].iter().enumerate() {
        line(&format!("ex. 0, head {h}, query 0"), 4, &head[0]);
    }
    let name = |i: usize| format!("ex. {}, head {}", i / 5, i % 5);
    let titles = (0..10).map(name).collect();
    let labels = Labels { titles, ..Labels::default() };
    run.figure("heads", &show_heatmaps(&weights, &labels)?)
}
// ANCHOR_END: heads
