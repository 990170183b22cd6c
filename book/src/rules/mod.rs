//! The rules that make page and code one: what a section's library says is on
//! its pages once, what its program prints and draws too, and nothing on a
//! page is typed that could be taken from a file.
//!
//! Each fault is reported with its file and line, in the page or in the code.

mod code;
mod exercises;
mod figures;
mod links;
mod outputs;
mod text;

use crate::facts::{Facts, Taken};
use crate::listing::Files;
use crate::problem::{Problem, short};
use crate::words::{Words, words_of};
use std::path::Path;

/// What is wrong with the book whose pages, in the order of the summary, are
/// `pages` and whose sources are in `src`.
pub fn check(files: &Files, src: &Path, pages: &[Facts]) -> Vec<Problem> {
    let book = Book { files, src: short(files.root(), src), pages };
    let mut problems = Problems::default();
    text::check(&book, &mut problems);
    links::check(&book, &mut problems);
    figures::described(&book, &mut problems);
    // What the Chinese pages show is what the English ones do.
    if book.words().about.is_some() {
        return problems.0;
    }
    figures::check(&book, &mut problems);
    for section in book.sections() {
        code::check(&book, &section, &mut problems);
        outputs::check(&book, &section, &mut problems);
        exercises::check(&book, &section, &mut problems);
    }
    code::check_examples(&book, &mut problems);
    problems.0
}

/// The book as the rules see it.
struct Book<'a> {
    files: &'a Files,
    /// The folder of the pages, from the root.
    src: String,
    pages: &'a [Facts],
}

/// A chapter with a page of its own name.
struct Section<'a> {
    /// `ch10_3`.
    name: String,
    main: &'a Facts,
    /// The main page and the side pages, in order.
    pages: Vec<&'a Facts>,
}

impl<'a> Book<'a> {
    /// Those of its edition.
    fn words(&self) -> &'static Words {
        words_of(&format!("{}/", self.src))
    }

    /// The page of this path below the folder of pages.
    fn page(&self, path: &str) -> Option<&'a Facts> {
        let file = format!("{}/{path}", self.src);
        self.pages.iter().find(|page| page.file == file)
    }

    /// Whether a file that is no page lies in the folder of pages.
    fn is_beside_pages(&self, file: &str) -> bool {
        file.starts_with(&format!("{}/", self.src)) && self.files.has(file)
    }

    /// In the order of the summary.
    fn sections(&self) -> Vec<Section<'a>> {
        let of = |main: &'a Facts| {
            let name = main.file.strip_prefix(&self.src)?.trim_start_matches('/');
            let name = name.strip_suffix(".md")?;
            let chapter = self.files.root().join("chapters").join(name);
            if name.contains('/') || !chapter.is_dir() {
                return None;
            }
            let side = format!("{}/{name}/", self.src);
            let sides = self.pages.iter().filter(|page| page.file.starts_with(&side));
            let pages = std::iter::once(main).chain(sides).collect();
            Some(Section { name: name.to_string(), main, pages })
        };
        self.pages.iter().filter_map(of).collect()
    }

    /// Where something is shown, on all pages.
    fn shown(&self, wanted: impl Fn(&Taken) -> bool) -> Vec<(&'a str, usize)> {
        shown(self.pages.iter(), wanted)
    }
}

impl<'a> Section<'a> {
    /// Where something is shown, on its pages.
    fn shown(&self, wanted: impl Fn(&Taken) -> bool) -> Vec<(&'a str, usize)> {
        shown(self.pages.iter().copied(), wanted)
    }
}

fn shown<'a>(
    pages: impl Iterator<Item = &'a Facts>,
    wanted: impl Fn(&Taken) -> bool,
) -> Vec<(&'a str, usize)> {
    let mut found = Vec::new();
    for page in pages {
        let all = page.shown.iter().filter(|(_, taken)| wanted(taken));
        found.extend(all.map(|(line, _)| (page.file.as_str(), *line)));
    }
    found
}

/// `book/en/ch10_3.md:12, book/en/ch10_3.md:80`.
fn places(found: &[(&str, usize)]) -> String {
    let each = found.iter().map(|(file, line)| format!("{file}:{line}"));
    each.collect::<Vec<_>>().join(", ")
}

/// What has been found wrong.
#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn add(&mut self, file: &str, line: usize, text: impl AsRef<str>) {
        self.0.push(Problem::new(file, line, text));
    }

    /// What should be somewhere exactly once.
    fn once(
        &mut self,
        (file, line): (&str, usize),
        what: &str,
        found: &[(&str, usize)],
        of: &str,
    ) {
        match found.len() {
            1 => {}
            0 => self.add(file, line, format!("{what} is on no page of {of}")),
            n => {
                let places = places(found);
                self.add(file, line, format!("{what} is shown {n} times: {places}"));
            }
        }
    }
}
