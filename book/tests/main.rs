//! The tests of the book builder.

mod common;
mod directives;
mod faults;
mod pages;
mod program;
mod publish;
mod refresh;
mod rules;
mod server;
