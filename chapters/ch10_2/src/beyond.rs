// ANCHOR: beyond_header
//! What section 10.2 asks beyond its three estimators: widths, a point as
//! its own key, other kernels, more data, other seeds.

use crate::setting::{N, Q, Setting, series};
use anyhow::Result;
use ch10_1::Dev;
use ch10_2::*;
use dfdx::prelude::*;
use support::{Mark, Plot, Run, Series, heading, line_plots, row};
// ANCHOR_END: beyond_header

// ANCHOR: three_estimators
pub fn three_estimators(s: &Setting, w: &Parameter) {
    heading("Three estimators");
    row("", 16, &["w", "1/w", "entropy", "e^entropy", "MSE"]);
    let zero: Parameter = s.dev.zeros();
    let one: Parameter = s.dev.ones();
    let estimators = [
        ("average", &zero),
        ("non-parametric", &one),
        ("at the start", &s.start),
        ("trained", w),
    ];
    for (name, w) in estimators {
        let weights = parametric_weights(w.clone(), s.differences());
        let entropy = entropy(weights).mean::<Rank0, _>().array();
        let (w, error) = (w.array(), s.error(w.clone()));
        let (width, keys) = (w.recip(), entropy.exp());
        print!("{name:<16}{w:>10.4}{width:>10.4}{entropy:>10.4}");
        println!("{keys:>10.1}{error:>10.4}");
    }
}
// ANCHOR_END: three_estimators

// ANCHOR: own_key
pub fn own_key(s: &Setting) -> Result<()> {
    heading("A point as its own key");
    let others: Pairs<N, { N - 1 }> = Pairs::others(&s.train);
    let all: Pairs<N, N> = Pairs::all(&s.train);
    row("pairs:", 8, &["others", "", "", "all", "", ""]);
    row("epochs", 8, &["loss", "w", "MSE", "loss", "w", "MSE"]);
    for epochs in [1, 5, 20, 100, 500] {
        let cells = [after(epochs, s, &others)?, after(epochs, s, &all)?];
        let cells = cells.as_flattened().iter().map(|v| format!("{v:.3}"));
        row(&epochs.to_string(), 8, &cells.collect::<Vec<_>>());
    }
    Ok(())
}

/// The loss on these pairs, w and the error at the test inputs, after so
/// many epochs.
fn after<const K: usize>(
    epochs: usize,
    s: &Setting,
    pairs: &Pairs<N, K>,
) -> Result<[f32; 3]> {
    let mut w = s.start.clone();
    train(&mut w, pairs, 0.5, epochs)?;
    Ok([loss(w.clone(), pairs).array(), w.array(), s.error(w)])
}
// ANCHOR_END: own_key

// ANCHOR: kernels_and_widths
const WIDTHS: [f32; 4] = [0.1, 0.2, 0.5, 1.0];
const KERNELS: [Kernel; 4] =
    [Kernel::Gaussian, Kernel::Boxcar, Kernel::Epanechnikov, Kernel::Constant];

pub fn kernels_and_widths(run: &Run, s: &Setting) -> Result<()> {
    heading("Kernels and widths");
    let held_out: Samples<200> = draw_samples(&s.dev);
    let u = differences(held_out.x, s.train.x.clone());
    let named = WIDTHS.map(|width| format!("{width}"));
    row("squared error", 16, &named);
    let mut empty = Vec::new();
    for kernel in KERNELS {
        let weights = WIDTHS.map(|width| kernel_weights(kernel, width, u.clone()));
        empty.push(weights.clone().map(empty_windows));
        let errors =
            weights.map(|weights| mse(pool(weights, s.train.y.clone()), &held_out.y));
        let cells = errors.map(|v| format!("{v:.4}"));
        row(&format!("{kernel:?}"), 16, &cells);
    }
    row("empty windows", 16, &named);
    for (kernel, counts) in KERNELS.iter().zip(empty) {
        row(&format!("{kernel:?}"), 16, &counts);
    }
    let plots = KERNELS.map(|kernel| panel(s, kernel));
    run.figure("kernels", &line_plots(&plots, 2)?)
}

/// How many of the queries have no key in their window.
fn empty_windows<const Q: usize, const K: usize>(
    weights: Tensor<Rank2<Q, K>, f32, Dev>,
) -> usize {
    let sums: Tensor<Rank1<Q>, f32, Dev> = weights.sum::<_, Axis<1>>();
    sums.as_vec().into_iter().filter(|&sum| sum == 0.0).count()
}

/// The truth, and the estimates of a kernel with each width.
fn panel(s: &Setting, kernel: Kernel) -> Plot {
    let mut lines = vec![series("truth", Mark::Line, &s.x, &s.truth)];
    let marks = [Mark::Dots, Mark::LineDots, Mark::Dashes, Mark::Line];
    for (width, mark) in WIDTHS.into_iter().zip(marks) {
        let weights = kernel_weights(kernel, width, s.differences());
        let output = pool(weights, s.train.y.clone());
        lines.push(series(&format!("width {width}"), mark, &s.x, &output));
    }
    let (title, labels) = (format!("{kernel:?}"), ("x", "y"));
    Plot { title, labels, series: lines, ..Plot::default() }
}
// ANCHOR_END: kernels_and_widths

// ANCHOR: more_data
pub fn more_data(run: &Run, s: &Setting) -> Result<()> {
    heading("More data");
    let rows = [errors::<50>(s), errors::<200>(s), errors::<800>(s)];
    let rows = [&rows[..], &[errors::<3200>(s), errors::<12800>(s)]].concat();
    row("points", 8, &["width", "MSE", "width", "MSE"]);
    for [points, fixed, width, shrinking] in &rows {
        let cells = [1.0, *fixed, *width, *shrinking];
        row(&points.to_string(), 8, &cells.map(|v| format!("{v:.4}")));
    }
    let line = |name, mark, column: usize| {
        let points = rows.iter().map(|r| (r[0].into(), r[column].into()));
        Series::new(name, mark, points)
    };
    let fixed = line("width 1", Mark::LineDots, 1);
    let shrinking = line("shrinking width", Mark::Dashes, 3);
    let plot = Plot {
        labels: ("training points", "mean squared error"),
        log: (true, true),
        series: vec![fixed, shrinking],
        ..Plot::default()
    };
    run.figure("more_data", &line_plots(&[plot], 1)?)
}

/// Points, error with width 1, a width that shrinks with the points, and
/// the error with it; errors are means over ten samples.
fn errors<const N: usize>(s: &Setting) -> [f32; 4] {
    let width = (N as f32).powf(-0.2);
    let [mut fixed, mut shrinking] = [0.0; 2];
    for _ in 0..10 {
        let Samples { x, y } = draw_samples::<N>(&s.dev);
        let u: Tensor<Rank2<Q, N>, f32, Dev> = differences(s.x.clone(), x);
        let narrow = gaussian_weights(u.clone() / width);
        fixed += mse(pool(gaussian_weights(u), y.clone()), &s.truth) / 10.0;
        shrinking += mse(pool(narrow, y), &s.truth) / 10.0;
    }
    [N as f32, fixed, width, shrinking]
}
// ANCHOR_END: more_data

// ANCHOR: ten_seeds
pub fn ten_seeds(first: u64) -> Result<()> {
    heading("Ten seeds");
    row("", 6, &["w", "loss", "loss", "w", "MSE", "MSE", "MSE"]);
    row("seed", 6, &["start", "first", "last", "last", "average", "w = 1", "trained"]);
    for seed in (0..10).map(|i| first.wrapping_add(i)) {
        let s = Setting::new(seed);
        let pairs: Pairs<N, { N - 1 }> = Pairs::others(&s.train);
        let mut w = s.start.clone();
        let history = train(&mut w, &pairs, 0.5, 5)?;
        let (zero, one) = (s.dev.zeros(), s.dev.ones());
        let errors = [zero, one, w.clone()].map(|w| s.error(w));
        let [first, last] = [history[0].0, history[4].0];
        let fit = [s.start.array(), first, last, w.array()];
        let cells = fit.iter().chain(&errors).map(|v| format!("{v:.3}"));
        row(&seed.to_string(), 6, &cells.collect::<Vec<_>>());
    }
    Ok(())
}
// ANCHOR_END: ten_seeds
