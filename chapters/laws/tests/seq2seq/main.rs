//! What the interlude has tested without its own trainings.

mod bleu;
mod checkpoint;
mod common;
mod dataset;
mod names;
mod pairs;
mod parity;
mod pieces;
mod text;
mod train;
