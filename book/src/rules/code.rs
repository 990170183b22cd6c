//! Mechanism on the pages of its section, programs that do not compile beside
//! their errors, examples beside what they print.

use super::{Book, Problems, Section};
use crate::listing::Source;
use crate::rust::Rust;

/// Checks the code of a section.
pub fn check(book: &Book, section: &Section, problems: &mut Problems) {
    let name = &section.name;
    for file in book.files.of_library(name) {
        let Ok(rust) = book.files.rust(&file) else { continue };
        for (line, text) in &rust.faults {
            problems.add(&file, *line, text);
        }
        let shown = |wanted: &dyn Fn(&Source) -> bool| section.shown(wanted);
        let whole = anchors(&file, &rust, shown, name, problems);
        if let Some(line) = rust.loose_line().filter(|_| !whole) {
            problems.add(&file, line, "this line is in no anchor");
        }
    }
    // A page that shows one of its files shows all.
    for file in book.files.demo(name).iter().take(1) {
        let found = book.shown(|source| source.file == *file && source.part.is_none());
        problems.once((file, 1), "the program", &found, "the book");
    }
    for file in book.files.under(&format!("chapters/{name}/compile_fail"), ".rs") {
        problems.on_a_page(book, &file);
        problems.on_a_page(book, &file.replace(".rs", ".stderr"));
    }
    for file in book.files.under(&format!("chapters/{name}/examples"), ".rs") {
        let Ok(rust) = book.files.rust(&file) else { continue };
        let shown = |wanted: &dyn Fn(&Source) -> bool| book.shown(wanted);
        let whole = anchors(&file, &rust, shown, "the book", problems);
        if rust.anchors.is_empty() && !whole {
            problems.add(&file, 1, "is on no page");
        }
        // A run of minutes is recorded elsewhere.
        let output = file.replace(".rs", ".txt");
        let long = output.replace("/examples/", "/recorded/");
        problems.on_a_page(book, if book.files.has(&long) { &long } else { &output });
    }
}

/// Every anchor of a file is shown once, or the file is as a whole: whether it is.
fn anchors(
    file: &str,
    rust: &Rust,
    shown: impl Fn(&dyn Fn(&Source) -> bool) -> Vec<String>,
    of: &str,
    problems: &mut Problems,
) -> bool {
    let whole = shown(&|source| source.file == file && source.part.is_none());
    for anchor in &rust.anchors {
        let mut found = shown(&|source| {
            source.file == file && source.part.as_ref() == Some(&anchor.name)
        });
        found.extend_from_slice(&whole);
        let what = format!("anchor {}", anchor.name);
        problems.once((file, anchor.start), &what, &found, of);
    }
    !whole.is_empty()
}
