//! What section 10.4 has tested without training.

#[path = "../seq2seq/common.rs"]
mod common;
mod laws;
#[path = "../seq2seq/names.rs"]
mod names;
mod parity;
