//! How much each page makes a browser fetch.

use crate::html::loads;
use crate::problem::Problem;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// No page may be heavier, in bytes as they travel.
pub const LIMIT: usize = 300_000;

/// All pages under `folder` with the bytes that a first visit takes:
/// compressed, with styles, scripts, fonts and icons.
pub fn weights(folder: &Path) -> Vec<(String, usize)> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut pages = Vec::new();
    for (name, files) in loads(folder) {
        let each = files.into_iter().map(|file| {
            let weigh = |file: &String| weigh(&folder.join(file));
            *known.entry(file).or_insert_with_key(weigh)
        });
        let total = each.sum();
        pages.push((name, total));
    }
    pages
}

/// The pages that are heavier than [`LIMIT`]; the page for the printer is
/// the whole book and may be.
pub fn too_heavy(folder: &Path) -> Vec<Problem> {
    let mut pages = weights(folder);
    pages.retain(|(name, bytes)| *bytes > LIMIT && name != "print.html");
    let text = |bytes| format!("{bytes} bytes travel, more than {LIMIT}");
    let problem = |(name, bytes): (String, usize)| Problem::new(&name, 0, text(bytes));
    pages.into_iter().map(problem).collect()
}

fn weigh(path: &Path) -> usize {
    let data = fs::read(path).unwrap_or_default();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("png" | "woff2") => data.len(),
        _ => gzip(&data).map_or(data.len(), |packed| packed.len()),
    }
}

fn gzip(data: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data)?;
    encoder.finish()
}
