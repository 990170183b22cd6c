//! Other kernels and widths, and more data. Errors are means over samples.

use super::{Q, Setting, line, sorted_inputs};
use anyhow::Result;
use ch10_1::{Tensor1, Tensor2};
use ch10_2::kernels::{Kernel, kernel_weights};
use ch10_2::*;
use dfdx::prelude::*;
use support::{Mark, Plot, RunArgs, Series, heading, line_plots, row, show_heatmaps};

const WIDTHS: [f32; 4] = [0.1, 0.2, 0.5, 1.0];
const KERNELS: [Kernel; 4] =
    [Kernel::Gaussian, Kernel::Boxcar, Kernel::Epanechnikov, Kernel::Constant];
/// The width whose weights are drawn.
const WEIGHTS_WIDTH: f32 = 0.5;
const HELD_OUT: usize = 200;
const SAMPLES: u64 = 100;

pub fn kernels_and_widths(run: &RunArgs, s: &Setting) -> Result<()> {
    heading("Kernels and widths");
    let all = support::seeds(run.seed, SAMPLES).map(Setting::new);
    let all: Vec<Setting> = all.collect();
    let held_out: Vec<Samples<HELD_OUT>> =
        all.iter().map(|s| draw_samples(&s.dev)).collect();
    let mut errors = [[0.0; 4]; 4];
    let mut empty = [[0; 4]; 4];
    let mut noise = 0.0;
    for (s, held_out) in all.iter().zip(&held_out) {
        noise += mse(truth(held_out.x.clone()), &held_out.y) / SAMPLES as f32;
        let u = differences(held_out.x.clone(), s.train.x.clone());
        for (k, kernel) in KERNELS.into_iter().enumerate() {
            for (w, width) in WIDTHS.into_iter().enumerate() {
                let weights = kernel_weights(kernel, width, u.clone());
                empty[k][w] += empty_windows(weights.clone());
                let output = pool(weights, s.train.y.clone());
                errors[k][w] += mse(output, &held_out.y) / SAMPLES as f32;
            }
        }
    }
    let widths = WIDTHS.map(|width| width.to_string());
    row("squared error", 16, &widths);
    for (kernel, errors) in KERNELS.iter().zip(errors) {
        row(&format!("{kernel:?}"), 16, &errors.map(|v| format!("{v:.4}")));
    }
    row("the truth", 16, &[format!("{noise:.4}")]);
    row("empty windows", 16, &widths);
    for (kernel, counts) in KERNELS.iter().zip(empty) {
        row(&format!("{kernel:?}"), 16, &counts);
    }
    let plots = KERNELS.map(|kernel| panel(s, kernel));
    run.figure("kernels", &line_plots(&plots, 2)?)?;
    let weights = KERNELS
        .map(|kernel| kernel_weights(kernel, WEIGHTS_WIDTH, s.differences()).array());
    let titles = KERNELS.map(|kernel| format!("{kernel:?}"));
    let svg = show_heatmaps(&weights, &sorted_inputs(titles.to_vec()))?;
    run.figure("kernel_weights", &svg)
}

/// How many of the queries have no key in their window.
fn empty_windows<const Q: usize, const K: usize>(weights: Tensor2<Q, K>) -> usize {
    let sums: Tensor1<Q> = weights.sum::<_, Axis<1>>();
    sums.as_vec().into_iter().filter(|&sum| sum == 0.0).count()
}

/// The truth, and the estimates of a kernel with each width.
fn panel(s: &Setting, kernel: Kernel) -> Plot {
    let mut series = vec![s.true_curve()];
    for width in WIDTHS {
        let weights = kernel_weights(kernel, width, s.differences());
        let output = pool(weights, s.train.y.clone());
        series.push(line(&format!("width {width}"), Mark::Line, &s.x, &output));
    }
    let (title, labels) = (format!("{kernel:?}"), ("x", "y"));
    Plot { title, labels, series, ..Plot::default() }
}

pub fn more_data(run: &RunArgs, s: &Setting) -> Result<()> {
    heading("More data");
    let rows = [
        errors::<50>(s),
        errors::<200>(s),
        errors::<800>(s),
        errors::<3200>(s),
        errors::<12800>(s),
    ];
    row("points", 8, &["width", "MSE", "width", "MSE"]);
    for [points, fixed, width, shrinking] in rows {
        let cells = [1.0, fixed, width, shrinking];
        row(&points.to_string(), 8, &cells.map(|v| format!("{v:.4}")));
    }
    let over_points = |name, mark, column: usize| {
        let points = rows.iter().map(|r| (r[0].into(), r[column].into()));
        Series::new(name, mark, points)
    };
    let fixed = over_points("width 1", Mark::LineDots, 1);
    let shrinking = over_points("shrinking width", Mark::Dashes, 3);
    let plot = Plot {
        labels: ("training points", "mean squared error"),
        log: (true, true),
        series: vec![fixed, shrinking],
        ..Plot::default()
    };
    run.figure("more_data", &line_plots(&[plot], 1)?)
}

/// Points, error with width 1, a width that shrinks with the points, and the
/// error with it.
fn errors<const N: usize>(s: &Setting) -> [f32; 4] {
    let width = (N as f32).powf(-0.2);
    let [mut fixed, mut shrinking] = [0.0; 2];
    for _ in 0..SAMPLES {
        let Samples { x, y } = draw_samples::<N>(&s.dev);
        let u: Tensor2<Q, N> = differences(s.x.clone(), x);
        let narrow = gaussian_weights(u.clone() / width);
        fixed += mse(pool(gaussian_weights(u), y.clone()), &s.truth) / SAMPLES as f32;
        shrinking += mse(pool(narrow, y), &s.truth) / SAMPLES as f32;
    }
    [N as f32, fixed, width, shrinking]
}
