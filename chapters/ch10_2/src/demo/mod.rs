//! What the program of section 10.2 prints and draws.

pub mod estimators;
pub mod kernels;
pub mod seeds;
pub mod training;

use anyhow::Result;
use ch10_1::{Dev, Tensor1, Tensor2};
use ch10_2::*;
use dfdx::prelude::*;
use support::{Labels, Mark, Plot, RunArgs, Series, line_plots};

/// Training points, and test inputs.
pub const N: usize = 50;
pub const Q: usize = 50;

/// The data, what estimates are compared with, and an untrained model.
pub struct Setting {
    pub dev: Dev,
    pub train: Samples<N>,
    pub start: GaussianAttention,
    pub x: Tensor1<Q>,
    pub truth: Tensor1<Q>,
}

impl Setting {
    pub fn new(seed: u64) -> Self {
        let dev = Dev::seed_from_u64(seed);
        let (train, start) = (draw_samples(&dev), GaussianAttention::new(&dev));
        let x = test_inputs(&dev);
        Setting { train, start, truth: truth(x.clone()), x, dev }
    }

    /// The model with this `w`.
    pub fn model(&self, w: f32) -> GaussianAttention {
        GaussianAttention { w: self.dev.tensor(w) }
    }

    /// Each test input minus each training input.
    pub fn differences(&self) -> Tensor2<Q, N> {
        differences(self.x.clone(), self.train.x.clone())
    }

    /// The mean squared error of a model over the test inputs.
    pub fn error(&self, model: &GaussianAttention) -> f32 {
        let weights = model.weights(self.differences());
        mse(pool(weights, self.train.y.clone()), &self.truth)
    }

    /// All plots of estimates begin with it, so that it looks the same in all.
    pub fn true_curve(&self) -> Series {
        line("truth", Mark::Dashes, &self.x, &self.truth)
    }

    /// The truth, then the data.
    pub fn truth_and_data(&self) -> Vec<Series> {
        let data = line("data", Mark::Dots, &self.train.x, &self.train.y);
        vec![self.true_curve(), data]
    }

    /// Prints the error of an estimate, and draws it.
    pub fn fit(&self, run: &RunArgs, name: &str, output: &Tensor1<Q>) -> Result<()> {
        println!("mean squared error {:.4}", mse(output.clone(), &self.truth));
        let mut series = self.truth_and_data();
        series.push(line("fit", Mark::Line, &self.x, output));
        let plot = Plot { labels: ("x", "y"), series, ..Plot::default() };
        run.figure(name, &line_plots(&[plot], 1)?)
    }
}

/// The points (x, y).
pub fn line<const N: usize>(
    name: &str,
    mark: Mark,
    x: &Tensor1<N>,
    y: &Tensor1<N>,
) -> Series {
    let points = x.as_vec().into_iter().zip(y.as_vec());
    Series::new(name, mark, points.map(|(x, y)| (x.into(), y.into())))
}

/// The axes of a heat map of this section.
pub fn sorted_inputs(titles: Vec<String>) -> Labels {
    let (keys, queries) = ("Sorted training inputs", "Sorted testing inputs");
    Labels { keys, queries, titles, ..Labels::default() }
}
