//! Every link inside the book leads to a page, and there to something with the
//! id that it names.

use super::{Book, Problems};
use crate::facts::Facts;
use crate::problem::short;
use crate::safe::is_elsewhere;
use std::collections::HashSet;
use std::path::Path;

/// Checks the ids and the links of all pages.
pub fn check(book: &Book, problems: &mut Problems) {
    for page in book.pages {
        let mut seen = HashSet::new();
        for (line, id) in &page.ids {
            if !seen.insert(id) {
                problems.add(&page.file, *line, format!("the id {id} is there twice"));
            }
        }
        for (line, link) in &page.links {
            if let Some(text) = dead(book, page, link) {
                problems.add(&page.file, *line, text);
            }
        }
    }
}

/// Why a link leads nowhere.
fn dead(book: &Book, page: &Facts, link: &str) -> Option<String> {
    if is_elsewhere(link) {
        return None;
    }
    let link = link.replace(".html", ".md");
    let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
    let file = match path {
        "" => page.file.clone(),
        path => short(Path::new(""), &Path::new(&page.file).with_file_name(path)),
    };
    let dead = format!("dead link {link}");
    match book.pages.iter().find(|to| to.file == file) {
        // mdBook copies what is no page.
        None if !file.ends_with(".md") && book.is_beside_pages(&file) => None,
        None => Some(dead),
        Some(to) if anchor.is_empty() || to.ids.iter().any(|(_, id)| id == anchor) => {
            None
        }
        Some(_) => Some(format!("{dead}: no heading #{anchor}")),
    }
}
