//! Trains the models of the live pages and writes them to `book/live/models`:
//! all of them, or those that are named. Two minutes and a half for all in the
//! release profile on a quiet machine.

mod scores;
mod train;

use anyhow::Result;
use train::MODELS;

fn main() -> Result<()> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let folder = support::find_root()?.join("book/live/models");
    for (name, train) in MODELS {
        if names.is_empty() || names.iter().any(|given| given == name) {
            let path = folder.join(format!("{name}.safetensors"));
            let bytes = train()?;
            support::write_whole(&path, &bytes)?;
            println!("{}: {} bytes", path.display(), bytes.len());
        }
    }
    Ok(())
}
