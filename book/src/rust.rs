//! A file of Rust as the pages show it: its anchors, its plumbing, and the `impl`
//! around each method.

use proc_macro2::Span;
use std::ops::RangeInclusive;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The lines between `// ANCHOR: name` and `// ANCHOR_END: name`, counted
/// from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// The name.
    pub name: String,
    /// The line of the mark that opens it.
    pub start: usize,
    /// The line of the mark that closes it.
    pub end: usize,
}

/// An `impl` or a `trait`, whose methods may be shown one by one. Lines are
/// counted from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Enclosing {
    /// The lines from `impl` to the one with its `{`.
    pub header: RangeInclusive<usize>,
    /// The line of its `}`.
    pub close: usize,
    /// The first lines of the items in it, documentation included.
    items: Vec<usize>,
}

/// A file of Rust.
pub struct Rust {
    /// The lines.
    pub lines: Vec<String>,
    /// The anchors, in order.
    pub anchors: Vec<Anchor>,
    /// The faults of the anchors, each with its line.
    pub faults: Vec<(usize, String)>,
    /// The lines of plumbing: `use`, `mod name;`, and the file's header.
    plumbing: Vec<RangeInclusive<usize>>,
    enclosing: Vec<Enclosing>,
}

impl Rust {
    /// Parses a file. Rust that cannot be parsed is shown unchanged: rustc reports what
    /// is wrong with it.
    pub fn new(text: &str) -> Self {
        let mut reader = Reader::default();
        if let Ok(file) = syn::parse_file(text) {
            for attribute in &file.attrs {
                reader.plumbing.push(lines(attribute.span()));
            }
            reader.visit_file(&file);
        }
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let (anchors, faults) = anchors(&lines);
        let Reader { plumbing, enclosing } = reader;
        Rust { lines, anchors, faults, plumbing, enclosing }
    }

    /// Returns `true` if the line is plumbing.
    pub fn is_plumbing(&self, line: usize) -> bool {
        self.plumbing.iter().any(|lines| lines.contains(&line))
    }

    /// Returns the innermost `impl` or `trait` that begins before `start` and has an
    /// item that begins between `start` and `end`.
    pub fn around(&self, start: usize, end: usize) -> Option<&Enclosing> {
        self.enclosing.iter().rev().find(|one| {
            *one.header.end() < start
                && start <= one.close
                && one.items.iter().any(|line| (start..=end).contains(line))
        })
    }

    /// Returns the outermost `impl` or `trait` that begins by `end` and is not closed
    /// there.
    pub fn open_after(&self, start: usize, end: usize) -> Option<&Enclosing> {
        self.enclosing
            .iter()
            .find(|one| (start..=end).contains(one.header.start()) && one.close > end)
    }

    /// Returns the lines of plumbing that are in no anchor. A listing of the file
    /// begins with them, hidden.
    pub fn preamble(&self) -> Vec<usize> {
        (1..=self.lines.len())
            .filter(|&line| self.is_plumbing(line) && !self.is_anchored(line))
            .collect()
    }

    fn is_anchored(&self, line: usize) -> bool {
        self.anchors.iter().any(|a| (a.start..=a.end).contains(&line))
    }

    /// Returns the first line that should be in an anchor and is in none. The frame of
    /// an `impl` is shown with its methods, plumbing with the first listing; blank
    /// lines do not count.
    pub fn loose_line(&self) -> Option<usize> {
        let frame = |line: usize| {
            self.enclosing.iter().any(|one| {
                let inside = *one.header.end() + 1..one.close;
                (one.header.contains(&line) || one.close == line)
                    && self.anchors.iter().any(|a| inside.contains(&a.start))
            })
        };
        let blank = |line: usize| self.lines[line - 1].trim().is_empty();
        let told = |line| self.is_anchored(line) || self.is_plumbing(line);
        (1..=self.lines.len()).find(|&line| !blank(line) && !told(line) && !frame(line))
    }
}

/// Returns the name after `key` in a line that is only a comment.
fn mark<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    Some(line.trim().strip_prefix("//")?.trim_start().strip_prefix(key)?.trim())
}

/// Returns `true` if a line is the mark of an anchor.
pub fn is_mark(line: &str) -> bool {
    mark(line, "ANCHOR:").is_some() || mark(line, "ANCHOR_END:").is_some()
}

/// Finds the anchors, and what is wrong with them.
fn anchors(lines: &[String]) -> (Vec<Anchor>, Vec<(usize, String)>) {
    let (mut found, mut faults): (Vec<Anchor>, Vec<_>) = (Vec::new(), Vec::new());
    let mut open: Option<Anchor> = None;
    for (at, line) in lines.iter().enumerate() {
        let at = at + 1;
        if let Some(name) = mark(line, "ANCHOR:") {
            if found.iter().any(|anchor| anchor.name == name) {
                faults.push((at, format!("a second anchor is called {name}")));
            }
            let next = Anchor { name: name.to_string(), start: at, end: at };
            if let Some(Anchor { name, start, .. }) = open.replace(next) {
                faults.push((start, format!("anchor {name} is not closed")));
            }
        } else if let Some(name) = mark(line, "ANCHOR_END:") {
            match open.take_if(|anchor| anchor.name == name) {
                Some(anchor) => found.push(Anchor { end: at, ..anchor }),
                None => {
                    let text = format!("anchor {name} ends here and is not open");
                    faults.push((at, text));
                }
            }
        }
    }
    if let Some(Anchor { name, start, .. }) = open {
        faults.push((start, format!("anchor {name} is not closed")));
    }
    (found, faults)
}

fn lines(span: Span) -> RangeInclusive<usize> {
    span.start().line..=span.end().line
}

#[derive(Default)]
struct Reader {
    plumbing: Vec<RangeInclusive<usize>>,
    enclosing: Vec<Enclosing>,
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.plumbing.push(lines(item.span()));
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        match item.content {
            None => self.plumbing.push(lines(item.span())),
            Some(_) => visit::visit_item_mod(self, item),
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let first = item.impl_token.span;
        let items = item.items.iter().map(|item| item.span().start().line);
        self.enclosing.push(Enclosing {
            header: first.start().line..=item.brace_token.span.open().end().line,
            close: item.brace_token.span.close().end().line,
            items: items.collect(),
        });
        visit::visit_item_impl(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let first = match &item.vis {
            syn::Visibility::Inherited => item.trait_token.span,
            visible => visible.span(),
        };
        let items = item.items.iter().map(|item| item.span().start().line);
        self.enclosing.push(Enclosing {
            header: first.start().line..=item.brace_token.span.open().end().line,
            close: item.brace_token.span.close().end().line,
            items: items.collect(),
        });
        visit::visit_item_trait(self, item);
    }
}
