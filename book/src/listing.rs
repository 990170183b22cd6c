//! What a page takes from files: `{{#include …}}` and `{{#output …}}`.

use crate::problem::{normal, short};
use std::fs;
use std::path::{Path, PathBuf};

/// One `{{#name argument}}` in a page.
#[derive(Clone, Copy)]
pub struct Directive<'a> {
    /// Where it begins in the page.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// `include`, `output`, …
    pub name: &'a str,
    /// The rest, trimmed.
    pub argument: &'a str,
}

/// All directives of a page, in order. One that is not closed reaches to the
/// end of its line and has no name.
pub fn directives(page: &str) -> Vec<Directive<'_>> {
    let mut found = Vec::new();
    for (start, _) in page.match_indices("{{#") {
        if page[..start].ends_with('\\') {
            continue; // left in the page, and found there
        }
        let line = page[start..].lines().next().unwrap_or_default();
        let inner = line.split_once("}}").map(|(inner, _)| &inner[3..]);
        let end = start + inner.map_or(line.len(), |inner| inner.len() + 5);
        let inner = inner.unwrap_or_default();
        let (name, argument) = inner.split_once(' ').unwrap_or((inner, ""));
        found.push(Directive { start, end, name, argument: argument.trim() });
    }
    found
}

/// A file, or a part of it, that a page shows.
pub struct Listing {
    /// From the root of the repository, with forward slashes.
    pub file: String,
    /// The file's text.
    text: String,
    /// After the colon: an anchor or a range of lines.
    part: Option<String>,
}

impl Listing {
    /// Opens what `argument` names, seen from `folder`.
    ///
    /// # Errors
    /// Why it cannot be shown.
    pub fn open(root: &Path, folder: &Path, argument: &str) -> Result<Self, String> {
        let (path, part) = match argument.split_once(':') {
            Some((path, part)) => (path, Some(part.to_string())),
            None => (argument, None),
        };
        let whole = inside(root, &folder.join(path))?;
        let file = short(root, &whole);
        let text = fs::read_to_string(&whole)
            .map_err(|error| format!("cannot include {file}: {error}"))?;
        let listing = Listing { file, text, part };
        match listing.body()?.trim().is_empty() {
            true => Err(format!("{argument} includes nothing")),
            false => Ok(listing),
        }
    }

    /// The lines that are shown. Anchors and ranges as mdBook reads them.
    ///
    /// # Errors
    /// There is no such anchor, or it is not closed.
    pub fn body(&self) -> Result<String, String> {
        let Some(part) = &self.part else { return Ok(self.text.clone()) };
        let mut numbers = part.splitn(2, ':').map(str::trim);
        let first = numbers.next().unwrap_or_default();
        if !first.is_empty() && first.parse::<usize>().is_err() {
            return self.anchored(first);
        }
        let first = first.parse().unwrap_or(1_usize).max(1);
        let last = match numbers.next() {
            None => first,
            Some(last) => last.parse().unwrap_or(usize::MAX),
        };
        let count = last.saturating_sub(first - 1);
        let lines = self.text.lines().skip(first - 1).take(count);
        Ok(lines.collect::<Vec<_>>().join("\n"))
    }

    fn anchored(&self, name: &str) -> Result<String, String> {
        let file = &self.file;
        let mut lines = Vec::new();
        let mut open = false;
        for line in self.text.lines() {
            if mark(line, "ANCHOR:") == Some(name) {
                open = true;
            } else if mark(line, "ANCHOR_END:") == Some(name) {
                if open {
                    return Ok(lines.join("\n"));
                }
                return Err(format!("anchor {name} ends in {file} unopened"));
            } else if open && !line.contains("ANCHOR") {
                lines.push(line);
            }
        }
        Err(match open {
            true => format!("anchor {name} is not closed in {file}"),
            false => format!("no anchor {name} in {file}"),
        })
    }

    /// The command that printed this, if it is recorded output: its first
    /// line is then `$ cargo run …`.
    pub fn command(&self) -> Option<&str> {
        if self.part.is_some() || !self.file.ends_with(".txt") {
            return None;
        }
        self.text.lines().next()?.strip_prefix("$ ")
    }

    /// What stands above the listing on the page, as HTML.
    pub fn label(&self) -> String {
        let code = |text| format!("<code>{}</code>", escape(text));
        match self.command() {
            Some(command) => format!("Output of {}", code(command)),
            None if self.file.ends_with(".stderr") => "rustc says".to_string(),
            None => code(&self.file),
        }
    }
}

/// The name after `key` in a comment, if there is one.
fn mark<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.split_once(key)?.1.trim_start();
    let end = |c: char| !(c.is_alphanumeric() || c == '_' || c == '-');
    Some(&rest[..rest.find(end).unwrap_or(rest.len())])
}

/// The part of a chapter's recorded output under a heading, and before it the
/// label that stands above it. `argument` is `ch10_3 Masked softmax`.
///
/// # Errors
/// There is no such chapter or heading.
pub fn output(root: &Path, argument: &str) -> Result<(String, String), String> {
    let (name, heading) = argument.split_once(' ').unwrap_or((argument, ""));
    let heading = heading.trim();
    let path = root.join("chapters").join(name).join("output.txt");
    let path = inside(root, &path)?;
    let file = short(root, &path);
    let text = fs::read_to_string(&path)
        .map_err(|error| format!("cannot take output from {file}: {error}"))?;
    let lines: Vec<&str> = text.lines().collect();
    let starts: Vec<usize> =
        (0..lines.len()).filter(|&i| is_heading(&lines, i)).collect();
    let at = starts.iter().position(|&start| lines[start] == heading);
    let at = at.ok_or(format!("no heading \"{heading}\" in {file}"))?;
    let end = starts.get(at + 1).copied().unwrap_or(lines.len());
    let part = lines[starts[at]..end].join("\n");
    let label = format!("Output of <code>cargo run -p {name}</code>");
    Ok((label, part.trim_end().to_string()))
}

/// A heading is a line with a line of as many dashes under it.
fn is_heading(lines: &[&str], at: usize) -> bool {
    let dashes = lines.get(at + 1).copied().unwrap_or_default();
    !dashes.is_empty()
        && dashes.chars().all(|c| c == '-')
        && dashes.len() == lines[at].chars().count()
}

/// `path`, if it is inside the repository.
fn inside(root: &Path, path: &Path) -> Result<PathBuf, String> {
    let path = normal(path);
    match path.starts_with(root) {
        true => Ok(path),
        false => Err(format!("{} is outside the book", path.display())),
    }
}

/// `text` as the content of an element or an attribute.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
