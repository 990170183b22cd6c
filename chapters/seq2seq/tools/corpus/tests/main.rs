//! Tests of the corpus and of its grammar.

mod french;
mod program;
mod promises;
