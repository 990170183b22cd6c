//! What the program prints and draws.

mod basics;
mod closer;
pub mod divisors;
pub mod lookup;
pub mod scaling;

use anyhow::Result;
use kernels::Dev;
use support::{RunArgs, row, seeds};

/// Columns that a label takes.
const WIDTH: usize = 24;

/// How many models are trained, and for how long.
#[derive(Clone, Copy, clap::Args)]
pub struct Training {
    /// Train N models of each kind
    #[arg(long, value_name = "N", default_value_t = 12)]
    #[arg(value_parser = support::number(1..=1000))]
    models: usize,
    /// Train each for N steps [default: 1500, to choose rates 3000]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = support::number(100..=1_000_000))]
    steps: Option<usize>,
}

/// How many seeds choose a learning rate, at most.
const CHOOSING: u64 = 3;

impl Training {
    /// Seeds of models by which learning rates are chosen.
    fn choosing(&self, seed: u64) -> impl Iterator<Item = u64> {
        seeds(seed, CHOOSING.min(self.models as u64))
    }

    /// Those of the models whose errors are printed: none of the former.
    fn judging(&self, seed: u64) -> impl Iterator<Item = u64> {
        seeds(seed.wrapping_add(CHOOSING), self.models as u64)
    }
}

/// The default run.
pub fn run(dev: &Dev, run: &RunArgs) -> Result<()> {
    use dfdx::prelude::*;
    basics::worked("Keys that differ", dev.sample_normal(), run)?;
    basics::masks(dev);
    basics::four_masks(run)?;
    closer::which_axis(dev, run)?;
    basics::worked("Equal keys", dev.ones(), run)?;
    basics::by_hand(dev);
    closer::dropout(dev);
    Ok(())
}

/// Prints the rows of a matrix, numbered, to four digits.
fn print<const ROWS: usize, const COLUMNS: usize>(
    name: &str,
    matrix: [[f32; COLUMNS]; ROWS],
) {
    for (r, cells) in matrix.into_iter().enumerate() {
        let cells = cells.map(|x| format!("{x:.4}"));
        row(&format!("{name} {r}"), WIDTH, &cells);
    }
}
