//! A fault in the book: what is wrong, and where.

use std::fmt;
use std::path::{Component, Path, PathBuf};

/// The most characters of a message that are shown: mdBook quotes whole figures.
const LONGEST: usize = 500;

/// One fault, reported as one line: `book/en/ch10_3.md:12: what is wrong`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The path of the file from the root of the repository.
    pub file: String,
    /// The line, counted from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong and, unless that is obvious, what to do.
    pub text: String,
}

impl Problem {
    /// Creates a fault in a line of a file. Messages of other programs are squeezed
    /// into one line, and cut after 500 characters.
    pub fn new(file: &str, line: usize, text: impl AsRef<str>) -> Self {
        let words: Vec<&str> = text.as_ref().split_whitespace().collect();
        let mut text = words.join(" ");
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            text.replace_range(end.., " …");
        }
        Problem { file: file.to_string(), line, text }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.text),
            line => write!(f, "{}:{line}: {}", self.file, self.text),
        }
    }
}

/// Returns the line of `text` that contains the byte at `offset`, counted from 1.
pub fn line_at(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())]
        .iter()
        .filter(|&&byte| byte == b'\n')
        .count()
}

/// Resolves `.` and `..` in `path` without looking at the disk.
pub fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Returns `path` relative to `root`, with forward slashes; unchanged if it is not
/// inside.
pub fn short(root: &Path, path: &Path) -> String {
    let path = normal(path);
    path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/")
}

/// Resolves the path `to` as `file` names it, relative to the same folder as `file`.
pub fn beside(file: &str, to: &str) -> String {
    short(Path::new(""), &Path::new(file).with_file_name(to))
}
