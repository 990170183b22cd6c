//! The tests of the figures that answer in the page: each natively, and each
//! committed module in an interpreter of WebAssembly.

mod ch10_1;
mod ch10_2;
mod ch10_2_kernels;
mod ch10_3;
mod ch10_4;
mod ch10_5;
mod ch10_6;
mod ch10_7;
mod ch10_7_block;
mod common;
mod induction;
mod language_model;
mod models;
#[path = "../examples/models/scores.rs"]
mod scores;
