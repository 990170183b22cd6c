//! The rules that keep pages and code together: a section's library is on its pages
//! once, and so is everything that its program prints and draws.
//!
//! Each fault is reported with its file and line, in the page or in the code.

mod code;
mod exercises;
mod figures;
mod links;
mod outputs;

use crate::facts::Facts;
use crate::listing::{Files, Source};
use crate::problem::{Problem, short};
use crate::words::words_of;
use std::path::Path;

/// Finds what is wrong with the book in `src` whose pages, in the order of the summary,
/// are `pages`.
pub fn check(files: &Files, src: &Path, pages: &[Facts]) -> Vec<Problem> {
    let pages = pages.iter().collect();
    let book = Book { files, src: short(files.root(), src), pages };
    let mut problems = Problems::default();
    links::check(&book, &mut problems);
    // What the Chinese pages show is what the English ones do.
    if words_of(&format!("{}/", book.src)).about.is_some() {
        return problems.0;
    }
    figures::check(&book, &mut problems);
    for section in book.sections() {
        code::check(&book, &section, &mut problems);
        outputs::check(&book, &section, &mut problems);
        exercises::check(&book, &section, &mut problems);
    }
    problems.0
}

/// The book as the rules see it.
struct Book<'a> {
    files: &'a Files,
    /// The folder of the pages, from the root.
    src: String,
    pages: Vec<&'a Facts>,
}

/// A chapter with a page of its own name.
struct Section<'a> {
    /// The name, such as `ch10_3`.
    name: String,
    /// The main page and the side pages, in order.
    pages: Vec<&'a Facts>,
}

impl<'a> Book<'a> {
    /// Returns the sections in the order of the summary.
    fn sections(&self) -> Vec<Section<'a>> {
        let of = |main: &&'a Facts| {
            let name = main.file.strip_prefix(&self.src)?.trim_start_matches('/');
            let name = name.strip_suffix(".md")?;
            let chapter = self.files.root().join("chapters").join(name);
            if name.contains('/') || !chapter.is_dir() {
                return None;
            }
            let side = format!("{}/{name}/", self.src);
            let sides = self.pages.iter().filter(|page| page.file.starts_with(&side));
            let pages = std::iter::once(main).chain(sides).copied().collect();
            Some(Section { name: name.to_string(), pages })
        };
        self.pages.iter().filter_map(of).collect()
    }
}

/// Returns the places that show a part of a file, or without a part the whole of it:
/// `book/en/ch10_3.md:12` for each.
fn shown(pages: &[&Facts], file: &str, part: Option<&str>) -> Vec<String> {
    let is_it = |source: &Source| source.file == file && source.part.as_deref() == part;
    let of_page = |page: &&Facts| {
        let all = page.shown.iter().filter(|(_, source)| is_it(source));
        all.map(|(line, _)| format!("{}:{line}", page.file)).collect::<Vec<_>>()
    };
    pages.iter().flat_map(of_page).collect()
}

/// The faults found so far.
#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn add(&mut self, file: &str, line: usize, text: impl AsRef<str>) {
        self.0.push(Problem::new(file, line, text));
    }

    /// Reports a file that is on no page.
    fn on_a_page(&mut self, book: &Book, file: &str) {
        let mut all = book.pages.iter().flat_map(|page| &page.shown);
        if !all.any(|(_, source)| source.file == file) {
            self.add(file, 1, "is on no page");
        }
    }

    /// Reports what is not shown exactly once.
    fn once(
        &mut self,
        (file, line): (&str, usize),
        what: &str,
        found: &[String],
        of: &str,
    ) {
        let text = match found.len() {
            1 => return,
            0 => format!("{what} is on no page of {of}"),
            n => format!("{what} is shown {n} times: {}", found.join(", ")),
        };
        self.add(file, line, text);
    }
}
