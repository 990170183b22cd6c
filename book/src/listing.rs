//! What a page takes from files: listings, outputs, errors, differences,
//! whole programs.

use crate::address::Address;
use crate::block::{Line, Part};
use crate::highlight::escape;
use crate::problem::{normal, short};
use crate::rust::Rust;
use crate::words::Words;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The files of the repository, each read once.
pub struct Files {
    root: PathBuf,
    /// Where the files are published.
    pub address: Address,
    texts: RefCell<HashMap<String, Result<String, String>>>,
    rust: RefCell<HashMap<String, Rc<Rust>>>,
}

/// A file, or a part of it, that a page shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// From the root of the repository, with forward slashes.
    pub file: String,
    /// After the colon: an anchor or a range of lines.
    pub part: Option<String>,
}

/// A part of a recorded output.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recorded {
    /// From the root of the repository.
    pub file: String,
    /// Empty for all of it.
    pub heading: String,
}

impl Files {
    /// Those of the repository at `root`.
    pub fn new(root: &Path) -> Self {
        Files {
            root: normal(root),
            address: Address::from_environment(),
            texts: RefCell::default(),
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
    /// It is outside of the repository, or cannot be read.
    pub fn text(&self, file: &str) -> Result<String, String> {
        if let Some(known) = self.texts.borrow().get(file) {
            return known.clone();
        }
        let path = self.root.join(file);
        let text = match normal(&path).starts_with(&self.root) {
            true => fs::read_to_string(&path)
                .map_err(|error| format!("cannot include {file}: {error}")),
            false => Err(format!("{} is outside the book", path.display())),
        };
        self.texts.borrow_mut().insert(file.to_string(), text.clone());
        text
    }

    /// A file of Rust.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn rust(&self, file: &str) -> Result<Rc<Rust>, String> {
        if let Some(known) = self.rust.borrow().get(file) {
            return Ok(known.clone());
        }
        let rust = Rc::new(Rust::new(self.text(file)?));
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
        let Source { file, part } = source;
        let rust = self.rust(file)?;
        let lines = match part {
            None => {
                let lines = rust.lines();
                let right = lines.last().is_some_and(|line| line.starts_with(RIGHT));
                (1, lines.len() - usize::from(right))
            }
            Some(name) => match rust.anchor(name) {
                Some(anchor) => (anchor.start + 1, anchor.end - 1),
                None => return Err(format!("no anchor {name} in {file}")),
            },
        };
        let all = rust.lines();
        let text = all.get(lines.0 - 1..lines.1).unwrap_or_default();
        if text.iter().all(|line| line.trim().is_empty()) {
            return Err(format!("{} includes nothing", source.shown()));
        }
        let preamble = Vec::new();
        Ok(Part { file: file.clone(), rust, lines, hidden, preamble })
    }

    /// The lines of any file, as `{{#include}}` has always shown them.
    ///
    /// # Errors
    /// There is no such file or part.
    pub fn included(&self, source: &Source) -> Result<Vec<Line>, String> {
        let text = self.text(&source.file)?;
        let body = body(&text, source)?;
        if body.trim().is_empty() {
            return Err(format!("{} includes nothing", source.shown()));
        }
        // The label names the command; the settings are for the tests.
        let head = source.part.is_none() && command(&text).is_some();
        let is_head = |line: &&str| {
            head && (line.is_empty()
                || line.starts_with("$ ")
                || line.starts_with("# "))
        };
        let skip = body.lines().take_while(is_head).count();
        Ok(body.trim_end().lines().skip(skip).map(Line::plain).collect())
    }

    /// A part of a recorded output, and the command that printed it.
    ///
    /// # Errors
    /// There is no such file or heading.
    pub fn recorded(&self, wanted: &Recorded) -> Result<(String, Vec<Line>), String> {
        let Recorded { file, heading } = wanted;
        let text = self.text(file).map_err(|error| {
            error.replace("cannot include", "cannot take output from")
        })?;
        let command = command(&text)
            .ok_or(format!("{file} does not begin with `$ cargo …`, its command"))?;
        let lines: Vec<&str> = text.lines().collect();
        let (start, end) = match heading.is_empty() {
            true => (1, lines.len()),
            false => {
                let parts = headings(&text);
                let at = parts.iter().position(|(_, name)| name == heading);
                let at = at.ok_or(format!("no heading \"{heading}\" in {file}"))?;
                let end = parts.get(at + 1).map_or(lines.len(), |(line, _)| line - 1);
                (parts[at].0 - 1, end)
            }
        };
        let body = lines[start..end].join("\n");
        let body = body.trim_end().trim_start_matches('\n');
        Ok((command.to_string(), body.lines().map(Line::plain).collect()))
    }

    /// The wrong line of a program that does not compile, and the right one.
    ///
    /// # Errors
    /// The program is missing, or has no right line.
    pub fn difference(&self, chapter: &str, name: &str) -> Result<Vec<Line>, String> {
        let file = format!("chapters/{chapter}/compile_fail/{name}.rs");
        let text = self.text(&file)?;
        let (at, right) = right_line(&text)
            .ok_or(format!("{file} does not end with `// Right, line 9: …`"))?;
        let wrong = text.lines().nth(at - 1).unwrap_or_default().trim();
        Ok([("-", wrong), ("+", right)]
            .map(|(sign, line)| Line::plain(&format!("{sign} {line}")))
            .to_vec())
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

    /// The files of a chapter's library, `lib.rs` first.
    pub fn of_library(&self, chapter: &str) -> Vec<String> {
        let folder = format!("chapters/{chapter}/src");
        let mut files = self.under(&folder, ".rs");
        files.retain(|file| !is_demo(file));
        files.sort_by_key(|file| (!file.ends_with("/src/lib.rs"), file.clone()));
        files
    }
}

impl Source {
    /// What stands after `{{#listing ` : a path below chapters/, and a part.
    pub fn below_chapters(argument: &str) -> Self {
        let (path, part) = split(argument);
        Source { file: format!("chapters/{path}"), part }
    }

    /// What stands after `{{#include `: a path from the page's folder.
    pub fn from_folder(root: &Path, folder: &Path, argument: &str) -> Self {
        let (path, part) = split(argument);
        Source { file: short(root, &folder.join(path)), part }
    }

    fn shown(&self) -> String {
        match &self.part {
            Some(part) => format!("{}:{part}", self.file),
            None => self.file.clone(),
        }
    }
}

impl Recorded {
    /// What stands after `{{#output `: `ch10_3 Masked softmax`, or
    /// `ch10_7/reversal Heading` for a program with an output of its own.
    pub fn new(argument: &str) -> Self {
        let (name, heading) = argument.split_once(' ').unwrap_or((argument, ""));
        let file = match name.split_once('/') {
            Some((chapter, part)) => format!("chapters/{chapter}/output/{part}.txt"),
            None => format!("chapters/{name}/output.txt"),
        };
        Recorded { file, heading: heading.trim().to_string() }
    }
}

fn split(argument: &str) -> (&str, Option<String>) {
    match argument.split_once(':') {
        Some((path, part)) => (path, Some(part.trim().to_string())),
        None => (argument, None),
    }
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
    matches!(first, "main" | "bin" | "demo" | "task")
        || file.starts_with("chapters/program/")
}

/// What stands above a file on a page, as HTML.
pub fn label(words: &Words, file: &str, text: &str) -> String {
    match command(text) {
        Some(command) if file.ends_with(".txt") => {
            format!("{}<code>{}</code>", words.output_of, escape(command))
        }
        _ if file.ends_with(".stderr") => words.rustc_says.to_string(),
        _ => format!("<code>{}</code>", escape(file)),
    }
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

/// The lines that `{{#include file:part}}` means: `6:11`, or `6:` to the end.
fn body(text: &str, source: &Source) -> Result<String, String> {
    let Some(part) = &source.part else { return Ok(text.to_string()) };
    let range = part.split_once(':').and_then(|(first, last)| {
        let last = if last.is_empty() { usize::MAX } else { last.parse().ok()? };
        Some((first.parse::<usize>().ok()?.max(1), last))
    });
    let (first, last) =
        range.ok_or(format!("lines of {} are named 6:11, not {part}", source.file))?;
    let lines = text.lines().take(last).skip(first - 1);
    Ok(lines.collect::<Vec<_>>().join("\n"))
}
