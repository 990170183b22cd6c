//! How much each page makes a browser fetch.

use crate::listing::Files;
use crate::problem::{Problem, short};
use crate::safe::is_elsewhere;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// No page may be heavier, in bytes as they travel.
pub const LIMIT: usize = 300_000;

/// All pages under `folder` with the bytes that a first visit takes:
/// compressed, with styles, scripts, fonts and icons.
pub fn weights(folder: &Path) -> Vec<(String, usize)> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut weigh = |file: String| {
        let weigh = |file: &String| weigh(&folder.join(file));
        *known.entry(file).or_insert_with_key(weigh)
    };
    let pages = Files::new(folder).under("", ".html").into_iter();
    let with_weight = |name: String| {
        let total = loads(folder, &name).into_iter().map(&mut weigh).sum();
        (name, total)
    };
    pages.map(with_weight).collect()
}

/// What a page makes a browser load: itself, and the styles, scripts, fonts and
/// images that it names.
fn loads(folder: &Path, name: &str) -> BTreeSet<String> {
    let page = fs::read_to_string(folder.join(name)).unwrap_or_default();
    let mut found = BTreeSet::from([name.to_string()]);
    for tag in page.split('<').filter_map(|part| part.split('>').next()) {
        let key = if tag.starts_with("link ") { " href=\"" } else { " src=\"" };
        let address = tag.split(key).nth(1).and_then(|rest| rest.split('"').next());
        if let Some(address) = address.filter(|address| !is_elsewhere(address)) {
            let path = Path::new(name).with_file_name(address);
            found.insert(short(Path::new(""), &path));
        }
    }
    found
}

/// The pages that are heavier than [`LIMIT`]; the page for the printer is
/// the whole book and may be.
pub fn too_heavy(folder: &Path) -> Vec<Problem> {
    let mut pages = weights(folder);
    pages.retain(|(name, bytes)| *bytes > LIMIT && !name.ends_with("print.html"));
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
