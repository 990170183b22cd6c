//! Tests of the interlude.

mod bleu;
mod checkpoint;
mod common;
mod dataset;
mod names;
mod pairs;
mod parity;
mod program;
mod text;
mod train;
