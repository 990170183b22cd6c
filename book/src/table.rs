//! How long each page takes to read.

use crate::epub::{SUMMARY, items, links};
use crate::facts::Size;
use crate::listing::Files;
use crate::page::weave;
use crate::problem::{normal, short};
use crate::words::CHINESE;
use anyhow::{Error, Result};
use mdbook_driver::config::Config;
use std::fs;
use std::path::Path;

/// How much running text is read in a minute, in English words and in Chinese
/// characters. Code is counted apart, in lines.
const A_MINUTE: [usize; 2] = [200, 300];

/// Formats a table of all pages of the book at `root`: minutes of reading, visible
/// lines of code, and minutes of reading in Chinese.
///
/// # Errors
/// If `book.toml` or the summary cannot be read.
pub fn table(root: &Path) -> Result<String> {
    let root = normal(root);
    let config: Config = fs::read_to_string(root.join("book.toml"))?.parse()?;
    let src = root.join(&config.book.src);
    let files = Files::new(&root);
    files.regular(&short(&root, &src.join(SUMMARY))).map_err(Error::msg)?;
    let editions = [src.clone(), src.with_file_name(CHINESE.source)];
    let mut out = format!("{:<34} minutes   code", "page");
    out += if editions[1].is_dir() { "  Chinese" } else { "" };
    let mut total = [None; 2];
    let pages = items(&src)?;
    for path in links(&pages).iter().filter_map(|link| link.location.as_ref()) {
        let sizes = editions.each_ref().map(|src| {
            let file = short(&root, &src.join(path));
            Some(weave(&files, &file, &files.text(&file).ok()?).facts.size)
        });
        out += &row(&short(&root, path), sizes);
        for (total, size) in total.iter_mut().zip(sizes) {
            let Some(size) = size else { continue };
            let total: &mut Size = total.get_or_insert_default();
            total.words += size.words;
            total.code += size.code;
        }
    }
    Ok(out + &row("all", total))
}

fn row(name: &str, [english, chinese]: [Option<Size>; 2]) -> String {
    let minutes = |size: Size, at: usize| size.words.div_ceil(A_MINUTE[at]);
    let english = english.unwrap_or_default();
    let row = format!("\n{name:<34} {:>7} {:>6}", minutes(english, 0), english.code);
    row + &chinese.map_or(String::new(), |size| format!("{:>9}", minutes(size, 1)))
}
