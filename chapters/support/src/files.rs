//! Files: read up to a limit, written whole or not at all, and never in the
//! place of what we have not written.

use crate::models::UNFINISHED;
use crate::terminal::printable;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// No file that a program reads is larger: 256 MiB.
const LIMIT: u64 = 256 << 20;

/// Returns the root of the repository: upward from the current folder, the first
/// that has `book.toml` and `chapters/`.
///
/// # Errors
/// If there is none.
pub fn find_root() -> Result<PathBuf> {
    let here = std::env::current_dir().context("there is no current folder")?;
    let is_root = |folder: &&Path| {
        folder.join("book.toml").is_file() && folder.join("chapters").is_dir()
    };
    let root = here.ancestors().find(is_root);
    Ok(root.context("not inside the book's repository")?.to_path_buf())
}

/// Returns a path in the repository, short if the program was started at its root.
pub(crate) fn in_repository(root: &Path, path: &Path) -> PathBuf {
    match std::env::current_dir() {
        Ok(here) if here == root => path.to_path_buf(),
        _ => root.join(path),
    }
}

/// Returns a path as it is printed: with forward slashes, on Windows too, and
/// nothing in it that steers a terminal.
pub fn shown(path: &Path) -> String {
    printable(&path.display().to_string().replace(MAIN_SEPARATOR, "/"))
}

/// Reads a file, or a pipe to its end.
///
/// # Errors
/// If the system reports one, or the file is larger than 256 MiB; the message names
/// the file.
pub fn read_whole(path: &Path) -> Result<Vec<u8>> {
    read_up_to(path, LIMIT).with_context(|| format!("cannot read {}", shown(path)))
}

fn read_up_to(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    ensure!(bytes.len() as u64 <= limit, "larger than {} MiB", limit >> 20);
    Ok(bytes)
}

/// Writes a file: beside its place, and moved there when it is complete.
/// Folders are made as needed.
///
/// # Errors
/// If the system reports one, or something else is in that place: a link, a folder,
/// a device, or a file that is not of the same kind of ours (figure, model). The
/// message names it.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    replace(path, bytes).with_context(|| format!("cannot write {}", shown(path)))
}

/// Writes a file like [`write_whole`]; the error does not name it.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    replaceable(path, Some(bytes))?;
    let folder = parent(path);
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().suffix(".tmp").tempfile_in(folder)?;
    file.write_all(bytes)?;
    #[cfg(unix)] // a temporary file is its owner's alone
    file.as_file().set_permissions(PermissionsExt::from_mode(0o644))?;
    file.persist(path).map_err(|refused| refused.error)?;
    Ok(())
}

/// Checks that nothing is at `path`, or a regular file of the kind of `bytes`.
pub(crate) fn replaceable(path: &Path, bytes: Option<&[u8]>) -> Result<()> {
    let there = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        there => there?.file_type(),
    };
    ensure!(!there.is_symlink(), "it is a link; name the file itself");
    ensure!(there.is_file(), "it is a folder, a device or a pipe, not a file");
    let mut start = Vec::new();
    fs::File::open(path)?.take(1024).read_to_end(&mut start)?;
    if let Some(bytes) = bytes.filter(|_| !start.is_empty()) {
        let (old, new) = (kind(&start), kind(bytes));
        let ours = old == new && old != OTHER;
        ensure!(ours, "it holds {old}, and this is {new}; remove it first");
    }
    Ok(())
}

/// What is none of ours, and is not replaced.
const OTHER: &str = "something else";

/// Returns what a file holds, judged by its first bytes.
fn kind(bytes: &[u8]) -> &'static str {
    match bytes {
        [_, _, _, 0, 0, 0, 0, 0, b'{', ..] => "a model", // safetensors
        [b'<', b's', b'v', b'g', ..] => "a figure",
        _ if bytes.starts_with(UNFINISHED.as_bytes()) => "an unfinished training",
        _ => OTHER,
    }
}

/// Checks that a file can be written into a folder, which is made.
pub(crate) fn writable(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    tempfile::tempfile_in(folder).map(drop)
}

/// Returns the folder of a file.
pub(crate) fn parent(path: &Path) -> &Path {
    let folder = path.parent().filter(|path| !path.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Returns the commands that the texts in `output`, `recorded` and `examples` of
/// the crates of `chapters` begin with, and those of the default runs.
pub(crate) fn recorded_commands(
    chapters: &Path,
) -> impl Iterator<Item = String> + use<> {
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries.filter_map(Result::ok).map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let texts = entries(chapters).into_iter().flat_map(move |chapter| {
        let folders = ["output", "recorded", "examples"];
        let texts = folders.map(|folder| entries(&chapter.join(folder))).concat();
        texts.into_iter().chain([chapter.join("output.txt")])
    });
    texts.filter(|path| path.extension().is_some_and(|kind| kind == "txt")).filter_map(
        |path| {
            let mut start = Vec::new();
            fs::File::open(path).ok()?.take(1024).read_to_end(&mut start).ok()?;
            let start = String::from_utf8_lossy(&start);
            let first = start.lines().next()?;
            first.strip_prefix("$ ").map(String::from)
        },
    )
}
