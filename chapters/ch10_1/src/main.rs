// ANCHOR: main
//! The telling run of section 10.1: a desk with five things on it, looked at
//! without a cue, with one, and with the wish to read.
//!
//! Only calls and prints; what it calls is in `lib.rs`. Nothing is random.

use anyhow::Result;
use ch10_1::*;
use dfdx::prelude::*;
use std::process::ExitCode;
use support::{Mark, Plot, Run, Series, heading, line_plots, row};

fn main() -> ExitCode {
    let about = "Attention cues: a look-up that is soft, and its heat maps";
    support::run("ch10_1", about, 0, |run| {
        let dev = Dev::seed_from_u64(run.seed);
        the_desk(&dev);
        average_pooling(&dev);
        heat_maps(run, &dev)?;
        three_queries(run, &dev)?;
        from_cup_to_book(run, &dev)?;
        from_soft_to_hard(run, &dev)
    })
}
// ANCHOR_END: main

// ANCHOR: the_desk
fn the_desk(dev: &Dev) {
    heading("The desk");
    let keys: Tensor<Rank2<5, 2>, f32, Dev> = dev.tensor(KEYS);
    let values: Tensor<Rank2<5, 4>, f32, Dev> = dev.tensor(VALUES);
    println!("keys {:?}", keys.shape().concrete());
    println!("values {:?}", values.shape().concrete());
    row("", 10, &["eye", "reading", "red", "words", "warmth", "scent"]);
    for (k, object) in OBJECTS.iter().enumerate() {
        row(object, 10, &[&KEYS[k][..], &VALUES[k][..]].concat());
    }
}

fn rows<const N: usize>(names: &[&str], numbers: &[[f32; N]]) {
    for (name, numbers) in names.iter().zip(numbers) {
        row(name, 10, &numbers.map(|x| format!("{x:.4}")));
    }
}
// ANCHOR_END: the_desk

// ANCHOR: average_pooling
fn average_pooling(dev: &Dev) {
    heading("Average pooling");
    let mean: Tensor<Rank1<4>, f32, Dev> = average(dev.tensor(VALUES));
    row("", 10, &["red", "words", "warmth", "scent"]);
    rows(&["mean"], &[mean.array()]);
}
// ANCHOR_END: average_pooling

// ANCHOR: heat_maps
fn heat_maps(run: &Run, dev: &Dev) -> Result<()> {
    heading("Heat maps");
    let mut identity = [[0.0; 10]; 10];
    (0..10).for_each(|i| identity[i][i] = 1.0);
    let panels: Tensor<Rank4<1, 1, 10, 10>, f32, Dev> =
        dev.tensor([[identity]]);
    println!("panels {:?}", panels.shape().concrete());
    run.figure("identity", &show_heatmaps(&panels, &Labels::default())?)
}
// ANCHOR_END: heat_maps

// ANCHOR: three_queries
const NAMES: [&str; 3] = ["no cue", "a glance", "to read"];
const QUERIES: [[f32; 2]; 3] = [[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]];
const TEMPERATURE: f32 = 0.2;

fn three_queries(run: &Run, dev: &Dev) -> Result<()> {
    heading("Three queries");
    let queries: Tensor<Rank2<3, 2>, f32, Dev> = dev.tensor(QUERIES);
    let (keys, values) = (dev.tensor(KEYS), dev.tensor(VALUES));
    let LookedUp { output, weights } =
        soft_look_up(queries, keys, values, TEMPERATURE);
    row("weights", 10, &OBJECTS);
    rows(&NAMES, &weights.array());
    row("output", 10, &["red", "words", "warmth", "scent"]);
    rows(&NAMES, &output.array());
    let panels: Tensor<Rank4<1, 1, 3, 5>, f32, Dev> = weights.reshape();
    let labels = Labels::tokens(&NAMES, &OBJECTS);
    run.figure("three_queries", &show_heatmaps(&panels, &labels)?)
}
// ANCHOR_END: three_queries

// ANCHOR: from_cup_to_book
fn from_cup_to_book(run: &Run, dev: &Dev) -> Result<()> {
    heading("From the cup to the book");
    let wishes: [f32; 51] = std::array::from_fn(|i| i as f32 / 25.0);
    let queries = dev.tensor(wishes.map(|wish| [1.0, wish]));
    let scores = score(queries, dev.tensor(KEYS));
    let weights: [[f32; 5]; 51] = weigh(scores, TEMPERATURE).array();
    row("wish", 10, &OBJECTS);
    for q in (0..51).step_by(10) {
        rows(&[&format!("{:.1}", wishes[q])], &[weights[q]]);
    }
    let series = OBJECTS.iter().enumerate().map(|(k, object)| {
        let weights = weights.map(|w| w[k].into());
        let points = wishes.map(f64::from).into_iter().zip(weights);
        let mark = if k % 2 == 0 && k > 0 { Mark::Line } else { Mark::Dashes };
        Series::new(object, mark, points)
    });
    let labels = ("strength of the wish to read", "weight");
    let series = series.collect();
    let plot = Plot { labels, series, ..Plot::default() };
    run.figure("from_cup_to_book", &line_plots(&[plot], 1)?)
}
// ANCHOR_END: from_cup_to_book

// ANCHOR: from_soft_to_hard
fn from_soft_to_hard(run: &Run, dev: &Dev) -> Result<()> {
    heading("From soft to hard");
    println!("temperature  largest weight  distance to the hard look-up");
    for t in [10.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.01] {
        let [largest, distance] = measure(dev, t);
        println!("{t:>11}{largest:>16.4}{distance:>30.4}");
    }
    let temperatures = (-40..=40).map(|i| 10f32.powf(i as f32 / 20.0));
    let series = |i: usize, name, mark| {
        let temperatures = temperatures.clone();
        let points =
            temperatures.map(|t| (t.into(), measure(dev, t)[i].into()));
        Series::new(name, mark, points)
    };
    let largest = series(0, "largest weight", Mark::Line);
    let distance = series(1, "distance", Mark::Dashes);
    let labels = ("temperature", "");
    let series = vec![largest, distance];
    let plot = Plot { labels, log: (true, false), series, ..Plot::default() };
    run.figure("from_soft_to_hard", &line_plots(&[plot], 1)?)
}

/// The largest weight, and the distance of the soft output to the hard one.
fn measure(dev: &Dev, temperature: f32) -> [f32; 2] {
    let query: Tensor<Rank2<1, 2>, f32, Dev> = dev.tensor([QUERIES[2]]);
    let scores: Tensor<Rank2<1, 5>, f32, Dev> = score(query, dev.tensor(KEYS));
    let hard = pool(hard_weights(scores.clone()), dev.tensor(VALUES));
    let weights = weigh(scores, temperature);
    let soft = pool(weights.clone(), dev.tensor(VALUES));
    let distance: Tensor<Rank0, f32, Dev> = (soft - hard).square().sum().sqrt();
    [weights.max::<Rank0, _>().array(), distance.array()]
}
// ANCHOR_END: from_soft_to_hard
