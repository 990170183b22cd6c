//! How far a long run is, told on standard error: what a program prints on
//! standard output stays the same.

use std::io::{IsTerminal, Write, stderr};

/// Says that `done` of `of` steps are done, and the loss: in place on a
/// terminal, and as five lines over the run where there is none.
pub fn progress(what: &str, done: usize, of: usize, loss: f32) {
    let terminal = stderr().is_terminal();
    let every = (of / if terminal { 50 } else { 5 }).max(1);
    if !done.is_multiple_of(every) && done != of {
        return;
    }
    let text = format!("... {what}: step {done} of {of}, loss {loss:.4}");
    let mut stderr = stderr();
    // Nobody is hurt if this cannot be written.
    let _ = match terminal {
        true if done < of => write!(stderr, "\r{text}"),
        true => writeln!(stderr, "\r{text}"),
        false => writeln!(stderr, "{text}"),
    };
}
