// ANCHOR: setting_header
//! What the parts of section 10.2's run share: the data, and the drawing of
//! a fit. It computes no estimate.

use anyhow::Result;
use ch10_1::Dev;
use ch10_2::*;
use dfdx::prelude::*;
use support::{Mark, Plot, Run, Series, line_plots};

/// Training points, and test inputs.
pub const N: usize = 50;
pub const Q: usize = 50;
// ANCHOR_END: setting_header

// ANCHOR: setting
/// What every estimator is given, and what it is judged by.
pub struct Setting {
    pub dev: Dev,
    pub train: Samples<N>,
    /// Where `w` starts: drawn from [0, 1).
    pub start: Parameter,
    pub x: Tensor<Rank1<Q>, f32, Dev>,
    pub truth: Tensor<Rank1<Q>, f32, Dev>,
}

impl Setting {
    pub fn new(seed: u64) -> Self {
        let dev = Dev::seed_from_u64(seed);
        let (train, start) = (draw_samples(&dev), dev.sample_uniform());
        let x = test_inputs(&dev);
        Setting { train, start, truth: truth(x.clone()), x, dev }
    }

    /// Each test input minus each training input.
    pub fn differences(&self) -> Tensor<Rank2<Q, N>, f32, Dev> {
        differences(self.x.clone(), self.train.x.clone())
    }

    /// The error of the parametric form over the test inputs.
    pub fn error(&self, w: Parameter) -> f32 {
        let weights = parametric_weights(w, self.differences());
        mse(pool(weights, self.train.y.clone()), &self.truth)
    }
}
// ANCHOR_END: setting

// ANCHOR: fit
/// Judges an estimate by the truth, and draws it.
pub fn fit(
    run: &Run,
    s: &Setting,
    name: &str,
    output: &Tensor<Rank1<Q>, f32, Dev>,
) -> Result<()> {
    println!("mean squared error {:.4}", mse(output.clone(), &s.truth));
    let series = vec![
        series("truth", Mark::Dashes, &s.x, &s.truth),
        series("data", Mark::Dots, &s.train.x, &s.train.y),
        series("fit", Mark::Line, &s.x, output),
    ];
    picture(run, name, ("x", "y"), series)
}

/// Draws one plot.
pub fn picture(
    run: &Run,
    name: &str,
    labels: (&'static str, &'static str),
    series: Vec<Series>,
) -> Result<()> {
    let plot = Plot { labels, series, ..Plot::default() };
    run.figure(name, &line_plots(&[plot], 1)?)
}

pub fn series<const N: usize>(
    name: &str,
    mark: Mark,
    x: &Tensor<Rank1<N>, f32, Dev>,
    y: &Tensor<Rank1<N>, f32, Dev>,
) -> Series {
    let (x, y) = (x.as_vec().into_iter(), y.as_vec().into_iter());
    Series::new(name, mark, x.map(f64::from).zip(y.map(f64::from)))
}
// ANCHOR_END: fit
