//! `{{#name argument}}`: a page's requests to the book builder.
//!
//! In a block of code; several of the first two, each on its line. Paths are
//! below `chapters/`:
//!
//! | directive | block | becomes |
//! |---|---|---|
//! | `{{#listing ch10_7/src/encoder.rs:block}}` | `rust` | an anchor, or without `:block` the whole file; `use` and `mod` lines and the file's header are hidden, and those in no anchor stand before the first listing of the file on a page; a method is shown in its `impl`, dimmed |
//! | `{{#hidden ch10_7/src/encoder.rs:new}}` | `rust` | the same, all of it hidden until the reader asks for it |
//! | `{{#output ch10_3 Masked softmax}}` | `text` | that part of `chapters/ch10_3/output.txt` |
//! | `{{#output ch10_7/reversal Encoder alone}}` | `text` | of `chapters/ch10_7/output/reversal.txt`; without a heading all of it |
//! | `{{#error ch10_7 01-name}}` | `text` | the error of `compile_fail/01-name.rs` |
//! | `{{#error ch10_7 01-name short}}` | `text` | the same, all after the place hidden until the reader asks for it |
//! | `{{#difference ch10_7 01-name}}` | `diff` | the line that is wrong, and the right one |
//! | `{{#include ../../path}}` | any | a file as it is, by its path from the page; `:6:11` after it are its lines |
//!
//! `{{#program ch10_7}}`, alone in a paragraph, is every file of a chapter's
//! demo, each under its name. `{{#live ch10_3 scores}}`, alone in a paragraph
//! after a figure, is the figure `scores` of `book/theme/live/ch10_3.js`.
//! `{{#question ch10_3 01-name}}`, alone in a paragraph, makes a question of what
//! follows it, `question.rs` says how.

/// One directive in a page.
#[derive(Clone, Copy)]
pub struct Directive<'a> {
    /// The offset of its beginning in the page.
    pub start: usize,
    /// The offset of its end.
    pub end: usize,
    /// The name: `listing`, `output`, …
    pub name: &'a str,
    /// The argument, trimmed.
    pub argument: &'a str,
}

/// Returns all directives of a page, in order. One that is not closed extends to the
/// end of its line and has no name.
pub fn directives(page: &str) -> Vec<Directive<'_>> {
    let mut found = Vec::new();
    for (start, _) in page.match_indices("{{#") {
        let line = page[start..].lines().next().unwrap_or_default();
        let inner = line.split_once("}}").map(|(inner, _)| &inner[3..]);
        let end = start + inner.map_or(line.len(), |inner| inner.len() + 5);
        let inner = inner.unwrap_or_default();
        let (name, argument) = inner.split_once(' ').unwrap_or((inner, ""));
        found.push(Directive { start, end, name, argument: argument.trim() });
    }
    found
}
