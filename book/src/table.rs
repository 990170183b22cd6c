//! How long each page is, as a table: a page is read to the end if it can be.

use crate::epub::{items, links};
use crate::facts::Size;
use crate::listing::Files;
use crate::page::weave;
use crate::problem::{normal, short};
use crate::words::CHINESE;
use mdbook_driver::config::Config;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A table of all pages of the book at `root`: words, lines of code that are
/// shown, and the share of them that is mechanism. What exceeds a goal is marked.
/// Last come the words of the Chinese page, in which a character counts as one.
///
/// # Errors
/// `book.toml` or the summary cannot be read.
pub fn table(root: &Path) -> anyhow::Result<String> {
    let root = normal(root);
    let config: Config = fs::read_to_string(root.join("book.toml"))?.parse()?;
    let src = root.join(&config.book.src);
    let files = Files::new(&root);
    let mut out = format!("{:<34} {:>7} {:>6} {:>6}", "page", "words", "code", "mech.");
    let chinese = src.with_file_name(CHINESE.source);
    let of_page = |path: &Path| {
        let file = short(&root, path);
        Some(weave(&files, &file, &files.text(&file).ok()?).facts.size)
    };
    out += if chinese.is_dir() { "  Chinese\n" } else { "\n" };
    let mut total = Size::default();
    let mut all = None;
    for path in links(&items(&src)?).iter().filter_map(|link| link.location.as_ref()) {
        let Some(size) = of_page(&src.join(path)) else { continue };
        let other = of_page(&chinese.join(path)).map(|size| size.words);
        row(&mut out, &short(&root, path), &size, other);
        all = all.max(other.map(|other| all.unwrap_or(0) + other));
        total.words += size.words;
        total.code += size.code;
        total.mechanism += size.mechanism;
    }
    row(&mut out, "all", &total, all);
    Ok(out + "* exceeds a goal")
}

/// The most words and lines of code, and the least share of mechanism in per cent,
/// that sections and their side pages should have: goals, not rules.
fn goals(name: &str) -> (usize, usize, usize) {
    let is_section = |name: &str| name.starts_with("ch10_") || name == "seq2seq";
    match name.split_once('/') {
        None if name == "ch10_7.md" => (5_000, 450, 60),
        None if is_section(name.trim_end_matches(".md")) => (4_000, 300, 60),
        Some((section, _)) if is_section(section) => (2_000, usize::MAX, 0),
        _ => (usize::MAX, usize::MAX, 0),
    }
}

fn row(out: &mut String, name: &str, size: &Size, chinese: Option<usize>) {
    let (words, code, least) = goals(name);
    let share = 100 * size.mechanism / size.code.max(1);
    let over = |is_over: bool| if is_over { "*" } else { " " };
    let chinese = chinese.map_or(String::new(), |words| format!("{words:>8}"));
    let line = format!(
        "{name:<34} {:>6}{} {:>5}{} {share:>3} %{}{chinese}",
        size.words,
        over(size.words > words),
        size.code,
        over(size.code > code),
        over(size.code > 0 && share < least),
    );
    let _ = writeln!(out, "{}", line.trim_end());
}
