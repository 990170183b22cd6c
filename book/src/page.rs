//! What the book adds to Markdown, page by page: file names above listings,
//! recorded output, formulas, figures. Everything that is wrong with them is
//! found here, where file and line are known.

use crate::listing::{Directive, Listing, directives, output};
use crate::problem::{Problem, line_at, normal, short};
use crate::{figure, maths};
use mdbook_markdown::pulldown_cmark::{
    CodeBlockKind, Event, Options, Parser, Tag, TagEnd,
};
use std::ops::Range;
use std::path::{Path, PathBuf};

type Events<'a> = [(Event<'a>, Range<usize>)];

/// Turns the Markdown of the file at `path` into Markdown that stock mdBook
/// understands, and says what is wrong with it.
pub fn weave(root: &Path, path: &Path, text: &str) -> (String, Vec<Problem>) {
    let mut page = Page {
        root,
        folder: path.parent().unwrap_or(root).to_path_buf(),
        file: short(root, path),
        text,
        directives: directives(text),
        in_code: false,
        in_head: false,
        edits: Vec::new(),
        problems: Vec::new(),
    };
    let events: Vec<_> = Parser::new_ext(text, markdown()).into_offset_iter().collect();
    page.check_directives();
    for at in 0..events.len() {
        page.event(&events, at);
    }
    page.check_outputs();
    page.problems.sort();
    (page.edited(), page.problems)
}

/// The Markdown that mdBook reads, and formulas.
fn markdown() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_GFM
        | Options::ENABLE_MATH
}

/// One page on its way to mdBook.
struct Page<'a> {
    root: &'a Path,
    folder: PathBuf,
    file: String,
    text: &'a str,
    directives: Vec<Directive<'a>>,
    in_code: bool,
    in_head: bool,
    edits: Vec<(Range<usize>, String)>,
    problems: Vec<Problem>,
}

impl<'a> Page<'a> {
    fn problem(&mut self, at: usize, text: impl AsRef<str>) {
        let line = line_at(self.text, at);
        self.problems.push(Problem::new(&self.file, line, text));
    }

    /// Replaces what is wrong, so that it is reported only once.
    fn blank(&mut self, range: Range<usize>, text: impl AsRef<str>) {
        self.problem(range.start, text);
        self.edits.push((range, "(missing)".to_string()));
    }

    /// The page with all edits made.
    fn edited(&mut self) -> String {
        self.edits.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::with_capacity(2 * self.text.len());
        let mut from = 0;
        for (range, with) in &self.edits {
            // An edit inside another one has nothing left to change.
            if range.start >= from {
                out.push_str(&self.text[from..range.start]);
                out.push_str(with);
                from = range.end;
            }
        }
        out + &self.text[from..]
    }

    /// What a line inside the same list item or quotation begins with.
    fn indent(&self, at: usize) -> String {
        let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let keep = |c| if matches!(c, '>' | '\t') { c } else { ' ' };
        self.text[start..at].chars().map(keep).collect()
    }

    fn event(&mut self, events: &Events<'a>, at: usize) {
        let (event, range) = &events[at];
        match event {
            Event::InlineMath(latex) => self.formula(latex, range, None),
            Event::DisplayMath(latex) => {
                let alone = alone(events, at, at);
                self.formula(latex, range, Some(alone));
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                self.in_code = true;
                if matches!(kind, CodeBlockKind::Fenced(_)) {
                    self.fence(events, at);
                }
            }
            Event::End(TagEnd::CodeBlock) => self.in_code = false,
            Event::Start(Tag::TableHead) => self.in_head = true,
            Event::End(TagEnd::TableHead) => self.in_head = false,
            Event::Start(Tag::TableCell) if self.in_head => {
                self.head(events, at);
            }
            Event::Text(_) if !self.in_code => self.dollars(range),
            Event::Start(Tag::Image { dest_url, .. }) => {
                self.image(events, at, dest_url);
            }
            _ => {}
        }
    }

    /// A formula; `display` says of one in `$$` whether it stands alone.
    fn formula(&mut self, latex: &str, range: &Range<usize>, display: Option<bool>) {
        let (html, dollars) = match display {
            None => (maths::inline(latex, false), 1),
            Some(false) => (maths::inline(latex, true), 2),
            Some(true) => (maths::block(latex), 2),
        };
        let with = html.unwrap_or_else(|bad| {
            let at = range.start + dollars + bad.at;
            self.problem(at, format!("bad formula: {}", bad.text));
            "(missing)".to_string()
        });
        self.edits.push((range.clone(), with));
    }

    /// A cell in the head of a table: a formula alone is not read out.
    fn head(&mut self, events: &Events<'a>, at: usize) {
        let cell = &events[at..closing(events, at, TagEnd::TableCell)];
        let word = |e: &Event| matches!(e, Event::Text(_) | Event::Code(_));
        if !cell.iter().any(|(event, _)| word(event)) {
            let text = "the head of a column has no words to read out";
            self.problem(events[at].1.start, text);
        }
    }

    /// A formula that is not closed is text to Markdown; so is one with a
    /// line that begins like a list or underlines a heading.
    fn dollars(&mut self, range: &Range<usize>) {
        let text = self.text;
        for (at, _) in text[range.clone()].match_indices('$') {
            let at = range.start + at;
            if !text[..at].ends_with('\\') {
                let text = "this $ makes no formula: no line of one begins \
                            with -, + or =; the sign itself is \\$";
                return self.problem(at, text);
            }
        }
    }

    /// Directives that may stand anywhere.
    fn check_directives(&mut self) {
        for i in 0..self.directives.len() {
            let Directive { start, end, name, argument } = self.directives[i];
            let result = match name {
                "include" | "rustdoc_include" => {
                    Listing::open(self.root, &self.folder, argument).map(drop)
                }
                "output" | "title" => Ok(()),
                "" => Err("{{# is not closed by }} on its line".to_string()),
                name => Err(format!("unknown {{{{#{name}}}}}")),
            };
            if let Err(text) = result {
                self.blank(start..end, text);
            }
        }
    }

    /// `{{#output …}}` outside of a code block has not been replaced.
    fn check_outputs(&mut self) {
        for i in 0..self.directives.len() {
            let Directive { start, end, name, .. } = self.directives[i];
            let seen = self.edits.iter().any(|(edit, _)| edit.start == start);
            if name == "output" && !seen {
                let text = "{{#output}} must be alone in a code block";
                self.blank(start..end, text);
            }
        }
    }

    /// A code block. If it holds exactly one directive, its source is named
    /// above it.
    fn fence(&mut self, events: &Events<'a>, at: usize) {
        let range = &events[at].1;
        let body = text_of(events, at, TagEnd::CodeBlock);
        let body = body.trim();
        if body.is_empty() {
            return self.problem(range.start, "empty code block");
        }
        let one = self
            .directives
            .iter()
            .find(|d| range.contains(&d.start) && &self.text[d.start..d.end] == body);
        let Some(&Directive { start, end, name, argument }) = one else {
            return;
        };
        let found = match name {
            "output" => output(self.root, argument),
            "include" => self.listing(argument, range.start),
            _ => return,
        };
        match found {
            Ok((label, body)) => {
                let indent = self.indent(range.start);
                let gap = format!("\n{}\n{indent}", indent.trim_end());
                let label = format!("<p class=\"file\">{label}</p>{gap}");
                self.edits.push((range.start..range.start, label));
                let indent = format!("\n{}", self.indent(start));
                self.edits.push((start..end, body.replace('\n', &indent)));
            }
            // What cannot be included has been reported.
            Err(_) if name == "include" => {}
            Err(text) => self.blank(start..end, text),
        }
    }

    /// The label and the text of an included listing; the include itself
    /// is left to mdBook, except in lists and quotations: it does not indent.
    fn listing(&self, argument: &str, at: usize) -> Result<(String, String), String> {
        let listing = Listing::open(self.root, &self.folder, argument)?;
        if !self.indent(at).is_empty() {
            return Ok((listing.label(), listing.body()?));
        }
        // The label names the command: the line with it is not shown twice.
        let rest = if listing.command().is_some() { ":2:" } else { "" };
        let include = format!("{{{{#include {argument}{rest}}}}}");
        Ok((listing.label(), include))
    }

    fn image(&mut self, events: &Events<'a>, at: usize, dest: &str) {
        let range = events[at].1.clone();
        let alt = text_of(events, at, TagEnd::Image);
        if alt.trim().is_empty() {
            self.blank(range.clone(), format!("{dest} has no alt text"));
        }
        if dest.contains("://") {
            return; // found in the pages
        }
        let path = normal(&self.folder.join(dest));
        if !path.is_file() {
            self.blank(range, format!("there is no image {dest}"));
        } else if dest.ends_with(".svg") && !alt.trim().is_empty() {
            self.figure(events, at, &path, alt.trim());
        }
    }

    fn figure(&mut self, events: &Events<'a>, at: usize, path: &Path, alt: &str) {
        let image = events[at].1.clone();
        let file = short(self.root, path);
        let last = closing(events, at, TagEnd::Image);
        if !alone(events, at, last) {
            let text = format!("{file} must be alone in its paragraph");
            return self.blank(image, text);
        }
        let caption = match events.get(last + 2) {
            Some((Event::Start(Tag::Paragraph), range)) => range.clone(),
            _ => 0..0,
        };
        let words = self.text[caption.clone()].trim_end();
        let Some(number) = figure::number(words) else {
            let text = "has no caption \"Figure 10.1.1: …\" under it";
            return self.blank(image, format!("{file} {text}"));
        };
        let end = caption.start + words.len();
        match figure::open(path, number, alt) {
            Ok(html) => {
                self.edits.push((image, html));
                self.edits.push((end..end, figure::CLOSE.to_string()));
            }
            Err(error) => {
                self.blank(image, format!("cannot show {file}: {error}"));
            }
        }
    }
}

/// Whether the events from `first` to `last` are all of a paragraph.
fn alone(events: &Events, first: usize, last: usize) -> bool {
    let before = first.checked_sub(1).and_then(|at| events.get(at));
    let after = events.get(last + 1);
    matches!(before, Some((Event::Start(Tag::Paragraph), _)))
        && matches!(after, Some((Event::End(TagEnd::Paragraph), _)))
}

/// Where the element that begins at `at` ends. Elements of its kind do not
/// stand in one another.
fn closing(events: &Events, at: usize, end: TagEnd) -> usize {
    let is_end = |event: &Event| *event == Event::End(end);
    let rest = events[at..].iter().position(|(event, _)| is_end(event));
    at + rest.unwrap_or(0)
}

/// The text of the element that begins at `at`.
fn text_of(events: &Events, at: usize, end: TagEnd) -> String {
    let mut out = String::new();
    for (event, _) in &events[at..closing(events, at, end)] {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(text),
            Event::InlineMath(text) => out.push_str(text),
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            _ => {}
        }
    }
    out
}
