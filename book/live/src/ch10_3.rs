//! Section 10.3: masked softmax and the weighted sum, and what the width does
//! to scores.

use crate::{Page, json};
use anyhow::{Result, ensure};
use ch10_3::{DotProductAttention, Mask, attend, masked_softmax};
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor2, Tensor3};
use serde::{Deserialize, Serialize};

/// Queries, and pairs, of the example whose scores are edited.
pub const PAIRS: usize = 4;
/// Pairs of the example that is computed by hand.
pub const BY_HAND: usize = 3;
/// Pairs of the random queries.
pub const KEYS: usize = 10;
/// How many random queries there are.
const QUERIES: usize = 50;
/// Scores are smaller than this in size.
const HUGE: f32 = 8e37;

/// The page.
pub struct Scores {
    dev: Dev,
}

/// What the reader asks.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Question {
    /// Weights and outputs of one example: [`Pooled`].
    Scores {
        /// A row for each query, smaller than 8e37 in size.
        scores: [[f32; PAIRS]; PAIRS],
        /// A number for each pair, within ±1e6.
        values: [f32; PAIRS],
        /// Which pairs a query may attend to.
        mask: Masking,
    },
    /// A query and three pairs, numbers from -5 to 5: [`ByHand`].
    ByHand {
        /// The query.
        query: [f32; 2],
        /// A row for each key.
        keys: [[f32; 2]; BY_HAND],
        /// A row for each value.
        values: [[f32; 2]; BY_HAND],
    },
    /// [`Scaling`] of the scores of random queries and keys.
    Scaling {
        /// How many numbers a query has.
        width: usize,
        /// Any.
        seed: u64,
    },
}

/// A kind of mask.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Masking {
    /// Everything is allowed.
    None,
    /// The first so many pairs, at most [`PAIRS`].
    Length(usize),
    /// The same for each query.
    Lengths([usize; PAIRS]),
    /// Query q may attend to the pairs 0 to q.
    Causal,
    /// The same within the first so many.
    CausalWithin(usize),
    /// Whether query q may attend to pair k.
    Cells([[bool; PAIRS]; PAIRS]),
}

/// All that a calculation by hand writes down.
#[derive(Serialize)]
pub struct ByHand {
    /// The query times each key.
    pub products: [f32; BY_HAND],
    /// Divided by √2.
    pub scores: [f32; BY_HAND],
    /// e to the power of these.
    pub exponentials: [f32; BY_HAND],
    /// The weights.
    pub weights: [f32; BY_HAND],
    /// Each value times its weight.
    pub parts: [[f32; 2]; BY_HAND],
    /// What these sum to.
    pub output: [f32; 2],
}

/// Weights and outputs.
#[derive(Serialize)]
pub struct Pooled {
    /// What the mask allows: a row for each query.
    pub allowed: [[bool; PAIRS]; PAIRS],
    /// The weights of each query.
    pub weights: [[f32; PAIRS]; PAIRS],
    /// The weighted sum of the values, for each query.
    pub output: [f32; PAIRS],
}

/// Scores of random queries, as they are and divided by √D.
#[derive(Serialize)]
pub struct Scaling {
    /// As they are.
    pub plain: Measured,
    /// Divided by √D.
    pub scaled: Measured,
    /// What they were divided by.
    pub divisor: f32,
    /// Over how many queries the means go.
    pub queries: usize,
}

/// What the softmax makes of scores.
#[derive(Serialize)]
pub struct Measured {
    /// Of one query, with each of ten keys.
    pub scores: Vec<f32>,
    /// Its weights.
    pub weights: Vec<f32>,
    /// ∂ weight i / ∂ score j of this query, in row i.
    pub slopes: Vec<Vec<f32>>,
    /// The variance of all queries' scores.
    pub variance: f32,
    /// The largest weight of a query: the mean.
    pub largest: f32,
    /// The root of the summed squares of a query's slopes: the mean.
    pub norm: f32,
}

impl Page for Scores {
    type Question = Question;

    fn new(_model: &[u8]) -> Result<Self> {
        Ok(Scores { dev: Dev::default() })
    }

    fn answer(&mut self, question: Question) -> Result<String> {
        match question {
            Question::Scores { scores, values, mask } => {
                json(&self.pooled(scores, values, &mask)?)
            }
            Question::ByHand { query, keys, values } => {
                json(&self.by_hand(query, keys, values)?)
            }
            Question::Scaling { width, seed } => json(&scaling::<QUERIES>(width, seed)),
        }
    }
}

impl Masking {
    fn mask(&self) -> Mask<1, PAIRS, PAIRS> {
        match *self {
            Masking::None => Mask::none(),
            Masking::Length(length) => Mask::valid_lens([length]),
            Masking::Lengths(lengths) => Mask::valid_lens_per_query([lengths]),
            Masking::Causal => Mask::causal(),
            Masking::CausalWithin(length) => Mask::causal_within([length]),
            Masking::Cells(cells) => Mask::from_fn(|_, q, k| cells[q][k]),
        }
    }
}

impl Scores {
    fn pooled(
        &self,
        scores: [[f32; PAIRS]; PAIRS],
        values: [f32; PAIRS],
        mask: &Masking,
    ) -> Result<Pooled> {
        for (q, row) in scores.iter().enumerate() {
            for (k, score) in row.iter().enumerate() {
                ensure!(
                    score.abs() < HUGE,
                    "the score of query {q} and pair {k} is too large: \
                     give one smaller than 8e37 in size"
                );
            }
        }
        for (k, value) in values.iter().enumerate() {
            ensure!(
                value.abs() <= 1e6,
                "the value of pair {k} must be from -1000000 to 1000000"
            );
        }
        let mask = mask.mask();
        let scores: Tensor3<1, PAIRS, PAIRS> = self.dev.tensor([scores]);
        let values: Tensor3<1, PAIRS, 1> = self.dev.tensor([values.map(|v| [v])]);
        let pooled = attend(scores, values, &mask, 0.0);
        let rows = |q| std::array::from_fn(|k| mask.allows(0, q, k));
        Ok(Pooled {
            allowed: std::array::from_fn(rows),
            weights: pooled.weights.array()[0],
            output: pooled.output.array()[0].map(|[number]| number),
        })
    }

    fn by_hand(
        &self,
        query: [f32; 2],
        keys: [[f32; 2]; BY_HAND],
        values: [[f32; 2]; BY_HAND],
    ) -> Result<ByHand> {
        for number in [&query, keys.as_flattened(), values.as_flattened()].concat() {
            // Rust's own way to write a float would add eight kilobytes.
            let given = json(&number)?;
            let right = (-5.0..=5.0).contains(&number);
            ensure!(right, "each number must be from -5.0 to 5.0, not {given}");
        }
        let (queries, keys) = (self.dev.tensor([[query]]), self.dev.tensor([keys]));
        let columns = keys.clone().permute::<Rank3<1, 2, BY_HAND>, _>();
        let products = queries.clone().matmul(columns);
        let scores = products.clone() / 2f32.sqrt();
        let (layer, all) = (DotProductAttention::default(), self.dev.tensor([values]));
        let found = layer.forward(queries, keys, all, &Mask::none());
        let weights: Tensor1<BY_HAND> = found.weights.reshape();
        let parts: Tensor2<BY_HAND, 2> =
            self.dev.tensor(values) * weights.clone().broadcast();
        Ok(ByHand {
            products: products.array()[0][0],
            scores: scores.array()[0][0],
            exponentials: scores.exp().array()[0][0],
            weights: weights.array(),
            parts: parts.array(),
            output: found.output.array()[0][0],
        })
    }
}

/// B random queries with ten keys each, `width` numbers wide.
pub fn scaling<const B: usize>(width: usize, seed: u64) -> Scaling {
    let dev = Dev::seed_from_u64(seed);
    let queries: Tensor<(Const<B>, Const<1>, usize), f32, Dev> =
        dev.sample_normal_like(&(Const, Const, width));
    let keys: Tensor<(Const<B>, Const<KEYS>, usize), f32, Dev> =
        dev.sample_normal_like(&(Const, Const, width));
    let keys = keys.permute::<(Const<B>, usize, Const<KEYS>), _>();
    let scores: Tensor3<B, 1, KEYS> = queries.matmul(keys);
    let divisor = (width as f32).sqrt();
    Scaling {
        plain: measured(scores.clone()),
        scaled: measured(scores / divisor),
        divisor,
        queries: B,
    }
}

fn measured<const B: usize>(scores: Tensor3<B, 1, KEYS>) -> Measured {
    let dev = scores.device();
    let mut slopes = Vec::new();
    let mut squares: Tensor1<B> = dev.zeros();
    for i in 0..KEYS {
        let weights = masked_softmax(scores.leaky_trace(), &Mask::none());
        let weights: Tensor3<KEYS, B, 1, _> = weights.permute::<_, Axes3<2, 0, 1>>();
        let one = weights.select(dev.tensor(i));
        let slope = one.sum().backward().get(&scores);
        slopes.push(slope.as_vec()[..KEYS].to_vec());
        squares = squares + slope.square().sum::<_, Axes2<1, 2>>();
    }
    let weights = masked_softmax(scores.clone(), &Mask::none());
    let largest: Tensor1<B> = weights.clone().max::<_, Axes2<1, 2>>();
    Measured {
        scores: scores.as_vec()[..KEYS].to_vec(),
        weights: weights.as_vec()[..KEYS].to_vec(),
        slopes,
        variance: scores.var::<Rank0, _>().array(),
        largest: largest.mean().array(),
        norm: squares.sqrt().mean().array(),
    }
}
