//! The tests of the book builder.

mod address;
mod browser;
mod carried;
mod chinese;

mod common;
mod directives;
mod edits;
mod faults;
mod live;
mod pages;
mod program;
mod publish;
mod refresh;
mod rules;
mod server;
mod theme;
mod words;
