//! Headings, words, terms, and the table of contents.

use super::{Book, Problems};
use crate::facts::Facts;
use std::collections::HashSet;

/// Checks the text of all pages.
pub fn check(book: &Book, problems: &mut Problems) {
    contents(book, problems);
    for page in book.pages {
        headings(page, problems);
        words(page, problems);
        bold_once(page, problems);
    }
    for section in book.sections() {
        let command = format!("cargo run -p {}", section.name);
        opens_with(section.main, &command, problems);
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
        let special = file == summary || file == format!("{}/404.md", book.src);
        if !special && !seen.contains(&file) {
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

/// Words that tell a reader who is stuck that they should not be.
const UNKIND: [&str; 5] = ["simply", "obviously", "trivially", "of course", "just"];

fn words(page: &Facts, problems: &mut Problems) {
    for (line, text) in &page.prose {
        let text = text.to_lowercase();
        for word in UNKIND {
            let found = text.match_indices(word).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                let after = text[at + word.len()..].chars().next();
                let letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
                !letter(before) && !letter(after)
            });
            if found {
                problems.add(&page.file, *line, format!("the word \"{word}\""));
            }
        }
    }
}

/// A term is bold where it is defined.
fn bold_once(page: &Facts, problems: &mut Problems) {
    let mut seen = HashSet::new();
    for (line, term) in &page.bold {
        if !seen.insert(term.to_lowercase()) {
            let text = format!("\"{term}\" is bold for the second time");
            problems.add(&page.file, *line, text);
        }
    }
}

/// A section says first which command runs it.
fn opens_with(page: &Facts, command: &str, problems: &mut Problems) {
    let second = page.headings.iter().find(|heading| heading.level == 2);
    let end = second.map_or(usize::MAX, |heading| heading.line);
    let mut texts = page.prose.iter().chain(&page.commands);
    if !texts.any(|(line, text)| *line < end && text.contains(command)) {
        let text = format!("`{command}` does not stand before the first heading");
        problems.add(&page.file, 1, text);
    }
}
