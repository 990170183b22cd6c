//! Section 10.2: the training of `w` on fifty points, step by step.

use crate::{Page, json};
use anyhow::Result;
use ch10_2::{
    GaussianAttention, Samples, TrainingSet, differences, draw_samples, entropy, loss,
    mse, pool, test_inputs, train, truth,
};
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor2};
use serde::{Deserialize, Serialize};

/// Points of the sample, and test inputs.
pub const N: usize = 50;
/// The loss is drawn from w = 0 to 20, in steps of 0.25.
const LANDSCAPE: usize = 81;

/// The keys of each point: all points.
type All = TrainingSet<N, N>;
/// The keys of each point: all others.
type Others = TrainingSet<N, { N - 1 }>;

/// The page.
pub struct Regression {
    dev: Dev,
}

/// What the reader asks. Points are pairs of an input and an output; 50 of them.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Question {
    /// The [`Sample`] that the program draws from a seed.
    Sample {
        /// Any.
        seed: u64,
    },
    /// A [`Training`] of `w` by gradient descent, all points in each step.
    Train {
        /// What is trained on.
        points: Vec<[f32; 2]>,
        /// Where `w` stands.
        w: f32,
        /// The learning rate.
        lr: f32,
        /// With 0, the model as it is.
        steps: usize,
        /// Whether a point is among its own keys.
        own_key: bool,
    },
    /// The [`Landscape`] of the loss from `w` = 0 to 20.
    Landscape {
        /// What would be trained on.
        points: Vec<[f32; 2]>,
        /// Whether a point is among its own keys.
        own_key: bool,
    },
}

/// Fifty points, and where the training of `w` starts.
#[derive(Serialize)]
pub struct Sample {
    /// Inputs in rising order, and outputs.
    pub points: Vec<[f32; 2]>,
    /// The first `w`.
    pub w: f32,
}

/// An estimate of the curve at the 50 test inputs.
#[derive(Serialize)]
pub struct Estimate {
    /// The test inputs: queries.
    pub x: Vec<f32>,
    /// What is right there.
    pub truth: Vec<f32>,
    /// What is estimated.
    pub output: Vec<f32>,
    /// The weights of each query: 50 rows of 50.
    pub weights: Vec<Vec<f32>>,
    /// The mean squared error.
    pub error: f32,
    /// e to the mean entropy: to how many keys a query attends.
    pub keys: f32,
    /// How many queries have no key in their window.
    pub empty: usize,
}

/// `w` after some steps.
#[derive(Serialize)]
pub struct Training {
    /// For each step the loss before it, and `w` after it.
    pub history: Vec<[f32; 2]>,
    /// `w` after them all.
    pub w: f32,
    /// The loss there.
    pub loss: f32,
    /// Its derivative with respect to `w`.
    pub gradient: f32,
    /// What the model makes of the test inputs.
    pub estimate: Estimate,
}

/// The loss over `w`.
#[derive(Serialize)]
pub struct Landscape {
    /// 0, 0.25 … 20.
    pub w: Vec<f32>,
    /// The loss at each.
    pub loss: Vec<f32>,
}

impl Page for Regression {
    type Question = Question;

    fn new(_model: &[u8]) -> Result<Self> {
        Ok(Regression { dev: Dev::default() })
    }

    fn answer(&mut self, question: Question) -> Result<String> {
        match question {
            Question::Sample { seed } => json(&sample(seed)),
            Question::Train { points, w, lr, steps, own_key } => {
                let train = samples(&self.dev, &points);
                let start = GaussianAttention { w: self.dev.tensor(w) };
                json(&match own_key {
                    true => {
                        self.train(start, &train, &All::with_self(&train), lr, steps)
                    }
                    false => self.train(
                        start,
                        &train,
                        &Others::leave_one_out(&train),
                        lr,
                        steps,
                    ),
                })
            }
            Question::Landscape { points, own_key } => {
                let train = samples(&self.dev, &points);
                json(&match own_key {
                    true => self.landscape(&All::with_self(&train)),
                    false => self.landscape(&Others::leave_one_out(&train)),
                })
            }
        }
    }
}

/// The sample that the program draws from a seed.
pub fn sample(seed: u64) -> Sample {
    let dev = Dev::seed_from_u64(seed);
    let drawn = draw_samples::<N>(&dev);
    let start = GaussianAttention::new(&dev);
    let points = drawn.x.as_vec().into_iter().zip(drawn.y.as_vec());
    Sample { points: points.map(|(x, y)| [x, y]).collect(), w: start.w.array() }
}

/// Fifty points as keys and values.
pub fn samples(dev: &Dev, points: &[[f32; 2]]) -> Samples<N> {
    let axis = |axis: usize| -> Tensor1<N> {
        let numbers = points.iter().map(|point| point[axis]).collect();
        dev.tensor_from_vec(numbers, (Const,))
    };
    Samples { x: axis(0), y: axis(1) }
}

/// Each test input minus each key.
pub fn to_keys(dev: &Dev, train: &Samples<N>) -> Tensor2<N, N> {
    differences(test_inputs(dev), train.x.clone())
}

/// What these weights make of the test inputs.
pub fn estimate(dev: &Dev, weights: Tensor2<N, N>, train: &Samples<N>) -> Estimate {
    let x: Tensor1<N> = test_inputs(dev);
    let truth = truth(x.clone());
    let output = pool(weights.clone(), train.y.clone());
    let rows: Vec<Vec<f32>> = weights.as_vec().chunks(N).map(Vec::from).collect();
    let entropy = entropy(weights).mean::<Rank0, _>().array();
    Estimate {
        x: x.as_vec(),
        output: output.as_vec(),
        error: mse(output, &truth),
        truth: truth.as_vec(),
        keys: entropy.exp(),
        empty: rows.iter().filter(|row| row.iter().all(|&a| a == 0.0)).count(),
        weights: rows,
    }
}

impl Regression {
    fn train<const K: usize>(
        &self,
        mut model: GaussianAttention,
        points: &Samples<N>,
        set: &TrainingSet<N, K>,
        lr: f32,
        steps: usize,
    ) -> Training {
        let history = train(&mut model, set, lr, steps);
        let w = model.w.array();
        let after = loss(&model, set, OwnedTape::default());
        let value = after.array();
        let gradient = after.backward().get(&model.w).array();
        let weights = model.weights(to_keys(&self.dev, points));
        Training {
            history: history.into_iter().map(|(loss, w)| [loss, w]).collect(),
            w,
            loss: value,
            gradient,
            estimate: estimate(&self.dev, weights, points),
        }
    }

    fn landscape<const K: usize>(&self, set: &TrainingSet<N, K>) -> Landscape {
        let w: Vec<f32> = (0..LANDSCAPE).map(|i| i as f32 / 4.0).collect();
        let at = |&w: &f32| {
            let model = GaussianAttention { w: self.dev.tensor(w) };
            loss(&model, set, NoneTape).array()
        };
        Landscape { loss: w.iter().map(at).collect(), w }
    }
}
