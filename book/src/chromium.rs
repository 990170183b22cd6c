//! The Chromium or Chrome of this machine, which prints the book, and in which
//! the tests try its live figures.

use anyhow::{Result, bail};
use std::env;
use std::path::{Path, PathBuf};

/// Which program it is: the one that `CHROMIUM` names, or one that is found.
///
/// # Errors
/// There is none of the name that `CHROMIUM` has.
pub fn chromium() -> Result<Option<PathBuf>> {
    if let Some(named) = env::var_os("CHROMIUM").filter(|name| !name.is_empty()) {
        let named = PathBuf::from(named);
        let Some(found) = on_path(&named) else {
            bail!("CHROMIUM names {}, which is not there", named.display());
        };
        return Ok(Some(found));
    }
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "chrome",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    ];
    Ok(names.iter().find_map(|name| on_path(Path::new(name))))
}

fn on_path(program: &Path) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut all = env::split_paths(&path).map(|folder| folder.join(program));
    all.find(|file| file.is_file())
}
