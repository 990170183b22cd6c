//! The Chromium or Chrome of this machine, which prints the book, and in which
//! the tests try its live figures.

use anyhow::{Result, bail};
use std::env;
use std::path::{Path, PathBuf};

/// Finds the Chromium or Chrome that `CHROMIUM` names, or an installed one.
///
/// # Errors
/// If `CHROMIUM` names a program that is not there.
pub fn chromium() -> Result<Option<PathBuf>> {
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "chrome",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    ];
    program("CHROMIUM", &names)
}

/// Finds the program that a variable of the environment names, or the first of these
/// names that is installed.
///
/// # Errors
/// If the variable names a program that is not there.
pub fn program(variable: &str, names: &[&str]) -> Result<Option<PathBuf>> {
    if let Some(named) = env::var_os(variable).filter(|name| !name.is_empty()) {
        let named = PathBuf::from(named);
        let Some(found) = on_path(&named) else {
            bail!("{variable} names {}, which is not there", named.display());
        };
        return Ok(Some(found));
    }
    Ok(names.iter().find_map(|name| on_path(Path::new(name))))
}

fn on_path(program: &Path) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut all = env::split_paths(&path).map(|folder| folder.join(program));
    all.find(|file| file.is_file())
}
