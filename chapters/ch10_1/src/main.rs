// ANCHOR: main
//! The telling run of section 10.1: a desk with five things on it, looked at
//! without a cue, with one, and with the wish to read. Only calls and prints:
//! what it calls is in `lib.rs`. Nothing is random.

use anyhow::Result;
use ch10_1::*;
use dfdx::prelude::*;
use std::process::ExitCode;
use support::{Mark, Plot, Run, Series, heading, line_plots, row};

fn main() -> ExitCode {
    let about = "Attention cues: a look-up that is soft, and its heat maps";
    support::old::run("ch10_1", about, 0, |run| {
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
    let shapes = (keys.shape().concrete(), values.shape().concrete());
    println!("keys {:?}, values {:?}", shapes.0, shapes.1);
    row("", 10, &["eye", "reading", "red", "words", "warmth", "scent"]);
    for (k, object) in OBJECTS.iter().enumerate() {
        row(object, 10, &[&KEYS[k][..], &VALUES[k][..]].concat());
    }
}

fn rows<const C: usize>(names: &[&str], numbers: &[[f32; C]]) {
    for (name, numbers) in names.iter().zip(numbers) {
        row(name, 10, &numbers.map(|x| format!("{x:.4}")));
    }
}
// ANCHOR_END: the_desk

// ANCHOR: average_pooling
fn average_pooling(dev: &Dev) {
    heading("Average pooling");
    row("", 10, &["red", "words", "warmth", "scent"]);
    rows(&["mean"], &[average(dev.tensor(VALUES)).array()]);
}
// ANCHOR_END: average_pooling

// ANCHOR: heat_maps
fn heat_maps(run: &Run, dev: &Dev) -> Result<()> {
    heading("Heat maps");
    let mut identity = [[0.0; 10]; 10];
    (0..10).for_each(|i| identity[i][i] = 1.0);
    let panels = dev.tensor([[identity]]);
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
    let LookedUp { output, weights } = soft_look_up(queries, keys, values, TEMPERATURE);
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
    let weights = weigh(score(queries, dev.tensor(KEYS)), TEMPERATURE).array();
    row("wish", 10, &OBJECTS);
    for q in (0..51).step_by(10) {
        rows(&[&format!("{:.1}", wishes[q])], &[weights[q]]);
    }
    let series = OBJECTS.iter().enumerate().map(|(k, object)| {
        let weights = weights.map(|w| w[k].into());
        let points = wishes.map(f64::from).into_iter().zip(weights);
        let bold = ["cup", "book"].contains(object);
        let mark = if bold { Mark::Line } else { Mark::Dashes };
        Series::new(object, mark, points)
    });
    let labels = ("strength of the wish to read", "weight");
    let plot = Plot { labels, series: series.collect(), ..Plot::default() };
    run.figure("from_cup_to_book", &line_plots(&[plot], 1)?)
}
// ANCHOR_END: from_cup_to_book

// ANCHOR: from_soft_to_hard
fn from_soft_to_hard(run: &Run, dev: &Dev) -> Result<()> {
    heading("From soft to hard");
    let scores = score(dev.tensor([QUERIES[2]]), dev.tensor(KEYS));
    let measure = |t: f32| -> [f32; 2] {
        let largest = weigh(scores.clone(), t).max::<Rank0, _>().array();
        [largest, distance_to_hard(scores.clone(), dev.tensor(VALUES), t)]
    };
    println!("temperature  largest weight  distance to the hard look-up");
    for t in [10.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.01] {
        let [largest, distance] = measure(t);
        println!("{t:>11}{largest:>16.4}{distance:>30.4}");
    }
    let measured = (-40..=40).map(|i| 10f32.powf(i as f32 / 20.0));
    let measured: Vec<_> = measured.map(|t| (t, measure(t))).collect();
    let points =
        |i: usize| measured.iter().map(move |(t, m)| ((*t).into(), m[i].into()));
    let largest = Series::new("largest weight", Mark::Line, points(0));
    let distance = Series::new("distance", Mark::Dashes, points(1));
    let series = vec![largest, distance];
    let (labels, log) = (("temperature", ""), (true, false));
    let plot = Plot { labels, log, series, ..Plot::default() };
    run.figure("from_soft_to_hard", &line_plots(&[plot], 1)?)
}
// ANCHOR_END: from_soft_to_hard
