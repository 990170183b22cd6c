//! What the index of the search does not say: which sections define a word.

use serde_json::json;
use std::fs;
use std::io;
use std::path::Path;

/// Puts behind the index in `folder` where the pages have a word in bold, which
/// is where they define it. Theme's attention.js leads there first.
///
/// # Errors
/// A page or the index cannot be read or written.
pub fn define(folder: &Path, pages: &[String]) -> io::Result<()> {
    let index =
        fs::read_dir(folder)?.flatten().map(|entry| entry.path()).find(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("searchindex") && name.ends_with(".js")
        });
    let Some(index) = index else { return Ok(()) };
    let of_section =
        |name: &&String| name.starts_with("ch10_") || name.starts_with("seq2seq");
    let mut defined = Vec::new();
    for name in pages.iter().filter(of_section) {
        let page = fs::read_to_string(folder.join(name))?;
        let main = page.split_once("<main>").map_or("", |(_, main)| main);
        let mut section = "";
        // What follows each tag, with what begins it.
        for part in main.split('<') {
            if let Some(rest) =
                part.strip_prefix("h1 id=\"").or_else(|| part.strip_prefix("h2 id=\""))
            {
                section = rest.split('"').next().unwrap_or_default();
            } else if let Some(word) = part.strip_prefix("strong>")
                && !word.ends_with(['.', ':', '?'])
            {
                defined.push(json!([word, format!("{name}#{section}")]));
            }
        }
    }
    let text = fs::read_to_string(&index)?;
    fs::write(&index, format!("{text}\nwindow.search.defined = {};\n", json!(defined)))
}
