//! The facts about a page that the rules of the book check.

use crate::listing::Source;

/// The facts about a page, each with its line.
#[derive(Default)]
pub struct Facts {
    /// The path of the page from the root of the repository.
    pub file: String,
    /// The parts of files that the page shows, images included.
    pub shown: Vec<(usize, Source)>,
    /// The numbers of its figures, in order: `10.3.1`.
    pub figures: Vec<(usize, String)>,
    /// The ids that a link may lead to.
    pub ids: Vec<(usize, String)>,
    /// The targets of links.
    pub links: Vec<(usize, String)>,
    /// The length of the page.
    pub size: Size,
}

/// The length of a page.
#[derive(Clone, Copy, Default)]
pub struct Size {
    /// Words of running text, tables included; in Chinese, characters.
    pub words: usize,
    /// Visible lines of Rust.
    pub code: usize,
}
