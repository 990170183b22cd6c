//! The preprocessor `attention`, in the process of our own `book` or as a command of
//! stock mdBook.

use crate::listing::Files;
use crate::page::weave;
use crate::problem::{Problem, normal, short};
use crate::rules;
use crate::terminal::warn;
use anyhow::{Context, Result, bail};
use mdbook_preprocessor::book::{Book, BookItem};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext, parse_input};
use std::cell::RefCell;
use std::io::{Read, Write};
use std::rc::Rc;

/// The preprocessor of the book's additions to Markdown. Problems are collected, not
/// returned, so that all of them can be reported.
#[derive(Default)]
pub struct Attention {
    /// The problems of the pages so far.
    pub problems: Rc<RefCell<Vec<Problem>>>,
}

impl Preprocessor for Attention {
    fn name(&self) -> &str {
        "attention"
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let root = std::path::absolute(&context.root)?;
        let root = normal(&root);
        let src = root.join(&context.config.book.src);
        let files = Files::new(&root);
        let mut pages = Vec::new();
        book.for_each_mut(|item| {
            let BookItem::Chapter(chapter) = item else { return };
            let Some(path) = &chapter.source_path else { return };
            let file = short(&root, &src.join(path));
            let woven = weave(&files, &file, &chapter.content);
            chapter.content = woven.text;
            self.problems.borrow_mut().extend(woven.problems);
            pages.push(woven.facts);
        });
        // mdBook takes it as it is, from the folder.
        let missing = short(&root, &src.join("404.md"));
        if let Ok(text) = files.text(&missing) {
            pages.push(weave(&files, &missing, &text).facts);
        }
        self.problems.borrow_mut().extend(rules::check(&files, &src, &pages));
        Ok(book)
    }
}

/// Runs as a command of stock mdBook: reads a book from `input`, writes it to `output`,
/// as JSON.
///
/// # Errors
/// If the input is no book, or something is wrong with a page.
pub fn preprocess(input: impl Read, output: impl Write) -> Result<()> {
    let (context, book) = parse_input(input)
        .context("preprocess reads a book from mdBook; run mdbook build")?;
    let attention = Attention::default();
    let book = attention.run(&context, book)?;
    let problems = attention.problems.borrow();
    problems.iter().for_each(warn);
    if !problems.is_empty() {
        bail!("{} problems in the pages", problems.len());
    }
    serde_json::to_writer(output, &book)?;
    Ok(())
}
