//! What a convolution, recurrent networks and attention cost on this machine.
//! The numbers differ from run to run.

use anyhow::Result;
use ch10_3::{DotProductAttention, Mask};
use ch10_6::SelfAttention;
use ch10_6::costs::{Recurrence, convolution};
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3};
use seq2seq::gru::GruCell;
use std::hint::black_box;
use std::process::ExitCode;
use support::{Mark, Plot, RunArgs, Series, fastest, heading, line_plots};

/// Of how many runs the shortest counts.
const RUNS: usize = 150;

/// What is measured, in the order of the columns.
const LAYERS: [&str; 5] =
    ["convolution", "recurrence", "GRU", "attention", "full layer"];

/// The seconds that each layer takes for n = N rows of width d = D: the
/// shortest of so many runs.
fn at<const N: usize, const D: usize>(dev: &Dev) -> [f64; 5] {
    let scale = 1.0 / (D as f32).sqrt();
    let rows: Tensor2<N, D> = dev.sample_normal() * scale;
    let w = dev.sample_normal();
    let matrix = || -> Tensor2<D, D> { dev.sample_normal() * scale };
    let cell = Recurrence { from_row: matrix(), from_state: matrix() };
    let gru: GruCell<D, D> = GruCell::new(dev, D);
    let steps: Tensor3<N, 1, D> = rows.clone().reshape();
    let read = || gru.forward(steps.clone(), &mut dev.zeros());
    let x: Tensor3<1, N, D> = rows.clone().reshape();
    let dots = DotProductAttention::default();
    let layer: SelfAttention<D, D> = SelfAttention::new(dev);
    let attend = || dots.forward(x.clone(), x.clone(), x.clone(), &Mask::none());
    [
        fastest(RUNS, || drop(black_box(convolution(&rows, &w)))),
        fastest(RUNS, || drop(black_box(cell.forward(&rows)))),
        fastest(RUNS, || drop(black_box(read()))),
        fastest(RUNS, || drop(black_box(attend()))),
        fastest(RUNS, || drop(black_box(layer.forward(x.clone(), &Mask::none())))),
    ]
}

/// A size, and what measures it.
type At = (usize, fn(&Dev) -> [f64; 5]);

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

fn main() -> ExitCode {
    let about = "Measures a convolution, recurrent networks and attention";
    support::run_plain("ch10_6", about, |run| {
        let sizes = [OVER_N, OVER_D].map(|sweep| sweep.map(|(size, _)| size));
        run.print_settings(&(LAYERS, RUNS, sizes), &[]);
        run.check_out()?;
        measure(&run)
    })
}

fn measure(run: &RunArgs) -> Result<()> {
    let dev = Dev::seed_from_u64(run.seed);
    heading("Longer sequences, rows of width 64");
    let over_n = sweep(&dev, "n", &OVER_N);
    heading("Wider rows, sequences of length 128");
    let over_d = sweep(&dev, "d", &OVER_D);
    let plots = [
        plot("d = 64", "n, rows of the sequence", over_n),
        plot("n = 128", "d, width of a row", over_d),
    ];
    run.figure("costs", &line_plots(&plots, 1)?)
}

type Point = (f64, f64);

/// Measures and prints all sizes, in milliseconds, and the exponent of each
/// layer: of all sizes, and of the last three.
fn sweep(dev: &Dev, what: &str, sizes: &[At]) -> [Vec<Point>; 5] {
    let mut all: [Vec<Point>; 5] = Default::default();
    print!("{what:>6}");
    LAYERS.iter().for_each(|layer| print!("{layer:>12}"));
    println!("   in ms");
    for &(size, at) in sizes {
        print!("{size:>6}");
        for (layer, seconds) in at(dev).into_iter().enumerate() {
            print!("{:>12.4}", 1e3 * seconds);
            all[layer].push((size as f64, 1e3 * seconds));
        }
        println!();
    }
    for (name, from) in [("all", 0), ("last 3", sizes.len() - 3)] {
        print!("{name:>6}");
        all.iter().for_each(|points| print!("{:>12.2}", exponent(&points[from..])));
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

fn plot(title: &str, size: &'static str, layers: [Vec<Point>; 5]) -> Plot {
    let series = LAYERS.iter().zip(layers);
    let series = series.map(|(name, points)| Series::new(name, Mark::LineDots, points));
    Plot {
        title: title.into(),
        labels: (size, "Milliseconds"),
        log: (true, true),
        series: series.collect(),
    }
}
