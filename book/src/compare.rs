//! Compares the Chinese pages with the English ones: block by block they agree in
//! formulas, code, links, numbers, and in the terms in bold. A lock of the English
//! text, one line a block, shows which blocks have changed since they were translated.

use crate::chinese;
use crate::listing::Files;
use crate::page::markdown;
use crate::problem::{Problem, line_at, normal};
use crate::root::write_file;
use crate::terminal::say;
use crate::words::is_han;
use anyhow::{Result, ensure};
use mdbook_markdown::pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// The folders of the pages, from the root.
const ENGLISH: &str = "book/en";
const CHINESE: &str = "book/zh";
/// The file of terms: an English one and, after a tab, its Chinese translations.
const TERMS: &str = "book/translation/terms.tsv";
/// The folder of the locks: for each page, the English blocks that have been
/// translated.
const LOCK: &str = "book/translation/lock";

/// The placeholder for code and formulas in a text.
pub const CODE: char = '\u{e000}';

/// A unit of translation: a heading, a paragraph, an item of a list, a cell of a table.
#[derive(Default)]
pub struct Block {
    /// The kind: `paragraph`, `heading 2 #masks`.
    pub kind: String,
    /// The first line.
    line: usize,
    /// The text, each character with its offset in the page.
    pub text: Vec<(usize, char)>,
    /// Formulas, code, targets of links, the same in both languages.
    facts: Vec<String>,
    bold: Vec<String>,
    /// Faults in its Markdown, each with its offset.
    pub faults: Vec<(usize, &'static str)>,
}

impl Block {
    /// Returns the text as one line.
    fn line(&self) -> String {
        let text: String = self.text.iter().map(|(_, c)| c).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the numbers in digits, except those in names such as `ch10_3`.
    fn numbers(&self) -> Vec<String> {
        let line = self.line();
        let is_part = |c: char| c.is_ascii_alphanumeric() || "._,".contains(c);
        line.split(|c| !is_part(c))
            // 65M is 65 million.
            .map(|word| word.trim_matches(['.', ',']).trim_end_matches('M'))
            .map(|word| word.replace(',', ""))
            .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
            .filter(|word| !word.contains(|c: char| c.is_alphabetic() || c == '_'))
            .collect()
    }

    /// Returns its line in the lock.
    fn locked(&self) -> String {
        let text = format!("{}\n{}\n{}", self.kind, self.line(), self.facts.join("\n"));
        let hash = Sha256::digest(text);
        let hash: String = hash[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        let mut line = self.line().replace(CODE, "…");
        if line.is_empty() {
            line = self.facts.concat();
        }
        let words: Vec<&str> = line.split(' ').take(6).collect();
        format!("{hash} {}", words.join(" "))
    }
}

/// Splits a page into blocks.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut in_code, mut in_bold) = (false, false);
    for (event, range) in Parser::new_ext(page, markdown()).into_offset_iter() {
        if let Event::Start(tag) = &event
            && let Some(kind) = kind(tag)
        {
            let line = line_at(page, range.start);
            blocks.push(Block { kind, line, ..Block::default() });
        }
        let Some(block) = blocks.last_mut() else { continue };
        let at = range.start;
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(text) if in_code => block.facts.push(text.to_string()),
            Event::Text(text) => {
                if let Some(bold) = block.bold.last_mut().filter(|_| in_bold) {
                    bold.push_str(&text);
                }
                block.text.extend(text.char_indices().map(|(n, c)| (at + n, c)));
            }
            Event::Code(ref text) | Event::InlineMath(ref text) => {
                let mark = if matches!(event, Event::Code(_)) { '`' } else { '$' };
                block.facts.push(format!("{mark}{}{mark}", text.replace('\n', " ")));
                block.text.push((at, CODE));
            }
            Event::DisplayMath(latex) => block.facts.push(latex.replace('\n', " ")),
            Event::Html(html) | Event::InlineHtml(html) => {
                let mut words = String::new();
                for part in html.split('<') {
                    let (tag, text) = part.split_once('>').unwrap_or(("", part));
                    block.facts.push(tag.to_string());
                    words += text;
                }
                if words.contains(|c: char| c.is_ascii_alphabetic()) {
                    block.faults.push((at, "is left in English"));
                }
            }
            Event::Start(
                Tag::Link { dest_url: to, .. } | Tag::Image { dest_url: to, .. },
            ) => block.facts.push(to.to_string()),
            Event::Start(Tag::Emphasis) if page[range].contains(is_han) => {
                block.faults.push((at, "Chinese has no italics: “…”, or nothing"));
            }
            Event::Start(Tag::Strong) => {
                in_bold = true;
                block.bold.push(String::new());
            }
            Event::End(TagEnd::Strong) => in_bold = false,
            Event::SoftBreak => {
                block.text.push((at, '\n'));
                if let Some(bold) = block.bold.last_mut().filter(|_| in_bold) {
                    bold.push(' ');
                }
            }
            Event::HardBreak => block.text.push((at, '\r')),
            _ => {}
        }
    }
    for block in &mut blocks {
        // A directive is no text.
        if block.text.starts_with(&[(block.text.first().map_or(0, |one| one.0), '{')]) {
            block.facts.push(block.line());
            block.text.clear();
        }
        block.facts.sort();
    }
    blocks
}

fn kind(tag: &Tag) -> Option<String> {
    Some(match tag {
        Tag::Heading { level, id, .. } => {
            format!(
                "heading {} #{}",
                *level as usize,
                id.as_deref().unwrap_or_default()
            )
        }
        Tag::Paragraph => "paragraph".to_string(),
        Tag::List(first) => format!("list {}", first.map_or("", |_| "with numbers")),
        Tag::Item => "item".to_string(),
        Tag::Table(_) => "table".to_string(),
        Tag::TableCell => "cell".to_string(),
        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => format!("block of {info}"),
        Tag::BlockQuote(kind) => format!("quotation {kind:?}"),
        Tag::HtmlBlock => "block of HTML".to_string(),
        _ => return None,
    })
}

/// Finds what is wrong with the Chinese pages of the book at `root`, compared with the
/// English ones.
pub fn compare(root: &std::path::Path) -> Vec<Problem> {
    let files = Files::new(root);
    let terms = files.text(TERMS).unwrap_or_default();
    let terms: HashMap<&str, &str> =
        terms.lines().filter_map(|line| line.split_once('\t')).collect();
    let mut problems = Vec::new();
    for page in files.under(ENGLISH, ".md") {
        let other = page.replacen(ENGLISH, CHINESE, 1);
        // A host has one page for what is missing.
        if !page.ends_with("/404.md") && !files.has(&other) {
            problems.push(Problem::new(
                &other,
                0,
                format!("is not there, unlike {page}"),
            ));
        }
    }
    for (name, english, translated) in pages(&files) {
        let file = format!("{CHINESE}/{name}");
        let mut add = |at, text: String| problems.push(Problem::new(&file, at, text));
        let lock = files.text(&lock_of(&name)).ok();
        let run = format!("run `cargo run -p book -- lock {name}`");
        if lock.is_none() {
            let text = "no lock for this page";
            add(1, format!("{text}; {run} once the translation is complete"));
        }
        let pairs = english.iter().zip(&translated);
        for (one, other) in pairs.take(in_step(&english, &translated, &mut add)) {
            let locked = one.locked();
            let (hash, words) = locked.split_once(' ').unwrap_or_default();
            if lock.as_ref().is_some_and(|lock| !lock.contains(hash)) {
                let text = format!("its English (line {}) has changed", one.line);
                let once = "once the translation is up to date";
                add(other.line, format!("{text}: {words} …; {run} {once}"));
            }
            agree(one, other, &terms, &mut add);
        }
        let page = files.text(&file).unwrap_or_default();
        // A table may have a column of English.
        let is_own = |cell: &&Block| {
            let is_it =
                |other: &Block| cell.kind == "cell" && other.line() == cell.line();
            !english.iter().any(is_it)
        };
        for block in translated.iter().filter(is_own) {
            for (at, text) in chinese::faults(block) {
                add(line_at(&page, at), text);
            }
        }
    }
    problems
}

fn lock_of(name: &str) -> String {
    format!("{LOCK}/{}", name.replace(".md", ".txt"))
}

/// Returns the Chinese pages by name, with the blocks of both languages.
fn pages(files: &Files) -> Vec<(String, Vec<Block>, Vec<Block>)> {
    let pages = files.under(CHINESE, ".md").into_iter().filter_map(|file| {
        let name = file.strip_prefix(CHINESE)?.trim_start_matches('/').to_string();
        let english = files.text(&format!("{ENGLISH}/{name}")).unwrap_or_default();
        let chinese = files.text(&file).ok()?;
        Some((name, blocks(&english), blocks(&chinese)))
    });
    pages.filter(|(name, ..)| name != "SUMMARY.md").collect()
}

/// Counts the blocks before the first pair that differs in kind: after it, blocks are
/// out of step.
fn in_step(
    english: &[Block],
    chinese: &[Block],
    add: &mut impl FnMut(usize, String),
) -> usize {
    let pairs = english.iter().zip(chinese);
    let same = pairs.take_while(|(one, other)| one.kind == other.kind).count();
    match (english.get(same), chinese.get(same)) {
        (Some(one), Some(other)) => {
            let (ours, line) = (&one.kind, one.line);
            add(other.line, format!("is {}, not {ours} (line {line})", other.kind));
        }
        (Some(one), None) => {
            let last = chinese.last().map_or(0, |block| block.line);
            add(last, format!("lacks a {} after this (line {})", one.kind, one.line));
        }
        (None, Some(other)) => {
            add(other.line, "the English ends before this".to_string());
        }
        (None, None) => {}
    }
    same
}

/// Compares a block with its translation.
fn agree(
    one: &Block,
    other: &Block,
    terms: &HashMap<&str, &str>,
    add: &mut impl FnMut(usize, String),
) {
    let english = format!("the English (line {})", one.line);
    for fact in less(&one.facts, &other.facts) {
        add(other.line, format!("lacks {fact}, which {english} has"));
    }
    for fact in less(&other.facts, &one.facts) {
        add(other.line, format!("has {fact}, {english} does not"));
    }
    let (ours, theirs) = (one.numbers(), other.numbers());
    for number in less(&ours, &theirs) {
        add(other.line, format!("lacks the number {number} of {english}"));
    }
    // A small number may be a word there.
    for number in less(&theirs, &ours).iter().filter(|number| number.len() > 2) {
        add(other.line, format!("has the number {number}, {english} does not"));
    }
    if one.bold.len() != other.bold.len() {
        let (ours, theirs) = (one.bold.len(), other.bold.len());
        add(other.line, format!("has {theirs} words in bold, {english} {ours}"));
    }
    for bold in &one.bold {
        let is_term = bold.starts_with(|c: char| c.is_lowercase());
        let plain = |text: &str| text.replace(' ', "");
        match terms.get(bold.to_lowercase().as_str()) {
            None if is_term => add(other.line, format!("{TERMS} has no {bold}")),
            Some(wanted)
                if !wanted.split('/').any(|wanted| {
                    other.bold.iter().any(|bold| plain(bold).contains(&plain(wanted)))
                }) =>
            {
                add(other.line, format!("**{bold}** should be **{wanted}** ({TERMS})"))
            }
            _ => {}
        }
    }
}

/// Returns the elements of `a` that `b` lacks, or has less often.
fn less(a: &[String], b: &[String]) -> Vec<String> {
    let mut left = b.to_vec();
    let mut less = a.to_vec();
    less.retain(|one| match left.iter().position(|other| other == one) {
        Some(at) => {
            left.remove(at);
            false
        }
        None => true,
    });
    less
}

/// Marks these Chinese pages, or all, as up to date with the English.
///
/// # Errors
/// If there is no such page, or a lock cannot be written.
pub fn lock(root: &std::path::Path, only: &[String]) -> Result<()> {
    let files = Files::new(&normal(root));
    let pages = pages(&files);
    for name in only {
        let known = pages.iter().any(|(page, ..)| page == name);
        ensure!(known, "there is no page {CHINESE}/{name}");
    }
    for (name, english, _) in pages {
        if only.is_empty() || only.contains(&name) {
            let lines: Vec<String> = english.iter().map(Block::locked).collect();
            let path = lock_of(&name);
            write_file(
                &files.root().join(&path),
                (lines.join("\n") + "\n").as_bytes(),
            )?;
            say(format_args!("wrote {path}"))?;
        }
    }
    Ok(())
}
