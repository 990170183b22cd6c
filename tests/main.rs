//! The tests of the book as a whole.

mod commands;
mod compile_fail;
mod fixtures;
mod libraries;
mod programs;
mod records;
mod repository;
