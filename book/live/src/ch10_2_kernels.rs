//! Section 10.2, kernels and widths: what a kernel of some width makes of fifty
//! points.

use crate::ch10_2::{estimate, sample, samples, to_keys};
use crate::{Page, json};
use anyhow::Result;
use ch10_2::kernels::{Kernel, kernel_weights};
use kernels::Dev;
use serde::Deserialize;

/// The page.
pub struct Kernels {
    dev: Dev,
}

/// What the reader asks.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Question {
    /// The [`Sample`](crate::ch10_2::Sample) that the program draws from a seed.
    Sample {
        /// Any.
        seed: u64,
    },
    /// The [`Estimate`](crate::ch10_2::Estimate) of a kernel.
    Estimate {
        /// Keys and values: 50 pairs of an input and an output.
        points: Vec<[f32; 2]>,
        /// `gaussian`, `boxcar`, `epanechnikov` or `constant`.
        #[serde(with = "KernelName")]
        kernel: Kernel,
        /// What distances are divided by.
        width: f32,
    },
}

#[derive(Deserialize)]
#[serde(remote = "Kernel", rename_all = "lowercase")]
enum KernelName {
    Gaussian,
    Boxcar,
    Epanechnikov,
    Constant,
}

impl Page for Kernels {
    type Question = Question;

    fn new(_model: &[u8]) -> Result<Self> {
        Ok(Kernels { dev: Dev::default() })
    }

    fn answer(&mut self, question: Question) -> Result<String> {
        match question {
            Question::Sample { seed } => json(&sample(seed)),
            Question::Estimate { points, kernel, width } => {
                let train = samples(&self.dev, &points);
                let weights = kernel_weights(kernel, width, to_keys(&self.dev, &train));
                json(&estimate(&self.dev, weights, &train))
            }
        }
    }
}
