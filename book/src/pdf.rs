//! The book as a PDF: its page for the printer, printed by a Chromium.

use crate::chromium::chromium;
use crate::server::{Builds, listen, serve};
use anyhow::{Context, Result, bail};
use mdbook_driver::config::Config;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long the browser may print.
const PATIENCE: Duration = Duration::from_secs(600);

/// Makes a PDF of the pages that were built in the folder `pages`, of the book in `root`.
///
/// # Errors
/// If there is no Chromium, or it prints nothing.
pub fn pdf(root: &Path, pages: &Path) -> Result<Vec<u8>> {
    let config: Config = fs::read_to_string(root.join("book.toml"))?.parse()?;
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
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut printing = print
        .spawn()
        .with_context(|| format!("{} cannot be started", program.display()))?;
    let mut errors = printing.stderr.take().context("has an end")?;
    let said = thread::spawn(move || {
        let mut text = Vec::new();
        errors.read_to_end(&mut text).ok();
        String::from_utf8_lossy(&text).into_owned()
    });
    let start = Instant::now();
    let status = loop {
        if let Some(status) = printing.try_wait()? {
            break status;
        }
        if start.elapsed() > PATIENCE {
            printing.kill()?;
            printing.wait()?;
            bail!("{} does not end printing the book", program.display());
        }
        thread::sleep(Duration::from_millis(50));
    };
    let bytes = fs::read(&file).unwrap_or_default();
    if !status.success() || !bytes.starts_with(b"%PDF") {
        let said = said.join().unwrap_or_default();
        let last = said.lines().last().unwrap_or_default();
        bail!("{} has not printed the book: {last}", program.display());
    }
    Ok(with_author(bytes, &config.book.authors.join(", ")))
}

/// A PDF with its author where Chromium names itself: in as many bytes, since a PDF
/// says at which byte each of its parts begins.
fn with_author(mut bytes: Vec<u8>, author: &str) -> Vec<u8> {
    let key = b"/Creator (";
    let Some(start) = bytes.windows(key.len()).position(|part| part == key) else {
        return bytes;
    };
    let end = bytes[start..].windows(2).position(|end| end == b")\n");
    let Some(room) = end.map(|end| end + 1) else { return bytes };
    let text = match author.is_ascii() {
        true => format!("({})", author.replace(['\\', '(', ')'], "")),
        false => {
            let units = author.encode_utf16().map(|unit| format!("{unit:04X}"));
            format!("<FEFF{}>", units.collect::<String>())
        }
    };
    let author = format!("{:room$}", format!("/Author {text}"));
    if author.len() == room {
        bytes.splice(start..start + room, author.into_bytes());
    }
    bytes
}
