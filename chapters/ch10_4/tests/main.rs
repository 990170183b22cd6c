//! Tests of section 10.4.

#[path = "../../seq2seq/tests/common.rs"]
mod common;
mod laws;
#[path = "../../seq2seq/tests/names.rs"]
mod names;
mod parity;
mod program;
mod trained;
