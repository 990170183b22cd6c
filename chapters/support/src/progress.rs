//! How far a long run is, on standard error: what a program prints on standard
//! output stays the same.

use crate::terminal::note;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::time::Instant;

/// The progress of a training: a bar on a terminal; elsewhere ten lines, each
/// beginning with `... `.
pub struct Progress {
    what: String,
    bar: Option<ProgressBar>,
    start: Instant,
    steps: usize,
    /// Steps that were done before.
    before: usize,
    done: usize,
    tokens: usize,
}

impl Progress {
    /// Starts the clock of a training of `steps` steps; `what` names it.
    pub fn new(what: impl Into<String>, steps: usize) -> Self {
        let (what, start) = (what.into(), Instant::now());
        let style = ProgressStyle::with_template("{prefix} {bar:24} {msg}");
        let bar = stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(steps as u64).with_prefix(what.clone());
            bar.with_style(style.unwrap_or(ProgressStyle::default_bar()))
        });
        Progress { what, bar, start, steps, before: 0, done: 0, tokens: 0 }
    }

    /// Counts steps that an earlier run has done.
    pub fn resume(&mut self, steps: usize) {
        (self.before, self.done) = (steps, steps);
        if let Some(bar) = &self.bar {
            bar.inc(steps as u64);
        }
    }

    /// Counts one more step, which had this loss.
    pub fn step(&mut self, loss: f32) {
        self.step_of(0, loss);
    }

    /// Counts one more step of `tokens` tokens, and shows how many are read a second.
    pub fn step_of(&mut self, tokens: usize, loss: f32) {
        let tenth = |done: usize| done as u128 * 10 / self.steps.max(1) as u128;
        let due = tenth(self.done + 1) > tenth(self.done);
        self.done += 1;
        self.tokens += tokens;
        if let Some(bar) = &self.bar {
            bar.inc(1);
            bar.set_message(self.text(loss));
        } else if due {
            note(format_args!("... {}: {}", self.what, self.text(loss)));
        }
    }

    fn text(&self, loss: f32) -> String {
        let seconds = self.start.elapsed().as_secs_f64().max(1e-9);
        let percent = self.done as u128 * 100 / self.steps.max(1) as u128;
        let to_do = self.steps.saturating_sub(self.done) as f64;
        let left = seconds / (self.done - self.before).max(1) as f64 * to_do;
        let speed = match self.tokens {
            0 => String::new(),
            tokens => format!("  {:.0} tokens/s", tokens as f64 / seconds),
        };
        format!("{percent:3} %  loss {loss:.4}{speed}  {left:.0} s left")
    }
}

/// The last message stays on the terminal.
impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
    }
}
