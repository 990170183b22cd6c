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

/// Prints lines on standard error, if it is there; what could steer a terminal is
/// escaped.
pub fn warn(lines: impl Display) {
    let lines = lines.to_string();
    let lines = lines.lines().map(printable).collect::<Vec<_>>().join("\n");
    // There is no other place to say that this one cannot be written to.
    writeln!(stderr().lock(), "{lines}").ok();
}

/// Returns a text in which control characters, and marks that turn the direction
/// of writing, are escaped.
fn printable(text: &str) -> String {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
            || matches!(c, '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match steers(c) {
            true => safe.extend(c.escape_default()),
            false => safe.push(c),
        }
    }
    safe
}
