//! What the rules of the book need to know of one page.

use crate::listing::{Recorded, Source};

/// A page as it was found while it was woven.
#[derive(Default)]
pub struct Facts {
    /// From the root of the repository.
    pub file: String,
    /// Headings in order.
    pub headings: Vec<Heading>,
    /// What the page takes from files, each with its line.
    pub shown: Vec<(usize, Taken)>,
    /// Numbered figures in order.
    pub figures: Vec<Figure>,
    /// The files of all images, numbered or not.
    pub images: Vec<String>,
    /// What a link may lead to, each with its line.
    pub ids: Vec<(usize, String)>,
    /// Targets of links, each with its line.
    pub links: Vec<(usize, String)>,
    /// How long the page is.
    pub size: Size,
}

/// A heading.
pub struct Heading {
    /// Its line.
    pub line: usize,
    /// 1 for the title.
    pub level: usize,
    /// Its words.
    pub text: String,
    /// Its `{#id}`.
    pub id: Option<String>,
}

/// A figure.
pub struct Figure {
    /// The line of the image.
    pub line: usize,
    /// `10.3.1`.
    pub number: String,
    /// What it shows, in words.
    pub alt: String,
}

/// What a page takes from a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Taken {
    /// `{{#listing}}`.
    Listing(Source),
    /// `{{#hidden}}`.
    Hidden(Source),
    /// `{{#include}}`.
    Include(Source),
    /// `{{#output}}`.
    Output(Recorded),
    /// `{{#error}}`: the `.rs` that does not compile.
    Error(String),
    /// `{{#difference}}`: the `.rs` that does not compile.
    Difference(String),
    /// `{{#program}}`: the chapter.
    Program(String),
}

/// How long a page is.
#[derive(Clone, Copy, Default)]
pub struct Size {
    /// Words of running text, tables included.
    pub words: usize,
    /// Lines of Rust that are shown without asking.
    pub code: usize,
    /// Those of them that come from a section's library.
    pub mechanism: usize,
}
