//! Files: read up to a limit, written whole or not at all, and never in the
//! place of what we have not written.

use crate::terminal::printable;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// No file that a program reads is larger: 256 MiB.
const LIMIT: u64 = 256 << 20;

/// The root of the repository: upward from the current folder, the first that
/// has `book.toml` and `chapters/`.
///
/// # Errors
/// There is none.
pub fn find_root() -> Result<PathBuf> {
    let here = std::env::current_dir().context("there is no current folder")?;
    let is_root = |folder: &&Path| {
        folder.join("book.toml").is_file() && folder.join("chapters").is_dir()
    };
    let root = here.ancestors().find(is_root);
    Ok(root.context("not inside the book's repository")?.to_path_buf())
}

/// A path in the repository, short if the program was started at its root.
pub(crate) fn in_repository(root: &Path, path: &Path) -> PathBuf {
    match std::env::current_dir() {
        Ok(here) if here == root => path.to_path_buf(),
        _ => root.join(path),
    }
}

/// A path as it is printed: with forward slashes, on Windows too, and nothing in
/// it that steers a terminal.
pub fn shown(path: &Path) -> String {
    printable(&path.display().to_string().replace(MAIN_SEPARATOR, "/"))
}

/// Reads a file, or a pipe to its end.
///
/// # Errors
/// What the system reports, or the file is larger than 256 MiB; the message
/// names it.
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
/// What the system reports; or something else is in that place: a link, a
/// folder, a device, or a file that is not of the same kind of ours (figure,
/// model). The message names it.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    replace(path, bytes).with_context(|| format!("cannot write {}", shown(path)))
}

/// The same, without the name.
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

/// Whether nothing is at `path`, or a regular file of the kind of `bytes`.
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

/// What a file holds, from its first bytes.
fn kind(bytes: &[u8]) -> &'static str {
    match bytes {
        [_, _, _, 0, 0, 0, 0, 0, b'{', ..] => "a model", // safetensors
        [b'<', b's', b'v', b'g', ..] => "a figure",
        _ => OTHER,
    }
}

/// Finds out whether a file can be written into a folder, and makes the
/// folder.
pub(crate) fn writable(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    tempfile::tempfile_in(folder).map(drop)
}

/// The folder that a file is in.
pub(crate) fn parent(path: &Path) -> &Path {
    let folder = path.parent().filter(|path| !path.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}
