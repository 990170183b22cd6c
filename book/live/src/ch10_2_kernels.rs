//! Section 10.2, kernels and widths: what a kernel of some width makes of fifty
//! points.

use crate::ch10_2::{Estimate, Sample, estimate, sample, samples, to_keys};
use crate::{Page, within};
use anyhow::Result;
use ch10_2::kernels::{Kernel, kernel_weights};
use kernels::Dev;
use serde::{Deserialize, Serialize};

/// The page.
pub struct Kernels {
    dev: Dev,
}

/// What the reader asks.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Question {
    /// The sample that the program draws from a seed.
    Sample {
        /// Any.
        seed: u64,
    },
    /// The estimate of a kernel.
    Estimate {
        /// Keys and values: 50 pairs of an input and an output.
        points: Vec<[f32; 2]>,
        /// `gaussian`, `boxcar`, `epanechnikov` or `constant`.
        #[serde(with = "KernelName")]
        kernel: Kernel,
        /// What distances are divided by: from 0.01 to 100.
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

/// What the page answers, by the question.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// To `sample`.
    Sample(Sample),
    /// To `estimate`.
    Estimate(Estimate),
}

impl Page for Kernels {
    type Question = Question;
    type Answer = Answer;

    fn new(_model: &[u8]) -> Result<Self> {
        Ok(Kernels { dev: Dev::default() })
    }

    fn answer(&mut self, question: Question) -> Result<Answer> {
        Ok(match question {
            Question::Sample { seed } => Answer::Sample(sample(seed)),
            Question::Estimate { points, kernel, width } => {
                let width = within("the width", width, 0.01..=100.0)?;
                let train = samples(&self.dev, &points)?;
                let weights = kernel_weights(kernel, width, to_keys(&self.dev, &train));
                Answer::Estimate(estimate(&self.dev, weights, &train))
            }
        })
    }
}
