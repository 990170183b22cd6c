//! The tests of the book builder.

mod common;
mod directives;
mod faults;
mod pages;
mod refresh;
mod server;
