// ANCHOR: time
//! What a convolution, recurrent networks and attention cost on this
//! machine: section 10.6. The numbers differ from run to run.

use anyhow::Result;
use ch10_1::Dev;
use ch10_3::{DotProductAttention, ValidLens};
use ch10_6::{Recurrence, SelfAttention, convolve};
use clap::{Arg, Command, value_parser};
use dfdx::prelude::*;
use seq2seq::gru::GruCell;
use std::hint::black_box;
use support::{Mark, Plot, Run, Series, fastest, heading, line_plots};

/// What is measured, in the order of the columns.
const WAYS: [&str; 5] = ["convolution", "recurrence", "GRU", "attention", "with maps"];

/// How the program is asked to measure.
pub fn command() -> Command {
    let runs = Arg::new("runs").long("runs").value_name("N");
    let runs = runs.value_parser(value_parser!(u16).range(1..));
    let runs = runs.default_value("30").help("Keep the shortest of N runs");
    Command::new("time").about("Measure what each way costs").arg(runs)
}
// ANCHOR_END: time

// ANCHOR: at
/// The seconds that each way takes for n = N rows of width d = D: the
/// shortest of so many runs.
fn at<const N: usize, const D: usize>(dev: &Dev, runs: usize) -> [f64; 5] {
    let scale = 1.0 / (D as f32).sqrt();
    let rows: Tensor<Rank2<N, D>, f32, Dev> = dev.sample_normal() * scale;
    let w = dev.sample_normal();
    let matrix = || dev.sample_normal::<Rank2<D, D>>() * scale;
    let cell = Recurrence { from_row: matrix(), from_state: matrix() };
    let gru: GruCell<D, D> = GruCell::new(dev, D);
    let steps: Tensor<Rank3<N, 1, D>, f32, Dev> = rows.clone().reshape();
    let read = || gru.forward(steps.clone(), &mut dev.zeros());
    let x: Tensor<Rank3<1, N, D>, f32, Dev> = rows.clone().reshape();
    let (one, layer) = (DotProductAttention::default(), SelfAttention::new(dev));
    let attend = || one.forward(x.clone(), x.clone(), x.clone(), &ValidLens::All);
    let with_maps =
        |layer: &SelfAttention<D, D>| layer.forward(x.clone(), &ValidLens::All);
    [
        fastest(runs, || drop(black_box(convolve(&rows, &w)))),
        fastest(runs, || drop(black_box(cell.read(&rows)))),
        fastest(runs, || drop(black_box(read()))),
        fastest(runs, || drop(black_box(attend()))),
        fastest(runs, || drop(black_box(with_maps(&layer)))),
    ]
}
// ANCHOR_END: at

// ANCHOR: sweeps
/// A size, and what measures it.
type At = (usize, fn(&Dev, usize) -> [f64; 5]);

const OVER_N: [At; 6] = [
    (32, at::<32, 64>),
    (64, at::<64, 64>),
    (128, at::<128, 64>),
    (256, at::<256, 64>),
    (512, at::<512, 64>),
    (1024, at::<1024, 64>),
];

const OVER_D: [At; 6] = [
    (16, at::<128, 16>),
    (32, at::<128, 32>),
    (64, at::<128, 64>),
    (128, at::<128, 128>),
    (256, at::<128, 256>),
    (512, at::<128, 512>),
];

pub fn measured(run: &Run, dev: &Dev, runs: usize) -> Result<()> {
    heading("Longer sequences, rows of width 64");
    let over_n = sweep(dev, runs, "n", &OVER_N);
    heading("Wider rows, sequences of length 128");
    let over_d = sweep(dev, runs, "d", &OVER_D);
    let plots = [
        plot("d = 64", "n, rows of the sequence", over_n),
        plot("n = 128", "d, width of a row", over_d),
    ];
    run.figure("time", &line_plots(&plots, 1)?)
}
// ANCHOR_END: sweeps

// ANCHOR: sweep
type Point = (f64, f64);

/// Measures and prints all sizes, in milliseconds, and the exponent of each
/// way: of all sizes, and of the last three.
fn sweep(dev: &Dev, runs: usize, what: &str, sizes: &[At]) -> [Vec<Point>; 5] {
    let mut all: [Vec<Point>; 5] = Default::default();
    print!("{what:>6}");
    WAYS.iter().for_each(|way| print!("{way:>12}"));
    println!("   in ms");
    for &(size, at) in sizes {
        print!("{size:>6}");
        for (way, seconds) in at(dev, runs).into_iter().enumerate() {
            print!("{:>12.4}", 1e3 * seconds);
            all[way].push((size as f64, 1e3 * seconds));
        }
        println!();
    }
    for (name, from) in [("all", 0), ("last 3", sizes.len() - 3)] {
        print!("{name:>6}");
        all.iter().for_each(|way| print!("{:>12.2}", exponent(&way[from..])));
        println!("   exponent");
    }
    all
}

/// The p of the power x^p that fits best: the slope of the line through the
/// logarithms with the least sum of squared errors.
fn exponent(points: &[Point]) -> f64 {
    let logs = || points.iter().map(|(x, y)| (x.ln(), y.ln()));
    let n = points.len() as f64;
    let (x, y) = logs().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let (x, y) = (x / n, y / n);
    let both: f64 = logs().map(|(a, b)| (a - x) * (b - y)).sum();
    let square: f64 = logs().map(|(a, _)| (a - x) * (a - x)).sum();
    both / square
}
// ANCHOR_END: sweep

// ANCHOR: plot
fn plot(title: &str, size: &'static str, ways: [Vec<Point>; 5]) -> Plot {
    let series = WAYS.iter().zip(ways);
    let series = series.map(|(name, points)| Series::new(name, Mark::LineDots, points));
    Plot {
        title: title.into(),
        labels: (size, "Milliseconds"),
        log: (true, true),
        series: series.collect(),
        ..Plot::default()
    }
}
// ANCHOR_END: plot
