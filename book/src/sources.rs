//! Which line of which Markdown file a fault in a built page comes from.

use crate::listing::Files;
use crate::problem::{Problem, line_at, short};
use mdbook_summary::{Link, Summary, SummaryItem};
use std::fs;
use std::path::Path;

struct Source {
    /// The page from the folder of built pages: `solutions/ch10_1.html`.
    html: String,
    /// From the folder of sources: `solutions/ch10_1.md`.
    path: String,
    /// From the root of the repository.
    file: String,
    text: String,
}

/// The Markdown of all pages, in the order of the book.
pub struct Sources(Vec<Source>);

impl Sources {
    /// Reads all pages of the summary.
    pub fn new(root: &Path, src: &Path, summary: &Summary) -> Self {
        let mut links = Vec::new();
        let parts = [
            &summary.prefix_chapters,
            &summary.numbered_chapters,
            &summary.suffix_chapters,
        ];
        for part in parts {
            gather(part, &mut links);
        }
        let read = |path: &Path| Source {
            html: short(root, &path.with_extension("html")),
            path: short(root, path),
            file: short(root, &src.join(path)),
            text: fs::read_to_string(src.join(path)).unwrap_or_default(),
        };
        let mut pages: Vec<Source> = links
            .iter()
            .filter_map(|link| link.location.as_deref())
            .map(read)
            .collect();
        // The first page is the front page too, unless one is called that.
        if let Some(first) = pages.first()
            && !pages.iter().any(|page| page.html == "index.html")
        {
            let html = "index.html".to_string();
            let (path, file) = (first.path.clone(), first.file.clone());
            let text = first.text.clone();
            pages.push(Source { html, path, file, text });
        }
        Sources(pages)
    }

    /// A problem of the built page `html`, at the first line of its source
    /// that has one of the `clues`, earlier clues being better.
    pub fn problem(&self, html: &str, clues: &[&str], text: &str) -> Problem {
        match self.0.iter().find(|page| page.html == html) {
            Some(page) => page.problem(clues, text),
            None => Problem::new(html, 0, text),
        }
    }

    /// A message of mdBook: it may name a page, and what is wrong there.
    pub fn blame(&self, message: &str) -> Problem {
        let text = format!("mdBook: {message}");
        let named = |page: &&Source| message.contains(&page.path);
        match self.0.iter().find(named) {
            Some(page) => {
                let clues: Vec<&str> = message
                    .split('`')
                    .skip(1)
                    .step_by(2)
                    .filter(|&clue| clue != page.path)
                    .flat_map(|clue| [clue, clue.trim_end_matches('>')])
                    .collect();
                page.problem(&clues, &text)
            }
            None => Problem::new("book.toml", 0, text),
        }
    }
}

/// The pages in `src` that cannot be read: links that lead out of the repository,
/// what is no file, and what is not UTF-8, with the line where that shows.
pub fn unreadable(root: &Path, src: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    let files = Files::new(root);
    for file in files.under(&short(root, src), ".md") {
        let path = root.join(&file);
        if let Err(text) = files.inside(&path) {
            problems.push(Problem::new(&file, 0, text));
            continue;
        }
        // Whoever opens a pipe waits.
        if !path.is_file() {
            problems.push(Problem::new(&file, 0, "this is no file that can be read"));
            continue;
        }
        let Ok(bytes) = fs::read(path) else { continue };
        if let Err(error) = std::str::from_utf8(&bytes) {
            let before = &bytes[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            problems.push(Problem::new(&file, line, "this is not UTF-8"));
        }
    }
    problems
}

impl Source {
    fn problem(&self, clues: &[&str], text: &str) -> Problem {
        let clues = clues.iter().filter(|clue| !clue.is_empty());
        let at = clues.filter_map(|clue| self.text.find(clue)).next();
        let line = at.map_or(0, |at| line_at(&self.text, at));
        Problem::new(&self.file, line, text)
    }
}

fn gather<'a>(items: &'a [SummaryItem], links: &mut Vec<&'a Link>) {
    for item in items {
        if let SummaryItem::Link(link) = item {
            links.push(link);
            gather(&link.nested_items, links);
        }
    }
}
