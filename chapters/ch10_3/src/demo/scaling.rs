//! Why the scores are divided by √D.

use super::WIDTH;
use anyhow::Result;
use ch10_1::{Dev, Tensor1, Tensor3};
use ch10_3::{Mask, masked_softmax};
use dfdx::prelude::*;
use support::{Mark, Plot, RunArgs, Series, heading, line_plots, row};

/// Two scores before and after a division by 8 = √64: their softmax.
pub fn two_scores(dev: &Dev) {
    heading("Why the scores are scaled");
    for scores in [[14.0, 12.0], [60.0, 40.0]] {
        for divisor in [1.0, 8.0] {
            let weights = (dev.tensor(scores) / divisor).softmax().array();
            let [first, second] = scores;
            let label = format!("{first} and {second}, by {divisor}");
            row(&label, WIDTH, &weights.map(digits));
        }
    }
}

fn digits(x: f32) -> String {
    if x < 1e-4 { format!("{x:.1e}") } else { format!("{x:.4}") }
}

/// The variance of qᵀk over normal queries and keys, and the norm of the
/// softmax's slopes at these scores; each without scaling and with.
fn at_width<const D: usize>(dev: &Dev) -> [f32; 4] {
    let queries: Tensor3<500, 1, D> = dev.sample_normal();
    let keys: Tensor3<500, 10, D> = dev.sample_normal();
    let scores = queries.matmul(keys.permute::<Rank3<500, D, 10>, _>());
    let scaled = scores.clone() / (D as f32).sqrt();
    let variance = |s: &Tensor3<500, 1, 10>| s.clone().var::<Rank0, _>().array();
    [variance(&scores), variance(&scaled), slopes(&scores), slopes(&scaled)]
}

/// The root of the summed squares of all ∂ weight i / ∂ score j of a query,
/// taken from the tape; the mean over the queries.
fn slopes<const B: usize, const K: usize>(scores: &Tensor3<B, 1, K>) -> f32 {
    let mut squares: Tensor1<B> = scores.device().zeros();
    for i in 0..K {
        let weights = masked_softmax(scores.leaky_trace(), &Mask::none());
        let weights: Tensor3<K, B, 1, _> = weights.permute::<_, Axes3<2, 0, 1>>();
        let one = weights.select(scores.device().tensor(i));
        let slope = one.sum().backward().get(scores);
        squares = squares + slope.square().sum::<_, Axes2<1, 2>>();
    }
    squares.sqrt().mean().array()
}

/// Both measurements, from narrow vectors to wide ones.
pub fn over_widths(dev: &Dev, run: &RunArgs) -> Result<()> {
    heading("Variance and slopes");
    row("width D", WIDTH, &["variance", "scaled", "slopes", "scaled"]);
    let measured = [
        (4.0, at_width::<4>(dev)),
        (16.0, at_width::<16>(dev)),
        (64.0, at_width::<64>(dev)),
        (256.0, at_width::<256>(dev)),
        (1024.0, at_width::<1024>(dev)),
    ];
    for (width, values) in measured {
        row(&width.to_string(), WIDTH, &values.map(|x| format!("{x:.4}")));
    }
    let names = ["variance", "variance, scaled", "slopes", "slopes, scaled"];
    let marks = [Mark::LineDots, Mark::Dashes].repeat(2);
    let series = (0..4).map(|i| {
        let points = measured.map(|(width, row)| (width, f64::from(row[i])));
        Series::new(names[i], marks[i], points)
    });
    let (labels, series) = (("width D", ""), series.collect());
    let plot = Plot { labels, log: (true, true), series, ..Plot::default() };
    run.figure("scaling", &line_plots(&[plot], 1)?)
}

/// All of the side page.
pub fn scaling(dev: &Dev, run: &RunArgs) -> Result<()> {
    two_scores(dev);
    over_widths(dev, run)?;
    super::closer::gaussian(dev);
    Ok(())
}
