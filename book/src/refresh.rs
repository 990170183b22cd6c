//! `cargo run -p book -- refresh`: makes anew everything that the programs of
//! the chapters make, and that is committed beside them.

use crate::edit::record_edits;
use crate::listing::Files;
use crate::records::{Record, chapters, records};
use crate::root::{Work, write_file};
use crate::terminal::say;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the programs and the exercises of the chapters named in `only`, or of
/// all, and records what they print and draw; with `long` also the runs of
/// minutes. Then records the errors of what must not compile.
///
/// # Errors
/// There is no chapter of such a name, a program fails, or a file cannot be
/// written.
pub fn refresh(root: &Path, only: &[String], long: bool) -> Result<()> {
    let files = Files::new(root);
    let chapters = chapters(&files);
    if let Some(name) = only.iter().find(|name| !chapters.contains(name)) {
        bail!("no chapter {name}; there are {}", chapters.join(", "));
    }
    let chosen = |name: &&String| only.is_empty() || only.contains(name);
    // First, so that no run is in vain.
    let records = chapters.iter().filter(chosen).map(|name| records(&files, name));
    let records: Vec<Vec<Record>> = records.collect::<Result<_>>()?;
    // A folder that programs take for the repository: their figures and models
    // go there, and no model of an earlier day is found.
    let workshop = Work::take(root.join("target/refresh.work"))?;
    workshop.clear()?;
    fs::create_dir(workshop.path().join("chapters"))?;
    fs::write(workshop.path().join("book.toml"), "")?;
    for record in records.iter().flatten().filter(|record| long || !record.long) {
        make(root, workshop.path(), record)?;
    }
    if long {
        record_edits(root, only)?;
    }
    compile_errors(root, only)
}

/// Runs the command of a record, and writes it with what it prints, and what it
/// draws.
fn make(root: &Path, workshop: &Path, record: &Record) -> Result<()> {
    let Record { file, command, variables, words, .. } = record;
    if let Some(data) = record.data() {
        if !root.join(data).is_file() {
            return say(format_args!("left as it is: {file}, for want of {data}"));
        }
        fs::copy(root.join(data), workshop.join(data))?;
    }
    say(format_args!("$ {command}"))?;
    let output = cargo()
        .args(words)
        .envs(variables.iter().cloned())
        .env("CARGO_TERM_QUIET", "true")
        .current_dir(workshop)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "`{command}` failed");
    let bytes = [format!("$ {command}\n").as_bytes(), &output.stdout].concat();
    write_file(&root.join(file), &bytes)?;
    for figure in Files::new(workshop).under("book/figures", ".svg") {
        write_file(&root.join(&figure), &fs::read(workshop.join(&figure))?)?;
    }
    Ok(())
}

/// Lets trybuild write what the compiler says of each file in compile_fail/.
fn compile_errors(root: &Path, only: &[String]) -> Result<()> {
    say("$ TRYBUILD=overwrite cargo test --test the_book as_shown")?;
    let some = only.iter().map(|name| format!("trybuild=chapters/{name}/"));
    let status = cargo()
        .args(["test", "--quiet", "--test", "the_book", "--", "as_shown"])
        .args(some)
        .current_dir(root)
        .env("TRYBUILD", "overwrite")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("cannot start cargo")?;
    ensure!(
        status.success(),
        "something compiles that must not, or the other way round; \
         `cargo test --test the_book as_shown` says what"
    );
    Ok(())
}

/// The cargo that runs this program.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
