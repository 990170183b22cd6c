//! The rules for code: mechanism is on the pages of its section, programs that do not
//! compile are beside their errors, examples beside their outputs.

use super::{Book, Problems, Section, shown};
use crate::facts::Facts;
use crate::rust::Rust;

/// Checks the code of a section.
pub fn check(book: &Book, section: &Section, problems: &mut Problems) {
    let name = &section.name;
    for file in book.files.of_library(name) {
        let Ok(rust) = book.files.rust(&file) else { continue };
        for (line, text) in &rust.faults {
            problems.add(&file, *line, text);
        }
        let whole = anchors(&file, &rust, &section.pages, name, problems);
        if let Some(line) = rust.loose_line().filter(|_| !whole) {
            problems.add(&file, line, "this line is in no anchor");
        }
    }
    // A page that shows one of its files shows all.
    for file in book.files.demo(name).iter().take(1) {
        let found = shown(&book.pages, file, None);
        problems.once((file, 1), "the program", &found, "the book");
    }
    for file in book.files.under(&format!("chapters/{name}/compile_fail"), ".rs") {
        problems.on_a_page(book, &file);
        problems.on_a_page(book, &file.replace(".rs", ".stderr"));
    }
    for file in book.files.under(&format!("chapters/{name}/examples"), ".rs") {
        let Ok(rust) = book.files.rust(&file) else { continue };
        let whole = anchors(&file, &rust, &book.pages, "the book", problems);
        if rust.anchors.is_empty() && !whole {
            problems.add(&file, 1, "is on no page");
        }
        // A run of minutes is recorded elsewhere.
        let output = file.replace(".rs", ".txt");
        let long = output.replace("/examples/", "/recorded/");
        problems.on_a_page(book, if book.files.has(&long) { &long } else { &output });
    }
}

/// Checks that every anchor of a file is shown once, or the file as a whole. Returns
/// `true` for the latter.
fn anchors(
    file: &str,
    rust: &Rust,
    pages: &[&Facts],
    of: &str,
    problems: &mut Problems,
) -> bool {
    let whole = shown(pages, file, None);
    for anchor in &rust.anchors {
        let mut found = shown(pages, file, Some(&anchor.name));
        found.extend_from_slice(&whole);
        let what = format!("anchor {}", anchor.name);
        problems.once((file, anchor.start), &what, &found, of);
    }
    !whole.is_empty()
}
