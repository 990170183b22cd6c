//! The tests of the book as a whole.

mod commands;
mod compile_fail;
mod faults;
mod fixtures;
mod flags;
mod libraries;
mod programs;
mod records;
mod repository;
