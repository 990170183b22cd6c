//! Trains the models of the live pages and writes them to `book/live/models`:
//! all of them, or those that are named. Two minutes and a half for all in the
//! release profile on a quiet machine.

mod scores;
mod train;

use anyhow::{Result, ensure};
use train::MODELS;

/// More than this no page is to load.
const MOST: usize = 500_000;

fn main() -> Result<()> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    for name in &names {
        let known = MODELS.iter().any(|model| model.name == name);
        let all = MODELS.map(|model| model.name).join(", ");
        ensure!(known, "there is no model {name}; there are {all}");
    }
    let folder = support::find_root()?.join("book/live/models");
    for model in MODELS {
        if names.is_empty() || names.iter().any(|name| name == model.name) {
            let bytes = (model.bytes)()?;
            let len = bytes.len();
            ensure!(len <= MOST, "{}: {len} bytes, more than {MOST}", model.name);
            let path = folder.join(format!("{}.safetensors", model.name));
            support::write_whole(&path, &bytes)?;
            println!("{}: {len} bytes", path.display());
        }
    }
    Ok(())
}
