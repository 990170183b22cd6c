//! The rules for links: every page is in the table of contents, and every link inside
//! the book leads to a page and an id that exist.

use super::{Book, Problems};
use crate::address::is_elsewhere;
use crate::facts::Facts;
use crate::problem::beside;
use std::collections::HashSet;

/// Checks the ids and the links of all pages.
pub fn check(book: &Book, problems: &mut Problems) {
    for file in book.files.under(&book.src, ".md") {
        let is_there = book.pages.iter().any(|page| page.file == file);
        if !is_there && !file.ends_with("/SUMMARY.md") {
            problems.add(&file, 1, "is not in SUMMARY.md");
        }
    }
    for page in &book.pages {
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

/// Returns the reason why a link is dead.
fn dead(book: &Book, page: &Facts, link: &str) -> Option<String> {
    if is_elsewhere(link) {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let file = match path {
        "" => page.file.clone(),
        path => beside(&page.file, path),
    };
    match book.pages.iter().find(|to| to.file == file) {
        None => Some(format!("dead link {link}")),
        Some(to) if anchor.is_empty() || to.ids.iter().any(|(_, id)| id == anchor) => {
            None
        }
        Some(_) => Some(format!("dead link {link}: no heading #{anchor}")),
    }
}
