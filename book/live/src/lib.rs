//! The figures of the book that answer in the page: for each page a type that
//! takes a question and gives an answer, both of them JSON.
//!
//! There is no mathematics here. A page calls the library of its section, whose
//! listings the reader has before them, and shapes what it gives.
//!
//! `book/live/pages/ch10_1.rs` becomes `book/live/wasm/ch10_1.wasm`, which
//! `book/theme/live/worker.js` runs.

pub mod abi;
pub mod ch10_1;
pub mod ch10_2;
pub mod ch10_2_kernels;
pub mod ch10_3;
pub mod ch10_4;
pub mod ch10_5;
pub mod ch10_6;
pub mod ch10_7;
pub mod ch10_7_block;
pub mod induction;
pub mod language_model;
pub mod model;
pub mod one_head;
pub mod sentence;

use anyhow::{Error, Result};
use dfdx::prelude::AsArray;
use kernels::Tensor4;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What answers on one page.
pub trait Page: Sized {
    /// What a figure asks; of a page with several figures an enum, one variant
    /// for each: `{"scores": {…}}`.
    type Question: DeserializeOwned;

    /// Gets ready. `model` has the bytes of `book/live/models/PAGE.safetensors`,
    /// none where there is no such file.
    ///
    /// # Errors
    /// The model is not the one of this page.
    fn new(model: &[u8]) -> Result<Self>;

    /// Answers a question, in [`json`].
    ///
    /// # Errors
    /// One line for the reader: what is wrong with what was typed, and what would
    /// be right. What no control of a figure lets through may end the module.
    fn answer(&mut self, question: Self::Question) -> Result<String>;

    /// Answers a question that is JSON.
    ///
    /// # Errors
    /// It is no question of this page, or one that [`Page::answer`] refuses.
    fn ask(&mut self, question: &[u8]) -> Result<String> {
        let question = serde_json::from_slice(question)
            .map_err(|error| anyhow::anyhow!("not a question: {error}"))?;
        self.answer(question)
    }
}

/// An answer as JSON, in which numbers that are not finite are `null`.
///
/// # Errors
/// It has what JSON has not.
pub fn json(answer: &impl Serialize) -> Result<String> {
    serde_json::to_string(answer).map_err(Error::msg)
}

/// One of several things that may come next.
#[derive(Debug, Serialize)]
pub struct Candidate {
    /// A word, a mark, a letter or `<eos>`.
    pub token: String,
    /// To the model.
    pub probability: f32,
}

/// The indices of the `count` largest numbers, the largest first.
pub fn largest(numbers: &[f32], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[b].total_cmp(&numbers[a]));
    order.truncate(count);
    order
}

/// The heads of a layer: of each so many rows, of each row so many weights.
pub fn cut<const H: usize, const S: usize>(
    weights: &Tensor4<1, H, S, S>,
    (queries, keys): (usize, usize),
) -> Vec<Vec<Vec<f32>>> {
    let [heads] = weights.array();
    let row = |row: &[f32; S]| row[..keys].to_vec();
    heads.iter().map(|rows| rows[..queries].iter().map(row).collect()).collect()
}
