//! A fault in the book: what is wrong, and where.

use std::fmt;
use std::path::{Component, Path, PathBuf};

/// One fault, reported as one line: `book/en/ch10_3.md:12: what is wrong`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file, from the root of the repository.
    pub file: String,
    /// The line in it, counted from 1; 0 if the file as a whole is meant.
    pub line: usize,
    /// What is wrong, and where it is not plain, what to do.
    pub text: String,
}

impl Problem {
    /// A fault in a line of a file. What other programs report is squeezed
    /// into one line.
    pub fn new(file: &str, line: usize, text: impl AsRef<str>) -> Self {
        let words: Vec<&str> = text.as_ref().split_whitespace().collect();
        Problem { file: file.to_string(), line, text: words.join(" ") }
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

/// The line of a text that the byte at `offset` is in, counted from 1.
pub fn line_at(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())]
        .iter()
        .filter(|&&byte| byte == b'\n')
        .count()
}

/// `path` without its `.` and `..`, worked out without asking the disk.
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

/// `path` as seen from `root`, with forward slashes; as it is if it is not
/// inside.
pub fn short(root: &Path, path: &Path) -> String {
    let path = normal(path);
    path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/")
}

/// What the path `to` means in `file`, named from the same folder as that.
pub fn beside(file: &str, to: &str) -> String {
    short(Path::new(""), &Path::new(file).with_file_name(to))
}
