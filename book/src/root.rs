//! Where the repository is: found when the program runs, so that a copy or a
//! repository that was moved is the one that is built. And what is written in it.

use anyhow::{Context, Result};
use std::fs;
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The folder with `book.toml` and `chapters` that `start` is in.
///
/// # Errors
/// There is none.
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

/// Writes a file, and makes its folder if there is none. What was there stays
/// until the new one is whole.
///
/// # Errors
/// It cannot be written.
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
