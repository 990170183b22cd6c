//! How long each page is, as a table: a page is read to the end if it can be.

use crate::facts::Size;
use crate::listing::Files;
use crate::page::weave;
use crate::problem::{normal, short};
use crate::weight::weights;
use mdbook_driver::config::Config;
use mdbook_summary::{Link, Summary, SummaryItem, parse_summary};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// What a page should not exceed: goals, not rules.
struct Goals {
    words: usize,
    code: usize,
    /// In per cent.
    mechanism: usize,
}

/// A table of all pages of the book at `root`: words, lines of code that are
/// shown, the share of them that is mechanism, screens, and the weight of those
/// that have been built. What exceeds a goal is marked.
///
/// # Errors
/// `book.toml` or the summary cannot be read.
pub fn table(root: &Path) -> anyhow::Result<String> {
    let root = normal(root);
    let config: Config = fs::read_to_string(root.join("book.toml"))?.parse()?;
    let src = root.join(&config.book.src);
    let summary = parse_summary(&fs::read_to_string(src.join("SUMMARY.md"))?)?;
    let files = Files::new(&root);
    let weights = weights(&root.join(&config.build.build_dir));
    let mut out = format!(
        "{:<34} {:>7} {:>6} {:>6} {:>8} {:>6}\n",
        "page", "words", "code", "mech.", "screens", "kB"
    );
    let mut total = Size::default();
    for link in links(&summary) {
        let Some(path) = &link.location else { continue };
        let file = src.join(path);
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let size = weave(&files, &file, &text).facts.size;
        let name = short(&root, path);
        let html = name.replace(".md", ".html");
        let bytes = weights.iter().find(|(page, _)| *page == html);
        row(&mut out, &name, &size, bytes.map(|(_, bytes)| bytes / 1000));
        total.words += size.words;
        total.code += size.code;
        total.mechanism += size.mechanism;
    }
    row(&mut out, "all", &total, None);
    out.push_str(
        "screens: of 1280 x 800, estimated from words, lines and figures; \
         * exceeds a goal",
    );
    Ok(out)
}

fn links(summary: &Summary) -> Vec<&Link> {
    fn gather<'a>(items: &'a [SummaryItem], links: &mut Vec<&'a Link>) {
        for item in items {
            if let SummaryItem::Link(link) = item {
                links.push(link);
                gather(&link.nested_items, links);
            }
        }
    }
    let mut all = Vec::new();
    gather(&summary.prefix_chapters, &mut all);
    gather(&summary.numbered_chapters, &mut all);
    gather(&summary.suffix_chapters, &mut all);
    all
}

/// Only sections and their side pages have goals.
fn goals(name: &str) -> Option<Goals> {
    let (folder, _) = name.split_once('/').unwrap_or((name, ""));
    let is_section = |name: &str| name.starts_with("ch10_") || name == "seq2seq";
    match folder {
        "ch10_7.md" => Some(Goals { words: 5_000, code: 450, mechanism: 60 }),
        main if main.ends_with(".md") && is_section(main.trim_end_matches(".md")) => {
            Some(Goals { words: 4_000, code: 300, mechanism: 60 })
        }
        side if is_section(side) => {
            Some(Goals { words: 2_000, code: usize::MAX, mechanism: 0 })
        }
        _ => None,
    }
}

fn row(out: &mut String, name: &str, size: &Size, kilobytes: Option<usize>) {
    let goals = goals(name);
    let share = 100 * size.mechanism / size.code.max(1);
    let over = |is_over: bool| if is_over { "*" } else { " " };
    let most = |most: fn(&Goals) -> usize, is: usize| {
        over(goals.as_ref().is_some_and(|goals| is > most(goals)))
    };
    let least = goals.as_ref().is_some_and(|goals| share < goals.mechanism);
    let share = match size.code {
        0 => String::new(),
        _ => format!("{share} %"),
    };
    let screens = match screens(size) {
        0 => String::new(),
        screens => format!("{}.{}", screens / 10, screens % 10),
    };
    let kilobytes = kilobytes.map_or(String::new(), |kb| kb.to_string());
    let _ = writeln!(
        out,
        "{name:<34} {:>6}{} {:>5}{} {share:>5}{} {screens:>7} {kilobytes:>6}",
        size.words,
        most(|goals| goals.words, size.words),
        size.code,
        most(|goals| goals.code, size.code),
        over(least && size.code > 0),
    );
}

/// Tenths of a screen of 1280 by 800 pixels that the text column fills.
/// Heights of lines, blocks and captions as the styles make them.
fn screens(size: &Size) -> usize {
    let lines = size.words.div_ceil(14) * 25 + size.blocks * 17;
    let code = (size.code + size.other) * 20 + size.fences * 66;
    let rest = size.formulas * 58 + size.figures;
    (lines + code + rest) / 80
}
