//! An exercise is a link from its section to its answer, which shows an
//! example and what it prints.

use super::{Book, Problems, Section};
use crate::facts::{Facts, Taken};
use crate::listing::Source;

/// Checks the exercises of a section.
pub fn check(book: &Book, section: &Section, problems: &mut Problems) {
    let name = &section.name;
    let folder = format!("chapters/{name}/examples");
    let mut examples = book.files.under(&folder, ".rs");
    examples.retain(|file| file.contains("/exercise_"));
    let path = format!("solutions/{name}.md");
    let asked = asked(section, &path, problems);
    let Some(answers) = book.page(&path) else {
        if !asked.is_empty() || !examples.is_empty() {
            let text = format!("its exercises have no page {path}");
            problems.add(&section.main.file, 1, text);
        }
        return;
    };
    for (line, n) in headings(answers) {
        if !asked.contains(&n) {
            let text = format!("exercise {n} is not asked on the pages of {name}");
            problems.add(&answers.file, line, text);
        }
    }
    for n in &asked {
        if !headings(answers).iter().any(|(_, heading)| heading == n) {
            problems.add(&answers.file, 1, format!("no heading {{#exercise-{n}}}"));
        }
        let example = examples.iter().find(|file| number(file) == Some(*n));
        match example {
            Some(file) => answer(book, answers, file, problems),
            None => {
                let text = format!("no example in {folder} answers exercise {n}");
                problems.add(&answers.file, 1, text);
            }
        }
    }
    for file in examples {
        if !number(&file).is_some_and(|n| asked.contains(&n)) {
            problems.add(&file, 1, format!("no page of {name} asks this exercise"));
        }
    }
}

/// The numbers of the exercises that the section's pages lead to: from 1, with
/// none left out.
fn asked(section: &Section, path: &str, problems: &mut Problems) -> Vec<usize> {
    let mut numbers = Vec::new();
    let start = format!("{path}#exercise-");
    for page in &section.pages {
        for (line, link) in &page.links {
            let Some((_, rest)) = link.split_once(&start) else { continue };
            match rest.parse::<usize>() {
                Ok(n) if numbers.contains(&n) => {}
                Ok(n) => numbers.push(n),
                Err(_) => {
                    let text = format!("exercise {rest} has no number");
                    problems.add(&page.file, *line, text);
                }
            }
        }
    }
    numbers.sort();
    for n in (1..=numbers.len()).filter(|n| !numbers.contains(n)) {
        problems.add(&section.main.file, 1, format!("no link leads to exercise {n}"));
    }
    numbers
}

fn headings(answers: &Facts) -> Vec<(usize, usize)> {
    let ids = answers.headings.iter().filter_map(|heading| {
        let id = heading.id.as_ref()?;
        Some((heading.line, id.strip_prefix("exercise-")?.parse().ok()?))
    });
    ids.collect()
}

/// What follows the last `_` in the name of the file.
fn number(file: &str) -> Option<usize> {
    let stem = file.rsplit('/').next()?.split('.').next()?;
    stem.rsplit('_').next()?.parse().ok()
}

fn answer(book: &Book, answers: &Facts, file: &str, problems: &mut Problems) {
    // A run of minutes is recorded elsewhere.
    let beside = file.replace(".rs", ".txt");
    let long = beside.replace("/examples/", "/recorded/");
    let output = if book.files.has(&long) { long } else { beside };
    for file in [file.to_string(), output] {
        if !book.files.has(&file) {
            problems.add(&file, 0, "is not there");
            continue;
        }
        let is = |taken: &Taken| match taken {
            Taken::Include(source) | Taken::Listing(source) => {
                *source == Source { file: file.clone(), part: None }
            }
            _ => false,
        };
        if !answers.shown.iter().any(|(_, taken)| is(taken)) {
            problems.add(&file, 1, format!("is not on {}", answers.file));
        }
    }
    let text = book.files.text(file).unwrap_or_default();
    if !text.lines().any(|line| line.trim().starts_with("assert")) {
        problems.add(file, 1, "asserts nothing");
    }
}
