//! What the program prints and draws.

mod basics;
mod closer;
mod lookup;
pub mod scaling;

use anyhow::Result;
use kernels::Dev;
use support::{RunArgs, row};

/// Columns that a label takes.
const WIDTH: usize = 24;

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
    lookup::learned_lookup(run.seed);
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
