//! The demo of section 10.4: a translator is trained, evaluated on sentences
//! that it was not trained with, and shows what it attended to. The subcommands
//! translate a sentence of the reader's, compare it with a translator without
//! attention, print how its settings were chosen, and train in d2l's setting.

mod demo;

use std::process::ExitCode;

fn main() -> ExitCode {
    program::run::<demo::Bahdanau>()
}
