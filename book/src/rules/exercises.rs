//! The rules for exercises: an exercise links from its section to its answer, which
//! shows an example and its output.

use super::{Book, Problems, Section};

/// Checks the exercises of a section: its answers are numbered in order, each is asked
/// for and has an example, and each example is an answer. Links and shown files are
/// checked for all pages together.
pub fn check(book: &Book, section: &Section, problems: &mut Problems) {
    let name = &section.name;
    let mut examples = book.files.under(&format!("chapters/{name}/examples"), ".rs");
    examples.retain(|file| file.contains("/exercise_"));
    let path = format!("solutions/{name}.md");
    let page = format!("{}/{path}", book.src);
    let answers = book.pages.iter().find(|answers| answers.file == page);
    let ids = answers.iter().flat_map(|answers| &answers.ids);
    let answers: Vec<(usize, &str)> = ids
        .filter_map(|(line, id)| Some((*line, id.strip_prefix("exercise-")?)))
        .collect();
    for (at, (line, n)) in answers.iter().enumerate() {
        if **n != *(at + 1).to_string() {
            let text = format!("exercise {n} should be exercise {}", at + 1);
            problems.add(&page, *line, text);
        }
        let link = format!("{path}#exercise-{n}");
        let mut links = section.pages.iter().flat_map(|page| &page.links);
        if !links.any(|(_, to)| to.ends_with(&link)) {
            let text = format!("exercise {n} is not asked on the pages of {name}");
            problems.add(&page, *line, text);
        }
        if !examples.iter().any(|file| file.ends_with(&format!("_{n}.rs"))) {
            problems.add(&page, *line, format!("no example answers exercise {n}"));
        }
    }
    for file in examples {
        if !answers.iter().any(|(_, n)| file.ends_with(&format!("_{n}.rs"))) {
            problems.add(&file, 1, format!("answers no exercise of {page}"));
        }
    }
}
