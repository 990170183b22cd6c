//! Detects records that were made with outdated settings or by outdated code.

use crate::cli::{NAME, RunArgs};
use crate::{mechanism, settings_hash};
use std::fmt::Debug;

impl RunArgs {
    /// Prints `# settings 1a2b3c4d, mechanism 5e6f7a8b`: a hash of the seed, the
    /// settings and the data that the results of a run depend on, and a hash of the
    /// libraries that compute them. A test asks a program whose run is recorded for
    /// this line again, with the hidden flag `--print-settings`, and so finds a record
    /// that is stale. With the flag the program ends here.
    pub fn print_settings(&self, settings: &impl Debug, data: &[u8]) {
        let settings = settings_hash(&(self.seed, settings), data);
        let mechanism = mechanism(NAME.get().unwrap_or(&""));
        println!("# settings {settings}, mechanism {mechanism}");
        if self.print_settings {
            std::process::exit(0);
        }
    }
}
