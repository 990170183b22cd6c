//! Where the repository is: found when the program runs, so that a copy or a
//! repository that was moved is the one that is built.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

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
