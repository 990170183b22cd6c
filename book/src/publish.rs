//! Puts a folder of pages in the place of the one before, and only there:
//! a folder is emptied or replaced if it carries the mark of this program.

use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The file that says that a folder was made by this program.
pub const MARK: &str = ".attention-compiled";

/// How the names of temporary folders begin.
const PREFIX: &str = ".attention-compiled-";

/// The file in them that is locked while their process lives.
const LOCK: &str = "lock";

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

/// A temporary folder, as beside a folder that is to be replaced. It is locked
/// while its process lives, so that what a killed one left is known as such.
pub struct Aside {
    folder: TempDir,
    _lock: File,
}

impl Aside {
    /// Makes one in `parent`, and removes those that killed processes left.
    ///
    /// # Errors
    /// `parent` cannot be made or written to.
    pub fn new(parent: &Path) -> io::Result<Self> {
        fs::create_dir_all(parent)?;
        remove_leftovers(parent);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        // It has its name only when it is locked.
        let unnamed = folder.path().join("new-lock");
        let lock = File::create_new(&unnamed)?;
        lock.lock()?;
        fs::rename(unnamed, folder.path().join(LOCK))?;
        Ok(Aside { folder, _lock: lock })
    }

    /// Where something new can be made.
    pub fn new_folder(&self) -> PathBuf {
        self.folder.path().join("new")
    }

    /// Moves the new pages to `folder`; those that were there go.
    ///
    /// # Errors
    /// They cannot be moved.
    pub fn replace(self, folder: &Path) -> io::Result<()> {
        let old = self.folder.path().join("old");
        // Another process may do the same at the same time.
        for n in 0.. {
            match fs::rename(folder, old.with_extension(n.to_string())) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(error);
                }
                _ => {}
            }
            match fs::rename(self.new_folder(), folder) {
                Ok(()) => break,
                Err(error) if n == 100 => return Err(error),
                Err(_) => {}
            }
        }
        Ok(())
    }
}

/// Removes our temporary folders whose processes are gone. One that cannot be
/// removed does no harm.
fn remove_leftovers(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if ours && folder && left(&entry.path()) {
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}

/// Whether no process has the folder. A moment passes between making one and
/// locking it, so a folder without its lock must have an age.
fn left(folder: &Path) -> bool {
    match File::open(folder.join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(_) => age(folder) >= 10,
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
        remove_leftover_files(folder);
        let mut file = tempfile::Builder::new().prefix(PREFIX).tempfile_in(folder)?;
        file.write_all(bytes)?;
        #[cfg(unix)] // a temporary file is its owner's alone
        file.as_file().set_permissions(PermissionsExt::from_mode(0o644))?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Removes our temporary files that are so old that no process writes them.
fn remove_leftover_files(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if ours && file && age(&entry.path()) >= 600 {
            fs::remove_file(entry.path()).ok();
        }
    }
}

/// How many seconds ago a file or folder was changed.
fn age(path: &Path) -> u64 {
    let changed = fs::metadata(path).and_then(|data| data.modified());
    let age = changed.ok().and_then(|changed| changed.elapsed().ok());
    age.unwrap_or_default().as_secs()
}
