//! The files of the repository, and the parts of them that pages show: listings,
//! outputs, errors, differences, whole programs.

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
    /// The address where the files are published.
    pub address: Address,
    /// The files that have been parsed.
    rust: RefCell<HashMap<String, Rc<Rust>>>,
}

/// A file, or a part of one, that a page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The path from the root of the repository, with forward slashes.
    pub file: String,
    /// An anchor, a range of lines, or a heading of an output.
    pub part: Option<String>,
}

impl Files {
    /// Creates the files of the repository at `root`.
    pub fn new(root: &Path) -> Self {
        Files {
            root: normal(root),
            address: Address::from_environment(),
            rust: RefCell::default(),
        }
    }

    /// Returns the root of the repository.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Resolves the path of a file or folder named from the root, following links.
    ///
    /// # Errors
    /// If it does not exist, or is outside of the repository.
    pub fn inside(&self, file: &str) -> Result<PathBuf, String> {
        let real = |path: &Path| path.canonicalize().map_err(|error| error.to_string());
        let path = real(&self.root.join(file))?;
        match path.starts_with(real(&self.root)?) {
            true => Ok(path),
            false => Err("it is outside of the repository".to_string()),
        }
    }

    /// Resolves the path of a file named from the root, following links.
    ///
    /// # Errors
    /// If it is no regular file inside the repository. To read another one, such as a
    /// pipe, might take forever.
    pub fn regular(&self, file: &str) -> Result<PathBuf, String> {
        let path = self.inside(file)?;
        match path.is_file() {
            true => Ok(path),
            false => Err("it is not a regular file".to_string()),
        }
    }

    /// Reads a file named from the root.
    ///
    /// # Errors
    /// If it is not UTF-8, or no regular file inside the repository.
    pub fn text(&self, file: &str) -> Result<String, String> {
        let path = self.regular(file);
        path.and_then(|path| {
            fs::read_to_string(path).map_err(|error| error.to_string())
        })
        .map_err(|error| format!("cannot read {file}: {error}"))
    }

    /// Parses a file of Rust named from the root.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn rust(&self, file: &str) -> Result<Rc<Rust>, String> {
        if let Some(known) = self.rust.borrow().get(file) {
            return Ok(known.clone());
        }
        let rust = Rc::new(Rust::new(&self.text(file)?));
        self.rust.borrow_mut().insert(file.to_string(), rust.clone());
        Ok(rust)
    }

    /// Lists the files under a folder named from the root whose names end with `end`,
    /// sorted, named from the root. Links are not followed.
    pub fn under(&self, folder: &str, end: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.root.join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let name = entry.file_name();
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_folder && name != "target" {
                    folders.push(path);
                } else if name.to_string_lossy().ends_with(end) {
                    found.push(short(&self.root, &path));
                }
            }
        }
        found.sort();
        found
    }

    /// Returns `true` if this file, named from the root, exists.
    pub fn has(&self, file: &str) -> bool {
        self.root.join(file).is_file()
    }

    /// Takes a part of a file of Rust, for a block.
    ///
    /// # Errors
    /// If there is no such file or anchor.
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

    /// Takes lines of any file: all of them, or `6:11`, or `6:` to the end. Of a
    /// recorded output, takes what the program printed, or the part under a heading.
    ///
    /// # Errors
    /// If there is no such file or part.
    pub fn included(&self, source: &Source) -> Result<Vec<Line>, String> {
        let Source { file, part } = source;
        let text = self.text(file)?;
        let lines: Vec<&str> = text.lines().collect();
        // The label has the command, and only tests use the settings.
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

    /// Takes the wrong line of a program that does not compile, and the right one.
    ///
    /// # Errors
    /// If the program is missing, or has no right line.
    pub fn difference(&self, file: &str) -> Result<Vec<Line>, String> {
        let text = self.text(file)?;
        let (at, right) = right_line(&text)
            .ok_or(format!("{file} does not end with `// Right, line 9: …`"))?;
        let wrong = text.lines().nth(at - 1).unwrap_or_default().trim();
        Ok(plain(&format!("- {wrong}\n+ {right}")))
    }

    /// Lists the files of a chapter's library.
    pub fn of_library(&self, chapter: &str) -> Vec<String> {
        let mut files = self.under(&format!("chapters/{chapter}/src"), ".rs");
        files.retain(|file| !is_demo(file));
        files
    }

    /// Lists the files of a chapter's demo, which its program page shows.
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
    /// Parses the argument of `{{#listing}}`: a path below chapters/, and an anchor.
    pub fn below_chapters(argument: &str) -> Self {
        let (path, part) = split(argument, ':');
        Source { file: format!("chapters/{path}"), part }
    }

    /// Parses the argument of `{{#include}}`: a path from the page's folder, and lines.
    pub fn beside(page: &str, argument: &str) -> Self {
        let (path, part) = split(argument, ':');
        Source { file: beside(page, path), part }
    }

    /// Parses the argument of `{{#output}}`: `ch10_3 Masked softmax`, or
    /// `ch10_7/reversal Heading` for another command of the program.
    pub fn output(argument: &str) -> Self {
        let (name, part) = split(argument, ' ');
        let file = match name.split_once('/') {
            Some((chapter, part)) => format!("chapters/{chapter}/output/{part}.txt"),
            None => format!("chapters/{name}/output.txt"),
        };
        Source { file, part }
    }

    /// Parses the argument of `{{#error}}` and `{{#difference}}`: `ch10_3 01-name`.
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

/// Splits a text into lines, each shown as it is.
pub fn plain(text: &str) -> Vec<Line> {
    text.lines().map(Line::plain).collect()
}

/// Returns `true` for a file of a chapter's demo. `task` has the tasks that its models
/// learn, and the crate `program` the code that several demos share.
fn is_demo(file: &str) -> bool {
    let inner = file.split_once("/src/").map_or("", |(_, inner)| inner);
    let first = inner.split('/').next().unwrap_or_default();
    let first = first.trim_end_matches(".rs");
    matches!(first, "main" | "demo" | "task") || file.starts_with("chapters/program/")
}

/// Returns the command of a recorded output, from its first line `$ cargo run …`.
pub fn command(text: &str) -> Option<&str> {
    text.lines().next()?.strip_prefix("$ ")
}

/// Returns the headings of a recorded output with their lines. A heading is
/// underlined from end to end with dashes.
pub fn headings(text: &str) -> Vec<(usize, &str)> {
    let lines: Vec<&str> = text.lines().collect();
    let pairs = lines.windows(2).enumerate();
    let pairs = pairs.filter(|(_, pair)| {
        let width = pair[0].chars().count();
        width > 0 && pair[1] == "-".repeat(width)
    });
    pairs.map(|(at, pair)| (at + 1, pair[0])).collect()
}

/// Returns the first line and the last of a heading with the part under it.
fn under(text: &str, heading: &str) -> Option<(usize, usize)> {
    let parts = headings(text);
    let at = parts.iter().position(|(_, name)| *name == heading)?;
    let last = parts.get(at + 1).map_or(usize::MAX, |(line, _)| line - 1);
    Some((parts[at].0, last))
}

/// Returns the correction of a program that does not compile: a line, counted from 1,
/// and its right text. The last line of the file has both.
pub fn right_line(text: &str) -> Option<(usize, &str)> {
    let (line, right) =
        text.lines().next_back()?.strip_prefix(RIGHT)?.split_once(": ")?;
    let line = line.parse().ok()?;
    let wrong = text.lines().nth(usize::checked_sub(line, 1)?)?;
    (wrong.trim() != right && !wrong.starts_with(RIGHT)).then_some((line, right))
}

/// The beginning of that line. No listing shows it.
const RIGHT: &str = "// Right, line ";

/// Parses `6:11` or `6:` as a first and a last line.
fn range(part: &str) -> Option<(usize, usize)> {
    let (first, last) = part.split_once(':')?;
    let last = if last.is_empty() { usize::MAX } else { last.parse().ok()? };
    Some((first.parse::<usize>().ok()?.max(1), last))
}
