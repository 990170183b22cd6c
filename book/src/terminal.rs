//! Output on the terminal. A stream that cannot be written to is an error or ignored,
//! never a panic.

use anyhow::{Context, Result};
use std::fmt::Display;
use std::io::{Write, stderr, stdout};

/// Prints lines on standard output.
///
/// # Errors
/// If the disk is full, or the other end of a pipe is closed.
pub fn say(lines: impl Display) -> Result<()> {
    let mut out = stdout().lock();
    let said = writeln!(out, "{}", printable(lines)).and_then(|()| out.flush());
    said.context("cannot write to standard output")
}

/// Prints lines on standard error, if that is open.
pub fn warn(lines: impl Display) {
    // There is no other place to report that this one cannot be written to.
    writeln!(stderr().lock(), "{}", printable(lines)).ok();
}

/// Escapes what could steer a terminal, but for line ends: control characters, and
/// marks that turn the direction of writing.
fn printable(lines: impl Display) -> String {
    let steers = |c: char| {
        c != '\n' && c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
            || matches!(c, '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let escaped = |c: char| match steers(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    lines.to_string().chars().map(escaped).collect()
}
