//! Lines on the terminal: a stream that cannot be written to is an error or
//! nothing, never a panic.

use std::fmt::{self, Display};
use std::io::{self, ErrorKind, Write, stderr, stdout};

/// Standard output cannot be written to.
#[derive(Debug)]
pub struct Unwritable(io::Error);

impl Unwritable {
    /// Whether the program at the other end of a pipe has read enough.
    pub fn by_choice(&self) -> bool {
        self.0.kind() == ErrorKind::BrokenPipe
    }
}

impl Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "cannot write to standard output: {}", self.0)
    }
}

impl std::error::Error for Unwritable {}

/// Prints lines on standard output.
///
/// # Errors
/// The disk is full, or the other end of a pipe is closed.
pub fn say(lines: impl Display) -> Result<(), Unwritable> {
    let mut out = stdout().lock();
    writeln!(out, "{lines}").and_then(|()| out.flush()).map_err(Unwritable)
}

/// Prints lines on standard error, if it is there.
pub fn warn(lines: impl Display) {
    // There is no other place to say that this one cannot be written to.
    writeln!(stderr().lock(), "{lines}").ok();
}
