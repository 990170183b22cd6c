//! The book as a PDF: its page for the printer, printed by a Chromium.

use crate::chromium::chromium;
use crate::server::{Builds, listen, serve};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// Makes a PDF of the pages that were built in the folder `pages`.
///
/// # Errors
/// There is no Chromium, or it prints nothing.
pub fn pdf(pages: &Path) -> Result<Vec<u8>> {
    let program = chromium()?.context(
        "no Chromium or Chrome is found, which prints the PDF; \
         install one, or name it: CHROMIUM=/path/to/chrome",
    )?;
    let listener = listen(0)?;
    let port = listener.local_addr()?.port();
    let served = pages.to_path_buf();
    // It ends with the process.
    thread::Builder::new()
        .spawn(move || serve(listener, &served, &Builds::default()))
        .context("cannot serve the pages")?;
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let file = folder.path().join("book.pdf");
    let mut print = Command::new(&program);
    print
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update"])
        .args(["--disable-dev-shm-usage", "--no-pdf-header-footer"])
        .arg("--generate-pdf-document-outline")
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("--print-to-pdf={}", file.display()))
        .arg(format!("http://127.0.0.1:{port}/print.html"))
        .stdin(Stdio::null());
    let output = print
        .output()
        .with_context(|| format!("{} cannot be started", program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().last().unwrap_or_default();
    let bytes = fs::read(&file).unwrap_or_default();
    let printed = output.status.success() && bytes.starts_with(b"%PDF");
    ensure!(printed, "{} has not printed the book: {last}", program.display());
    Ok(bytes)
}
