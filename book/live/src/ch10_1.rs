//! Section 10.1: one query on the desk, at a temperature.

use crate::{Page, json};
use anyhow::Result;
use ch10_1::{Dev, KEYS, VALUES, score, soft_attention};
use dfdx::prelude::*;
use serde::{Deserialize, Serialize};

/// The desk of section 10.1.
pub struct Desk {
    dev: Dev,
}

/// A query on the desk.
#[derive(Deserialize)]
pub struct Question {
    /// How much is asked of what catches the eye, and of what there is to read.
    pub query: [f32; 2],
    /// Above 0.
    pub temperature: f32,
}

/// What attention gives for it.
#[derive(Serialize)]
pub struct Answer {
    /// One score for each object.
    pub scores: [f32; 5],
    /// One weight for each object; they sum to 1.
    pub weights: [f32; 5],
    /// The pooled value: red, words, warmth, scent.
    pub output: [f32; 4],
}

impl Page for Desk {
    type Question = Question;

    fn new(_: &[u8]) -> Result<Self> {
        Ok(Desk { dev: Dev::seed_from_u64(0) })
    }

    fn answer(&mut self, Question { query, temperature }: Question) -> Result<String> {
        let queries = self.dev.tensor([query]);
        let (keys, values) = (self.dev.tensor(KEYS), self.dev.tensor(VALUES));
        let [scores] = score(queries.clone(), keys.clone()).array();
        let attention = soft_attention(queries, keys, values, temperature);
        let ([weights], [output]) =
            (attention.weights.array(), attention.output.array());
        json(&Answer { scores, weights, output })
    }
}
