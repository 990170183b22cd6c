//! The repository that the program is started in, so that a copy or a moved one is
//! the one that is built; and how files are written in it.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use tempfile::NamedTempFile;

/// Returns the folder with `book.toml` and `chapters` that `start` is in.
///
/// # Errors
/// If there is none.
pub fn find_root(start: &Path) -> Result<PathBuf> {
    let here = |folder: &&Path| {
        folder.join("book.toml").is_file() && folder.join("chapters").is_dir()
    };
    let found = start.ancestors().find(here);
    found.map(Path::to_path_buf).with_context(|| {
        let start = start.display();
        format!("{start} is not inside the book's repository; go there first")
    })
}

/// Writes a file, creating its folder if needed. The old file stays until the new
/// one is complete.
///
/// # Errors
/// If it cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    let write = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        #[cfg(unix)] // a temporary file is its owner's alone
        file.as_file().set_permissions(PermissionsExt::from_mode(0o644))?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// A folder for work in progress, used by one process at a time and removed when
/// dropped. What a killed process leaves in it is there for the next one to rescue
/// or [clear](Self::clear).
pub struct Work {
    folder: PathBuf,
    /// Locked as long as it is open.
    _lock: File,
}

impl Work {
    /// Takes the folder, waiting until no other process uses it.
    ///
    /// # Errors
    /// If the folder or the lock beside it cannot be written.
    pub fn take(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        let lock = File::create(folder.with_extension("lock"))?;
        // Some file systems have no locks.
        lock.lock().ok();
        Ok(Work { folder, _lock: lock })
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Empties the folder.
    ///
    /// # Errors
    /// If something in it cannot be removed.
    pub fn clear(&self) -> io::Result<()> {
        patiently(|| match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => fs::create_dir_all(&self.folder),
        })
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).ok();
    }
}

/// Retries `change` for up to half a second: a virus scanner may be busy with the
/// files.
///
/// # Errors
/// If it still fails then.
pub fn patiently(mut change: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    let mut result = change();
    for _ in 0..50 {
        if result.is_err() {
            thread::sleep(Duration::from_millis(10));
            result = change();
        }
    }
    result
}

/// Runs `other` on a second thread while `this` runs.
///
/// # Errors
/// If no thread can be started.
pub fn both<A, B: Send>(
    this: impl FnOnce() -> A,
    other: impl FnOnce() -> B + Send,
) -> Result<(A, B)> {
    thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, other);
        let other = other.context("cannot start a thread")?;
        let this = this();
        Ok((this, other.join().unwrap_or_else(|panic| resume_unwind(panic))))
    })
}
