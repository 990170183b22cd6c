//! The rule for outputs: everything that a program prints is on the pages of its
//! section once.

use super::{Book, Problems, Section, shown};
use crate::listing::headings;

/// Checks the outputs of a section.
pub fn check(book: &Book, section: &Section, problems: &mut Problems) {
    let chapter = format!("chapters/{}", section.name);
    let mut outputs = book.files.under(&format!("{chapter}/output"), ".txt");
    outputs.push(format!("{chapter}/output.txt"));
    for file in outputs {
        if let Ok(text) = book.files.text(&file) {
            output(section, &file, &text, problems);
        }
    }
    // Runs that no test repeats, since they take minutes or measure time.
    for file in book.files.under(&format!("{chapter}/recorded"), ".txt") {
        problems.on_a_page(book, &file);
    }
}

fn output(section: &Section, file: &str, text: &str, problems: &mut Problems) {
    let name = &section.name;
    let whole = shown(&section.pages, file, None);
    let parts = headings(text);
    if parts.is_empty() {
        return problems.once((file, 1), "it", &whole, name);
    }
    let loose = text.lines().take(parts[0].0 - 1).skip(1);
    if loose.into_iter().any(|line| !line.trim().is_empty()) {
        problems.add(file, 2, "something is printed before the first heading");
    }
    for (at, (line, heading)) in parts.iter().enumerate() {
        if parts[..at].iter().any(|(_, text)| text == heading) {
            problems.add(file, *line, format!("\"{heading}\" is there twice"));
            continue;
        }
        let mut found = shown(&section.pages, file, Some(heading));
        found.extend_from_slice(&whole);
        problems.once((file, *line), &format!("\"{heading}\""), &found, name);
    }
}
