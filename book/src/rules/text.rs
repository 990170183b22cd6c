//! Headings, and the table of contents.

use super::{Book, Problems};
use crate::facts::Facts;
use std::collections::HashSet;

/// Checks the text of all pages.
pub fn check(book: &Book, problems: &mut Problems) {
    contents(book, problems);
    for page in book.pages {
        headings(page, problems);
    }
}

/// The table of contents has every page once.
fn contents(book: &Book, problems: &mut Problems) {
    let summary = format!("{}/SUMMARY.md", book.src);
    if book.pages.is_empty() {
        problems.add(&summary, 1, "lists no page");
    }
    let mut seen = HashSet::new();
    for page in book.pages {
        if !seen.insert(&page.file) {
            problems.add(&summary, 1, format!("lists {} twice", page.file));
        }
    }
    for file in book.files.under(&book.src, ".md") {
        if file != summary && !seen.contains(&file) {
            problems.add(&file, 1, "is not in SUMMARY.md");
        }
    }
}

fn headings(page: &Facts, problems: &mut Problems) {
    let mut above = 0;
    for heading in &page.headings {
        let mut fault = |text: String| problems.add(&page.file, heading.line, text);
        match &heading.id {
            None => fault(format!("\"{}\" has no {{#id}}", heading.text)),
            Some(id) if !id.chars().all(is_id) => {
                fault(format!("#{id} has other signs than a-z, 0-9 and -"));
            }
            Some(_) => {}
        }
        let level = heading.level;
        if level > above + 1 || (level == 1) != (above == 0) {
            fault(format!("a heading of level {level} after one of level {above}"));
        }
        above = level;
    }
    if above == 0 {
        problems.add(&page.file, 1, "has no title");
    }
}

fn is_id(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'
}
