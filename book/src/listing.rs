//! What a page takes from files: listings, outputs, errors, differences,
//! whole programs.

use crate::address::Address;
use crate::block::{Line, Part};
use crate::problem::{beside, normal, short};
use crate::rust::Rust;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The files of the repository.
pub struct Files {
    root: PathBuf,
    /// Where the files are published.
    pub address: Address,
    /// Those that have been parsed.
    rust: RefCell<HashMap<String, Rc<Rust>>>,
}

/// A file, or a part of it, that a page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// From the root of the repository, with forward slashes.
    pub file: String,
    /// An anchor, a range of lines, or a heading of an output.
    pub part: Option<String>,
}

impl Files {
    /// Those of the repository at `root`.
    pub fn new(root: &Path) -> Self {
        Files {
            root: normal(root),
            address: Address::from_environment(),
            rust: RefCell::default(),
        }
    }

    /// The root of the repository.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The text of a file named from the root.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn text(&self, file: &str) -> Result<String, String> {
        fs::read_to_string(self.root.join(file))
            .map_err(|error| format!("cannot read {file}: {error}"))
    }

    /// A file of Rust.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn rust(&self, file: &str) -> Result<Rc<Rust>, String> {
        if let Some(known) = self.rust.borrow().get(file) {
            return Ok(known.clone());
        }
        let rust = Rc::new(Rust::new(&self.text(file)?));
        self.rust.borrow_mut().insert(file.to_string(), rust.clone());
        Ok(rust)
    }

    /// All files under a folder named from the root whose names end so, in
    /// order, named from the root.
    pub fn under(&self, folder: &str, end: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.root.join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let name = entry.file_name();
                if path.is_dir() && name != "target" {
                    folders.push(path);
                } else if name.to_string_lossy().ends_with(end) {
                    found.push(short(&self.root, &path));
                }
            }
        }
        found.sort();
        found
    }

    /// Whether the root has this file.
    pub fn has(&self, file: &str) -> bool {
        self.root.join(file).is_file()
    }

    /// A part of a file of Rust, for a block.
    ///
    /// # Errors
    /// There is no such file or anchor.
    pub fn part(&self, source: &Source, hidden: bool) -> Result<Part, String> {
        let file = source.file.clone();
        let rust = self.rust(&file)?;
        let lines = match &source.part {
            None => {
                let right =
                    rust.lines.last().is_some_and(|line| line.starts_with(RIGHT));
                (1, rust.lines.len() - usize::from(right))
            }
            Some(name) => {
                let anchor = rust.anchors.iter().find(|anchor| anchor.name == *name);
                let anchor = anchor.ok_or(format!("no anchor {name} in {file}"))?;
                (anchor.start + 1, anchor.end - 1)
            }
        };
        Ok(Part { file, rust, lines, hidden, preamble: Vec::new() })
    }

    /// The lines of any file: all of them, or `6:11`, or `6:` to the end; of a recorded
    /// output what is printed, or what stands under a heading.
    ///
    /// # Errors
    /// There is no such file or part.
    pub fn included(&self, source: &Source) -> Result<Vec<Line>, String> {
        let Source { file, part } = source;
        let text = self.text(file)?;
        let lines: Vec<&str> = text.lines().collect();
        // The label names the command; the settings are for the tests.
        let is_head = |line: &&&str| {
            line.is_empty() || line.starts_with("$ ") || line.starts_with("# ")
        };
        let lines = match part {
            None if command(&text).is_some() => {
                &lines[lines.iter().take_while(is_head).count()..]
            }
            None => &lines[..],
            Some(part) => range(part)
                .or_else(|| under(&text, part))
                .and_then(|(first, last)| lines.get(first - 1..last.min(lines.len())))
                .ok_or(format!("no lines and no heading \"{part}\" in {file}"))?,
        };
        match lines.join("\n").trim_end() {
            "" => Err(format!("nothing of {file} is included")),
            body => Ok(plain(body)),
        }
    }

    /// The wrong line of a program that does not compile, and the right one.
    ///
    /// # Errors
    /// The program is missing, or has no right line.
    pub fn difference(&self, file: &str) -> Result<Vec<Line>, String> {
        let text = self.text(file)?;
        let (at, right) = right_line(&text)
            .ok_or(format!("{file} does not end with `// Right, line 9: …`"))?;
        let wrong = text.lines().nth(at - 1).unwrap_or_default().trim();
        Ok(plain(&format!("- {wrong}\n+ {right}")))
    }

    /// The files of a chapter's library.
    pub fn of_library(&self, chapter: &str) -> Vec<String> {
        let mut files = self.under(&format!("chapters/{chapter}/src"), ".rs");
        files.retain(|file| !is_demo(file));
        files
    }

    /// The files of a chapter's demo: what its program page shows.
    pub fn demo(&self, chapter: &str) -> Vec<String> {
        let folder = format!("chapters/{chapter}/src");
        let mut files = self.under(&folder, ".rs");
        files.retain(|file| is_demo(file));
        // The program begins in main.rs.
        files.sort_by_key(|file| (!file.ends_with("/src/main.rs"), file.clone()));
        files
    }
}

impl Source {
    /// What stands after `{{#listing `: a path below chapters/, and an anchor.
    pub fn below_chapters(argument: &str) -> Self {
        let (path, part) = split(argument, ':');
        Source { file: format!("chapters/{path}"), part }
    }

    /// What stands after `{{#include ` in a page: a path from its folder, and lines.
    pub fn beside(page: &str, argument: &str) -> Self {
        let (path, part) = split(argument, ':');
        Source { file: beside(page, path), part }
    }

    /// What stands after `{{#output `: `ch10_3 Masked softmax`, or
    /// `ch10_7/reversal Heading` for a program with an output of its own.
    pub fn output(argument: &str) -> Self {
        let (name, part) = split(argument, ' ');
        let file = match name.split_once('/') {
            Some((chapter, part)) => format!("chapters/{chapter}/output/{part}.txt"),
            None => format!("chapters/{name}/output.txt"),
        };
        Source { file, part }
    }

    /// What stands after `{{#error ` and `{{#difference `: `ch10_3 01-name`.
    pub fn compile_fail(argument: &str, kind: &str) -> Self {
        let (chapter, name) = argument.split_once(' ').unwrap_or((argument, ""));
        let file = format!("chapters/{chapter}/compile_fail/{name}.{kind}");
        Source { file, part: None }
    }
}

fn split(argument: &str, at: char) -> (&str, Option<String>) {
    match argument.split_once(at) {
        Some((path, part)) => (path, Some(part.trim().to_string())),
        None => (argument, None),
    }
}

/// The lines of a text, each shown as it is.
pub fn plain(text: &str) -> Vec<Line> {
    text.lines().map(Line::plain).collect()
}

/// Whether a file belongs to a section's library.
pub fn is_mechanism(file: &str) -> bool {
    file.starts_with("chapters/") && file.contains("/src/") && !is_demo(file)
}

/// Whether a file under a chapter's `src` belongs to its demo. `task` is what its
/// models learn, and the crate `program` what several demos share.
fn is_demo(file: &str) -> bool {
    let inner = file.split_once("/src/").map_or("", |(_, inner)| inner);
    let first = inner.split('/').next().unwrap_or_default();
    let first = first.trim_end_matches(".rs");
    matches!(first, "main" | "demo" | "task") || file.starts_with("chapters/program/")
}

/// The command that printed this, if it is recorded output: its first line is
/// then `$ cargo run …`.
pub fn command(text: &str) -> Option<&str> {
    text.lines().next()?.strip_prefix("$ ")
}

/// The headings of a recorded output with their lines: each is underlined
/// from end to end with dashes.
pub fn headings(text: &str) -> Vec<(usize, &str)> {
    let lines: Vec<&str> = text.lines().collect();
    let pairs = lines.windows(2).enumerate();
    let pairs = pairs.filter(|(_, pair)| {
        let width = pair[0].chars().count();
        width > 0 && pair[1] == "-".repeat(width)
    });
    pairs.map(|(at, pair)| (at + 1, pair[0])).collect()
}

/// The first line and the last of what stands under a heading, with that.
fn under(text: &str, heading: &str) -> Option<(usize, usize)> {
    let parts = headings(text);
    let at = parts.iter().position(|(_, name)| *name == heading)?;
    let last = parts.get(at + 1).map_or(usize::MAX, |(line, _)| line - 1);
    Some((parts[at].0, last))
}

/// What puts a program right that does not compile: a line, counted from 1,
/// and what it should be. The last line of the file says it.
pub fn right_line(text: &str) -> Option<(usize, &str)> {
    let (line, right) =
        text.lines().next_back()?.strip_prefix(RIGHT)?.split_once(": ")?;
    let line = line.parse().ok()?;
    let wrong = text.lines().nth(usize::checked_sub(line, 1)?)?;
    (wrong.trim() != right && !wrong.starts_with(RIGHT)).then_some((line, right))
}

/// How that line begins. No listing shows it.
const RIGHT: &str = "// Right, line ";

/// The first line and the last that `6:11` or `6:` means.
fn range(part: &str) -> Option<(usize, usize)> {
    let (first, last) = part.split_once(':')?;
    let last = if last.is_empty() { usize::MAX } else { last.parse().ok()? };
    Some((first.parse::<usize>().ok()?.max(1), last))
}
