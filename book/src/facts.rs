//! What the rules of the book need to know of one page.

use crate::listing::Source;

/// A page as it was found while it was woven. Each thing has its line.
#[derive(Default)]
pub struct Facts {
    /// From the root of the repository.
    pub file: String,
    /// What the page takes from files, images included.
    pub shown: Vec<(usize, Source)>,
    /// The numbers of its figures in order: `10.3.1`.
    pub figures: Vec<(usize, String)>,
    /// What a link may lead to.
    pub ids: Vec<(usize, String)>,
    /// Targets of links.
    pub links: Vec<(usize, String)>,
    /// How long the page is.
    pub size: Size,
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
