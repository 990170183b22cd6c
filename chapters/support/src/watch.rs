//! How far a training is: a bar on a terminal, plain lines elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Instant;

/// Progress of a training, on standard error.
pub struct Progress {
    bar: Option<ProgressBar>,
    what: &'static str,
    start: Instant,
    steps: (usize, usize),
    tokens: usize,
}

impl Progress {
    /// Of a training of so many steps; `what` is trained.
    pub fn new(what: &'static str, steps: usize) -> Self {
        let style = ProgressStyle::with_template("{prefix} {bar:24} {msg}");
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(steps as u64).with_prefix(what);
            bar.with_style(style.unwrap_or(ProgressStyle::default_bar()))
        });
        let start = Instant::now();
        Progress { bar, what, start, steps: (0, steps), tokens: 0 }
    }

    /// A step is done, with a loss a token on so many tokens. Elsewhere than
    /// on a terminal a line tells of each tenth of the steps.
    pub fn step(&mut self, loss: f32, tokens: usize) {
        let (done, all) = (self.steps.0 + 1, self.steps.1);
        self.steps.0 = done;
        self.tokens += tokens;
        let line = done * 10 / all > (done - 1) * 10 / all;
        if self.bar.is_none() && !line {
            return;
        }
        let seconds = self.start.elapsed().as_secs_f64();
        let left = seconds / done as f64 * all.saturating_sub(done) as f64;
        let text = format!(
            "{:3} %  loss {loss:.4}  {:.0} tokens/s  {left:.0} s left",
            done * 100 / all,
            self.tokens as f64 / seconds.max(1e-9),
        );
        match &self.bar {
            None => eprintln!("... {} {text}", self.what),
            Some(bar) => {
                bar.inc(1);
                bar.set_message(text);
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish();
        }
    }
}
