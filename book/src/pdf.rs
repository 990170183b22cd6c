//! The book as a PDF: its page for the printer, printed by a Chromium.

use crate::chromium::chromium;
use crate::root::Work;
use crate::server::{Builds, listen, serve};
use anyhow::{Context, Result, ensure};
use futures_util::future::{Either, select};
use mdbook_driver::config::Config;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::Stdio;
use std::thread;
use std::time::Duration;
use tokio::process::Command;
use tokio::signal::ctrl_c;
use tokio::time::timeout;

/// The longest time for the browser: on two busy cores it takes 10 seconds.
const LONGEST: Duration = Duration::from_secs(600);

/// Returns the browser that prints.
///
/// # Errors
/// If there is none.
pub fn printer() -> Result<PathBuf> {
    chromium()?.context(
        "no Chromium or Chrome is found, which prints the PDF; \
         install one, or name it: CHROMIUM=/path/to/chrome",
    )
}

/// Prints the pages of the book in `root` that were built in the folder `pages`.
///
/// # Errors
/// If there is no browser, or it prints nothing, or this process is told to end, which
/// ends the browser too.
pub fn pdf(root: &Path, pages: &Path) -> Result<Vec<u8>> {
    let config: Config = fs::read_to_string(root.join("book.toml"))?.parse()?;
    let program = printer()?;
    let listener = listen(0)?;
    let port = listener.local_addr()?.port();
    let served = pages.to_path_buf();
    // It ends with the process.
    thread::Builder::new()
        .spawn(move || serve(listener, &served, &Builds::default()))
        .context("cannot serve the pages")?;
    let work = Work::take(pages.with_extension("work")).context("no working folder")?;
    work.clear()?;
    let [file, log] = ["book.pdf", "log"].map(|name| work.path().join(name));
    let mut print = Command::new(&program);
    print
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update"])
        .args(["--disable-dev-shm-usage", "--no-pdf-header-footer"])
        .arg("--generate-pdf-document-outline")
        .arg(format!("--user-data-dir={}", work.path().join("profile").display()))
        .arg(format!("--print-to-pdf={}", file.display()))
        .arg(format!("http://127.0.0.1:{port}/print.html"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&log)?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        let mut browser = print.spawn()?;
        let told = timeout(LONGEST, told_to_end());
        let ended = match select(pin!(browser.wait()), pin!(told)).await {
            Either::Left((ended, _)) => ended,
            Either::Right((Err(_), _)) => Err(ErrorKind::TimedOut.into()),
            Either::Right((Ok(told), _)) => {
                told.and(Err(ErrorKind::Interrupted.into()))
            }
        };
        browser.kill().await.ok();
        ended
    });
    let program = program.display();
    let ended = ended.with_context(|| format!("{program} did not print the book"))?;
    let said = fs::read(&log).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().last().unwrap_or_default();
    let bytes = fs::read(&file).unwrap_or_default();
    let printed = ended.success() && bytes.starts_with(b"%PDF");
    ensure!(printed, "{program} did not print the book: {last}");
    Ok(with_author(bytes, &config.book.authors.join(", ")))
}

/// Waits until this process is told to end.
async fn told_to_end() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminated = signal(SignalKind::terminate())?;
        select(pin!(ctrl_c()), pin!(terminated.recv())).await;
        Ok(())
    }
    #[cfg(not(unix))]
    ctrl_c().await
}

/// Names the author where Chromium names itself, in as many bytes: a PDF has the offset
/// of each of its parts.
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
