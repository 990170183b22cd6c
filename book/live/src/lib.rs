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

use anyhow::{Result, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::RangeInclusive;

/// What answers on one page.
pub trait Page: Sized {
    /// What a figure asks; of a page with several figures an enum, one variant
    /// for each: `{"scores": {…}}`.
    type Question: DeserializeOwned;
    /// What it gets. Numbers that are not finite arrive as `null`.
    type Answer: Serialize;

    /// Gets ready. `model` has the bytes of `book/live/models/PAGE.safetensors`,
    /// none where there is no such file.
    ///
    /// # Errors
    /// The model is not the one of this page.
    fn new(model: &[u8]) -> Result<Self>;

    /// Answers a question.
    ///
    /// # Errors
    /// One line for the reader: what is wrong with the question, and what would
    /// be right.
    fn answer(&mut self, question: Self::Question) -> Result<Self::Answer>;
}

/// The number if it lies in the range.
///
/// # Errors
/// It does not, or is none; the line says which numbers do.
pub fn within(name: &str, value: f32, range: RangeInclusive<f32>) -> Result<f32> {
    let (low, high) = (shown(*range.start()), shown(*range.end()));
    let given = shown(value);
    ensure!(range.contains(&value), "{name} must be from {low} to {high}, not {given}");
    Ok(value)
}

/// A number for a message, as JSON has it. That is in a module already; Rust's
/// own way to write a float would add eight kilobytes to what a reader loads.
pub fn shown(value: f32) -> String {
    serde_json::to_string(&value).unwrap_or_default()
}
