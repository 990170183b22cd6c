//! What the book's programs use and the book does not teach: flags, output,
//! files, plots. For demos, examples and tests only: a section's library does
//! without it.

mod cli;
mod clock;
mod figure;
mod files;
mod heatmap;
mod mechanism;
mod models;
mod plot;
mod progress;
mod record;
mod spread;
mod strips;
mod terminal;

pub use cli::{RunArgs, SeedArgs, number, real, run, run_plain, seeds};
pub use clock::fastest;
pub use figure::{GRID, SERIES, TEXT, draw, label, px};
pub use files::{find_root, read_whole, shown, write_whole};
pub use heatmap::{Labels, Panels, show_heatmaps};
pub use mechanism::{mechanism, mechanism_in};
pub use models::{Made, ModelArgs, ModelFile, settings_hash};
pub use plot::{Mark, Plot, Series, line_plots};
pub use progress::Progress;
pub use spread::{Spread, spread};
pub use strips::{Strip, strips};
pub use terminal::{heading, note, printable, row};
