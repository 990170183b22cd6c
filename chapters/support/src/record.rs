//! By what a recorded run is known to be of today's settings.

use crate::{RunArgs, settings_hash};
use std::fmt::Debug;

impl RunArgs {
    /// Prints `# settings 1a2b3c4d`, a hash of everything that the results of
    /// a run depend on, for a run of minutes that is recorded: a test asks the
    /// program for the line again, with the hidden flag `--print-settings`,
    /// and so finds a record that is stale. With the flag the program ends
    /// here.
    pub fn print_settings(&self, settings: &impl Debug, data: &[u8]) {
        println!("# settings {}", settings_hash(settings, data));
        if self.print_settings {
            std::process::exit(0);
        }
    }
}
