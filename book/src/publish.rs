//! Puts a folder of pages in the place of the one before, and only there:
//! a folder is emptied or replaced if it carries the mark of this program.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// The file that says that a folder was made by this program.
pub const MARK: &str = ".attention-compiled";

/// How the names of temporary folders begin.
const PREFIX: &str = ".attention-compiled-";

/// No build takes so long: what is older was left by a killed one.
const LEFT: Duration = Duration::from_secs(3600);

const TEXT: &str = "Made by the book builder, which empties this folder.\n";

/// Marks a folder as one that may be emptied.
///
/// # Errors
/// It cannot be written to.
pub fn mark(folder: &Path) -> io::Result<()> {
    fs::write(folder.join(MARK), TEXT)
}

/// Finds out whether a folder may be emptied or replaced: there is none, or
/// it is empty, or it is marked.
///
/// # Errors
/// What stands there instead.
pub fn replaceable(folder: &Path) -> Result<(), String> {
    let name = folder.display();
    let Ok(data) = fs::symlink_metadata(folder) else { return Ok(()) };
    if data.is_symlink() {
        return Err(format!("build-dir {name} is a link; name a folder"));
    }
    if !data.is_dir() {
        return Err(format!("build-dir {name} is no folder"));
    }
    let mut entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return Err(format!("build-dir {name}: {error}")),
    };
    if entries.next().is_none() || folder.join(MARK).is_file() {
        return Ok(());
    }
    Err(format!(
        "build-dir {name} has files that this program did not make; \
         delete it or name another folder"
    ))
}

/// A temporary folder beside one that is to be replaced.
pub struct Aside(TempDir);

impl Aside {
    /// Makes one in `parent`, and removes those that killed processes left.
    ///
    /// # Errors
    /// `parent` cannot be made or written to.
    pub fn new(parent: &Path) -> io::Result<Self> {
        fs::create_dir_all(parent)?;
        for entry in fs::read_dir(parent)?.flatten() {
            let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
            let changed = entry.metadata().and_then(|data| data.modified()).ok();
            let age = changed.and_then(|changed| changed.elapsed().ok());
            if ours && age.is_some_and(|age| age > LEFT) {
                fs::remove_dir_all(entry.path()).ok();
            }
        }
        Ok(Aside(tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?))
    }

    /// Where something new can be made.
    pub fn new_folder(&self) -> PathBuf {
        self.0.path().join("new")
    }

    /// Moves the new pages to `folder`; those that were there go.
    ///
    /// # Errors
    /// They cannot be moved.
    pub fn replace(self, folder: &Path) -> io::Result<()> {
        let old = self.0.path().join("old");
        let mut moved = Ok(());
        // Another process may do the same at the same time, and a virus scanner
        // may have a file open.
        for n in 0..50 {
            fs::rename(folder, old.with_extension(n.to_string())).ok();
            moved = fs::rename(self.new_folder(), folder);
            if moved.is_ok() {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        moved
    }
}

/// Writes a file beside its place and moves it there when it is complete. Only
/// a regular file is replaced.
///
/// # Errors
/// Something else stands there, or the folder cannot be written to.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let other = fs::symlink_metadata(path).is_ok_and(|data| !data.is_file());
    ensure!(!other, "{} is no regular file", path.display());
    let write = || -> io::Result<()> {
        let folder = path.parent().unwrap_or(path);
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(PREFIX).tempfile_in(folder)?;
        file.write_all(bytes)?;
        #[cfg(unix)] // a temporary file is its owner's alone
        file.as_file().set_permissions(PermissionsExt::from_mode(0o644))?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
