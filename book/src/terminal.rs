//! Lines on the terminal: a stream that cannot be written to is an error or
//! nothing, never a panic.

use anyhow::{Context, Result};
use std::fmt::Display;
use std::io::{Write, stderr, stdout};

/// Prints lines on standard output.
///
/// # Errors
/// The disk is full, or the other end of a pipe is closed.
pub fn say(lines: impl Display) -> Result<()> {
    let mut out = stdout().lock();
    let said = writeln!(out, "{lines}").and_then(|()| out.flush());
    said.context("cannot write to standard output")
}

/// Prints lines on standard error, if it is there.
pub fn warn(lines: impl Display) {
    // There is no other place to say that this one cannot be written to.
    writeln!(stderr().lock(), "{lines}").ok();
}
