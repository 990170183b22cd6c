//! Mechanism on the pages of its section, the demo on its program page,
//! programs that do not compile beside the line that puts them right.

use super::{Book, Problems, Section};
use crate::facts::{Facts, Taken};
use crate::listing::{Source, right_line};
use crate::rust::Rust;

/// Checks the code of a section.
pub fn check(book: &Book, section: &Section, problems: &mut Problems) {
    for file in book.files.of_library(&section.name) {
        library(book, section, &file, problems);
    }
    program(book, section, problems);
    compile_errors(book, section, problems);
    dependencies(book, section, problems);
}

/// Every line of a library in an anchor, every anchor on the section's pages
/// once; or the file as a whole.
fn library(book: &Book, section: &Section, file: &str, problems: &mut Problems) {
    let rust = match book.files.rust(file) {
        Ok(rust) => rust,
        Err(text) => return problems.add(file, 0, text),
    };
    for (line, text) in &rust.faults {
        problems.add(file, *line, text);
    }
    let whole = section.shown(|taken| is_of(taken, file, None));
    if whole.is_empty() {
        for run in runs(&rust.loose_lines(), &rust) {
            let text = match run {
                (first, last) if first == last => "this line is in no anchor".into(),
                (_, last) => {
                    format!("from here to line {last} nothing is in an anchor")
                }
            };
            problems.add(file, run.0, text);
        }
    }
    for anchor in rust.anchors() {
        let mut found = section.shown(|t| is_of(t, file, Some(&anchor.name)));
        found.extend(&whole);
        let what = format!("anchor {}", anchor.name);
        problems.once((file, anchor.start), &what, &found, &section.name);
    }
}

/// Whether a page shows this part of a file, hidden or not.
fn is_of(taken: &Taken, file: &str, part: Option<&str>) -> bool {
    match taken {
        Taken::Listing(source) | Taken::Hidden(source) => {
            source.file == file && source.part.as_deref() == part
        }
        _ => false,
    }
}

/// Lines that follow each other, blank ones between them not counted.
fn runs(lines: &[usize], rust: &Rust) -> Vec<(usize, usize)> {
    let text = rust.lines();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &line in lines {
        match runs.last_mut() {
            Some((_, last))
                if text[*last..line - 1].iter().all(|l| l.trim().is_empty()) =>
            {
                *last = line;
            }
            _ => runs.push((line, line)),
        }
    }
    runs
}

/// A section with a program has a page that shows it, and leads there.
fn program(book: &Book, section: &Section, problems: &mut Problems) {
    let name = &section.name;
    let demo = book.files.demo(name);
    let Some(first) = demo.first() else { return };
    let path = format!("programs/{name}.md");
    let Some(page) = book.page(&path) else {
        let text = format!("its program {first} has no page {path}");
        return problems.add(&section.main.file, 1, text);
    };
    let of = |taken: &Taken| *taken == Taken::Program(name.clone());
    let found = book.shown(of);
    if found.iter().filter(|(file, _)| *file == page.file).count() != 1 {
        let text = format!("{{{{#program {name}}}}} stands here once");
        problems.add(&page.file, 1, text);
    }
    if found.iter().any(|(file, _)| *file != page.file) {
        let text = format!("the program of {name} is on other pages too");
        problems.add(&page.file, 1, text);
    }
    if !leads_to(section, &path) {
        problems.add(&section.main.file, 1, format!("no link leads to {path}"));
    }
}

fn leads_to(section: &Section, path: &str) -> bool {
    let links = |page: &&Facts| {
        page.links.iter().any(|(_, link)| {
            link.split('#').next().is_some_and(|link| link.ends_with(path))
        })
    };
    section.pages.iter().any(links)
}

/// A program that does not compile has its error, the line that puts it right,
/// and a page that shows program and error.
fn compile_errors(book: &Book, section: &Section, problems: &mut Problems) {
    let files = book.files;
    let folder = format!("chapters/{}/compile_fail", section.name);
    for file in files.under(&folder, ".rs") {
        let error = file.replace(".rs", ".stderr");
        if !files.has(&error) {
            problems.add(&file, 1, format!("{error} is not there"));
        }
        if files.text(&file).is_ok_and(|text| right_line(&text).is_none()) {
            problems.add(&file, 1, "does not end with `// Right, line 9: …`");
        }
        if book.shown(|taken| is_program(taken, &file)).is_empty() {
            problems.add(&file, 1, "is on no page");
        }
        if book.shown(|taken| is_error(taken, &file, &error)).is_empty() {
            problems.add(&error, 1, "is on no page");
        }
    }
    for error in files.under(&folder, ".stderr") {
        if !files.has(&error.replace(".stderr", ".rs")) {
            problems.add(&error, 1, "is the error of no program");
        }
    }
}

/// Whether a page shows a program that does not compile, or the line of it
/// that is wrong.
fn is_program(taken: &Taken, file: &str) -> bool {
    match taken {
        Taken::Listing(source) | Taken::Include(source) => source.file == file,
        Taken::Difference(of) => of == file,
        _ => false,
    }
}

fn is_error(taken: &Taken, file: &str, error: &str) -> bool {
    match taken {
        Taken::Error(of) => of == file,
        Taken::Include(source) => source.file == error,
        _ => false,
    }
}

/// A section builds on earlier ones only.
fn dependencies(book: &Book, section: &Section, problems: &mut Problems) {
    let all: Vec<String> = book.sections().into_iter().map(|s| s.name).collect();
    let later = all.iter().skip_while(|name| **name != section.name).skip(1);
    let later: Vec<&String> = later.collect();
    let file = format!("chapters/{}/Cargo.toml", section.name);
    let text = book.files.text(&file).unwrap_or_default();
    for (at, line) in text.lines().enumerate() {
        let key = line.split(['.', '=', ' ']).next().unwrap_or_default();
        if later.iter().any(|name| *name == key) {
            problems.add(&file, at + 1, format!("depends on {key}, which comes later"));
        }
    }
}

/// Examples that are no exercises are shown in full, with their outputs.
pub fn check_examples(book: &Book, problems: &mut Problems) {
    for section in book.sections() {
        let folder = format!("chapters/{}/examples", section.name);
        for file in book.files.under(&folder, ".rs") {
            if !file.contains("/exercise_") {
                example(book, &file, problems);
            }
        }
        for output in book.files.under(&folder, ".txt") {
            if !book.files.has(&output.replace(".txt", ".rs")) {
                problems.add(&output, 1, "is the output of no example");
            }
        }
    }
}

fn example(book: &Book, file: &str, problems: &mut Problems) {
    let is = |taken: &Taken, file: &str, part: Option<&str>| match taken {
        Taken::Listing(s) | Taken::Hidden(s) | Taken::Include(s) => {
            *s == Source { file: file.to_string(), part: part.map(str::to_string) }
        }
        _ => false,
    };
    let Ok(rust) = book.files.rust(file) else { return };
    let whole = book.shown(|taken| is(taken, file, None));
    if rust.anchors().is_empty() {
        problems.once((file, 1), "it", &whole, "the book");
    }
    for anchor in rust.anchors() {
        let mut found = book.shown(|taken| is(taken, file, Some(&anchor.name)));
        found.extend(&whole);
        let what = format!("anchor {}", anchor.name);
        problems.once((file, anchor.start), &what, &found, "the book");
    }
    let beside = file.replace(".rs", ".txt");
    let long = beside.replace("/examples/", "/recorded/");
    let record = if book.files.has(&long) { long } else { beside };
    if book.shown(|taken| is(taken, &record, None)).is_empty() {
        problems.add(file, 1, format!("its output {record} is on no page"));
    }
}
