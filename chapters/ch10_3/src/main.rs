// ANCHOR: main
//! The telling run of section 10.3: masks, the example to check by hand, the
//! heat maps, and more in closer.rs, learning.rs and scaling.rs. The mechanism
//! that it runs is the library.

use anyhow::Result;
use ch10_1::{Dev, Labels, show_heatmaps};
use ch10_3::*;
use dfdx::prelude::*;
use std::process::ExitCode;
use support::{Run, heading, row};

mod closer;
mod learning;
mod scaling;

/// Columns that a label takes.
const WIDTH: usize = 24;

fn main() -> ExitCode {
    let about = "Section 10.3: attention scoring functions";
    support::old::run("ch10_3", about, 0, |run| {
        let dev = Dev::seed_from_u64(run.seed);
        masks(&dev);
        by_hand(&dev);
        scaling::two_scores(&dev);
        scaling::over_widths(&dev, run)?;
        worked("Equal keys", dev.ones(), run)?;
        worked("Keys that differ", dev.sample_normal(), run)?;
        learning::look_up(&dev)?;
        closer::dropout(&dev);
        closer::gaussian(&dev);
        closer::which_axis(&dev, run)
    })
}

/// Prints the rows of a matrix, numbered, to four digits.
pub fn print<const ROWS: usize, const COLUMNS: usize>(
    name: &str,
    matrix: [[f32; COLUMNS]; ROWS],
) {
    for (r, cells) in matrix.into_iter().enumerate() {
        let cells = cells.map(|x| format!("{x:.4}"));
        row(&format!("{name} {r}"), WIDTH, &cells);
    }
}
// ANCHOR_END: main

// ANCHOR: masks
fn masks(dev: &Dev) {
    heading("Masked softmax");
    let scores: Tensor<Rank3<2, 2, 4>, f32, Dev> = dev.sample_uniform();
    for (what, lens) in [
        ("no lengths", ValidLens::All),
        ("one per example: [2, 3]", ValidLens::PerExample([2, 3])),
        ("one per query: [[1, 3], [2, 4]]", ValidLens::PerQuery([[1, 3], [2, 4]])),
        ("causal: [[1, 2], [1, 2]]", ValidLens::causal()),
        ("a length of 0: [0, 4]", ValidLens::PerExample([0, 4])),
    ] {
        println!("{what}");
        let weights = masked_softmax(scores.clone(), &lens).array();
        print("  example 0, query", weights[0]);
        print("  example 1, query", weights[1]);
    }
}
// ANCHOR_END: masks

// ANCHOR: by_hand
fn by_hand(dev: &Dev) {
    heading("An example to check by hand");
    let queries =
        dev.tensor([[[0.3367, 0.1288], [0.2345, 0.2303], [-1.1229, -0.1863]]]);
    let keys = dev.tensor([[[2.2082, -0.6380], [0.4617, 0.2674], [0.5349, 0.8094]]]);
    let values = dev.tensor([[[1.1103, -1.6898], [-0.9890, 0.9580], [1.3221, 0.8172]]]);
    let columns = keys.clone().permute::<Rank3<1, 2, 3>, _>();
    let scores = queries.clone().matmul(columns) / 2f32.sqrt();
    print("scores of query", scores.array()[0]);
    let attention = DotProductAttention::default();
    let got = attention.forward(queries, keys, values, &ValidLens::All);
    print("weights of query", got.weights.array()[0]);
    print("output of query", got.output.array()[0]);
}
// ANCHOR_END: by_hand

// ANCHOR: to_forty
/// The numbers from 0 on, four to a value, the same for both examples.
fn to_forty(dev: &Dev) -> Tensor<Rank3<2, 10, 4>, f32, Dev> {
    let count: Vec<f32> = (0..40u8).map(f32::from).collect();
    dev.tensor((count, (Const::<10>, Const::<4>))).broadcast()
}
// ANCHOR_END: to_forty

// ANCHOR: worked
fn worked(
    title: &str,
    keys: Tensor<Rank3<2, 10, 2>, f32, Dev>,
    run: &Run,
) -> Result<()> {
    heading(title);
    let dev = keys.device().clone();
    let lens = ValidLens::PerExample([2, 6]);
    let values = to_forty(&dev);
    let layer = AdditiveAttention::<20, 2, 8>::new(&dev, 0.1);
    let queries: Tensor<Rank3<2, 1, 20>, f32, Dev> = dev.sample_normal();
    let additive = layer.forward(queries, keys.clone(), values.clone(), &lens);
    let layer = DotProductAttention { dropout: 0.5 };
    let queries: Tensor<Rank3<2, 1, 2>, f32, Dev> = dev.sample_normal();
    let dot = layer.forward(queries, keys, values, &lens);
    print("additive, example", additive.output.array().map(|[row]| row));
    print("dot product, example", dot.output.array().map(|[row]| row));
    let titles = ["Additive", "Scaled dot product"].map(String::from);
    let labels = Labels { titles: titles.into(), ..Labels::default() };
    let maps = [additive.weights, dot.weights].stack();
    let maps: Tensor<Rank4<1, 2, 2, 10>, f32, Dev> = maps.reshape();
    let name = title.to_lowercase().replace(' ', "_");
    run.figure(&name, &show_heatmaps(&maps, &labels)?)
}
// ANCHOR_END: worked
