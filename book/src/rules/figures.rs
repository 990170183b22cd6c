//! The rules for figures: each is shown, and those of a section are numbered in order.

use super::{Book, Problems};
use crate::facts::Facts;

/// Checks all figures.
pub fn check(book: &Book, problems: &mut Problems) {
    for section in book.sections() {
        in_order(&section.pages, problems);
    }
    for folder in ["book/figures", "book/diagrams"] {
        for file in book.files.under(folder, ".svg") {
            problems.on_a_page(book, &file);
        }
    }
}

/// Checks the numbers of a section's figures: 10.3.1, 10.3.2, … on its main page,
/// continued on its side pages.
fn in_order(pages: &[&Facts], problems: &mut Problems) {
    let figures = pages.iter().flat_map(|page| {
        page.figures.iter().map(|(line, number)| (&page.file, *line, number))
    });
    let mut section = None;
    for (at, (file, line, number)) in figures.enumerate() {
        let own = number.rsplit_once('.').map_or("", |(section, _)| section);
        let expected = format!("{}.{}", section.get_or_insert(own), at + 1);
        if *number != expected {
            let text = format!("Figure {number} should be Figure {expected}");
            problems.add(file, line, text);
        }
    }
}
