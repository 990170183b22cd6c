//! A file of Rust as the pages show it: its anchors, the lines that say
//! nothing about attention, and the `impl` that a method stands in.

use proc_macro2::Span;
use std::ops::RangeInclusive;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The lines between `// ANCHOR: name` and `// ANCHOR_END: name`, counted
/// from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// Its name, one word.
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
    /// From `impl` to the line with its `{`.
    pub header: RangeInclusive<usize>,
    /// The line of its `}`.
    pub close: usize,
    /// The first lines of what stands in it, documentation included.
    items: Vec<usize>,
}

/// A file of Rust.
pub struct Rust {
    text: String,
    /// Lines of `use`, of `mod name;`, and of the file's own header.
    plumbing: Vec<RangeInclusive<usize>>,
    enclosing: Vec<Enclosing>,
    anchors: Vec<Anchor>,
    /// What is wrong with the anchors, each with its line.
    pub faults: Vec<(usize, String)>,
}

impl Rust {
    /// Reads a file. Rust that cannot be parsed is shown as it is; rustc says
    /// what is wrong with it.
    pub fn new(text: String) -> Self {
        let mut reader = Reader::default();
        if let Ok(file) = syn::parse_file(&text) {
            for attribute in &file.attrs {
                reader.plumbing.push(lines(attribute.span()));
            }
            reader.visit_file(&file);
        }
        let mut faults = Vec::new();
        let anchors = anchors(&text, &mut faults);
        let Reader { plumbing, enclosing } = reader;
        Rust { text, plumbing, enclosing, anchors, faults }
    }

    /// Its lines.
    pub fn lines(&self) -> Vec<&str> {
        self.text.lines().collect()
    }

    /// Its anchors, in order.
    pub fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// The anchor called `name`.
    pub fn anchor(&self, name: &str) -> Option<&Anchor> {
        self.anchors.iter().find(|anchor| anchor.name == name)
    }

    /// Whether the line is plumbing: a `use`, a `mod name;`, a header.
    pub fn is_plumbing(&self, line: usize) -> bool {
        self.plumbing.iter().any(|lines| lines.contains(&line))
    }

    /// The innermost `impl` or `trait` in which an item begins between
    /// `start` and `end`, and which has begun before.
    pub fn around(&self, start: usize, end: usize) -> Option<&Enclosing> {
        self.enclosing.iter().rev().find(|one| {
            *one.header.end() < start
                && start <= one.close
                && one.items.iter().any(|line| (start..=end).contains(line))
        })
    }

    /// The outermost `impl` or `trait` that begins by `end` and is not closed
    /// there.
    pub fn open_after(&self, start: usize, end: usize) -> Option<&Enclosing> {
        self.enclosing
            .iter()
            .find(|one| (start..=end).contains(one.header.start()) && one.close > end)
    }

    /// The lines of plumbing that are in no anchor: a listing of the file
    /// begins with them, hidden.
    pub fn preamble(&self) -> Vec<usize> {
        let lines = 1..=self.text.lines().count();
        lines
            .filter(|&line| self.is_plumbing(line) && !self.is_anchored(line))
            .collect()
    }

    fn is_anchored(&self, line: usize) -> bool {
        self.anchors.iter().any(|a| (a.start..=a.end).contains(&line))
    }

    /// The lines that are in no anchor and should be in one. The frame of an
    /// `impl` is shown with its methods, plumbing with the first listing;
    /// blank lines do not count.
    pub fn loose_lines(&self) -> Vec<usize> {
        let frame = |line: usize| {
            self.enclosing.iter().any(|one| {
                let inside = *one.header.end() + 1..one.close;
                (one.header.contains(&line) || one.close == line)
                    && self.anchors.iter().any(|a| inside.contains(&a.start))
            })
        };
        let lines = self.text.lines().enumerate();
        let lines = lines.filter(|(_, text)| !text.trim().is_empty());
        let lines = lines.map(|(at, _)| at + 1);
        let told = |line| self.is_anchored(line) || self.is_plumbing(line);
        lines.filter(|&line| !told(line) && !frame(line)).collect()
    }
}

/// The name after `key` in a line that is a comment of its own.
fn mark<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    Some(line.trim().strip_prefix("//")?.trim_start().strip_prefix(key)?.trim())
}

/// Whether a line is the mark of an anchor.
pub fn is_mark(line: &str) -> bool {
    mark(line, "ANCHOR:").is_some() || mark(line, "ANCHOR_END:").is_some()
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.chars().all(plain)
}

fn anchors(text: &str, faults: &mut Vec<(usize, String)>) -> Vec<Anchor> {
    let mut found: Vec<Anchor> = Vec::new();
    let mut open: Option<(String, usize)> = None;
    for (at, line) in text.lines().enumerate() {
        let line_number = at + 1;
        if let Some(name) = mark(line, "ANCHOR:") {
            if !is_name(name) {
                let text = format!("\"{name}\" is no name for an anchor");
                faults.push((line_number, text));
            } else if let Some((other, _)) = &open {
                let text = format!("anchor {name} begins inside of {other}");
                faults.push((line_number, text));
            } else {
                if found.iter().any(|anchor| anchor.name == name) {
                    let text = format!("a second anchor is called {name}");
                    faults.push((line_number, text));
                }
                open = Some((name.to_string(), line_number));
            }
        } else if let Some(name) = mark(line, "ANCHOR_END:") {
            match open.take() {
                Some((of, start)) if of == name => {
                    found.push(Anchor { name: of, start, end: line_number });
                }
                Some((of, start)) => {
                    let text = format!("anchor {name} ends where {of} is open");
                    faults.push((line_number, text));
                    open = Some((of, start));
                }
                None => {
                    let text = format!("anchor {name} ends here and is not open");
                    faults.push((line_number, text));
                }
            }
        }
    }
    if let Some((name, line)) = open {
        faults.push((line, format!("anchor {name} is not closed")));
    }
    found
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

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
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
