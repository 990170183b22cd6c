//! Every figure is drawn, shown, described and numbered in order.

use super::{Book, Problems};
use crate::facts::Facts;
use crate::safe::Html;
use roxmltree::Document;
use std::collections::HashSet;

/// Checks the descriptions of all figures.
pub fn described(book: &Book, problems: &mut Problems) {
    let least = book.words().shortest_alt;
    for page in book.pages {
        for figure in &page.figures {
            if figure.alt.chars().count() < least {
                let number = &figure.number;
                let [label, _] = book.words().figure;
                let text = format!(
                    "{label}{number} is described in less than {least} characters"
                );
                problems.add(&page.file, figure.line, text);
            }
        }
    }
}

/// Checks all figures.
pub fn check(book: &Book, problems: &mut Problems) {
    for section in book.sections() {
        in_order(&section.pages, problems);
    }
    let used: HashSet<&str> = book
        .pages
        .iter()
        .flat_map(|page| page.images.iter().map(String::as_str))
        .collect();
    for folder in ["book/figures", "book/diagrams"] {
        for file in book.files.under(folder, ".svg") {
            if !used.contains(file.as_str()) {
                problems.add(&file, 1, "is on no page");
            }
            if let Ok(text) = book.files.text(&file) {
                picture(&file, &text, problems);
            }
        }
    }
}

/// The numbers of a section's figures: 10.3.1, 10.3.2, … on its main page, and
/// on in its side pages. A section without a number has a letter or a word.
fn in_order(pages: &[&Facts], problems: &mut Problems) {
    let title = pages.first().and_then(|page| page.headings.first());
    let number = title.and_then(|title| title.text.split(' ').next());
    let number = number.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let mut prefix = number.map(str::to_string);
    let figures = pages.iter().flat_map(|page| {
        page.figures.iter().map(|figure| (page.file.as_str(), figure))
    });
    for (at, (file, figure)) in figures.enumerate() {
        let own = figure.number.rsplit_once('.').map_or("", |(prefix, _)| prefix);
        let prefix = prefix.get_or_insert_with(|| own.to_string());
        let expected = format!("{prefix}.{}", at + 1);
        if figure.number != expected {
            let text = format!("Figure {} should be Figure {expected}", figure.number);
            problems.add(file, figure.line, text);
        }
    }
}

/// What an SVG needs to live inside of a page.
fn picture(file: &str, text: &str, problems: &mut Problems) {
    for (line, text) in Html::new(text).faults {
        problems.add(file, line, text);
    }
    let tree = match Document::parse(text) {
        Ok(tree) => tree,
        Err(error) => {
            let line = error.pos().row as usize;
            return problems.add(file, line, format!("is no SVG: {error}"));
        }
    };
    let stem = file.rsplit('/').next().unwrap_or_default();
    let stem = stem.trim_end_matches(".svg");
    for node in tree.descendants().filter(|node| node.is_element()) {
        let line = || tree.text_pos_at(node.range().start).row as usize;
        for a in node.attributes() {
            let fixed = ["black", "white", "#000", "#fff", "#000000", "#ffffff"];
            if fixed.contains(&a.value().to_ascii_lowercase().as_str()) {
                let text = "a fixed black or white is unseen in one of the themes";
                problems.add(file, line(), text);
            }
            if a.name() == "id" && !a.value().starts_with(stem) {
                let text = format!("the id {} does not begin with {stem}", a.value());
                problems.add(file, line(), text);
            }
        }
    }
}
