//! The demo of section 10.7: a Transformer is trained, evaluated on sentences
//! that it was not trained with, and shows what it attended to. The subcommands
//! are those of its side pages.

mod demo;

use std::process::ExitCode;

fn main() -> ExitCode {
    program::run::<demo::TransformerSection>()
}
