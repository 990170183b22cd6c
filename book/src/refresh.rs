//! `cargo run -p book -- refresh`: regenerates everything that the programs of the
//! chapters make and that is committed beside them.

use crate::edit::record_edits;
use crate::listing::Files;
use crate::records::{Record, chapters, records};
use crate::root::{Work, write_file};
use crate::terminal::say;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the programs and the exercises of the chapters named in `only`, or of
/// all, and records what they print and draw; with `long` also the runs of
/// minutes. Then it records the errors of what must not compile.
///
/// # Errors
/// If there is no chapter of such a name, a program fails, or a file cannot be
/// written.
pub fn refresh(root: &Path, only: &[String], long: bool) -> Result<()> {
    // First, so that no run is in vain.
    let records = chosen(root, only)?;
    // A folder that programs take for the repository: their figures and models
    // go there, and no model of an earlier day is found.
    let workshop = Work::take(root.join("target/refresh.work"))?;
    workshop.clear()?;
    fs::create_dir(workshop.path().join("chapters"))?;
    fs::write(workshop.path().join("book.toml"), "")?;
    for record in records.iter().filter(|record| long || !record.long) {
        make(root, workshop.path(), record)?;
    }
    if long {
        record_edits(root, only)?;
    }
    compile_errors(root, only)
}

/// Returns the records of the chapters named in `only`, or of all.
fn chosen(root: &Path, only: &[String]) -> Result<Vec<Record>> {
    let files = Files::new(root);
    let chapters = chapters(&files);
    if let Some(name) = only.iter().find(|name| !chapters.contains(name)) {
        bail!("no chapter {name}; there are {}", chapters.join(", "));
    }
    let chosen = chapters.iter().filter(|name| only.is_empty() || only.contains(name));
    let records = chosen.map(|name| records(&files, name)).collect::<Result<Vec<_>>>();
    Ok(records?.into_iter().flatten().collect())
}

/// Writes into the records of long runs that they are of the settings and the
/// mechanism of today, and changes nothing else: for an author who knows that the
/// numbers would be the same. Says which records it changes.
///
/// # Errors
/// If there is no chapter of such a name, a program fails, or a file cannot be
/// written.
pub fn accept(root: &Path, only: &[String]) -> Result<()> {
    let mut records = chosen(root, only)?;
    records.retain(|record| record.long);
    let programs = build(root, &records)?;
    for record in &records {
        let Record { file, words, variables, command, .. } = record;
        let (cargo, own) = match words.iter().position(|word| word == "--") {
            Some(at) => (&words[..at], &words[at + 1..]),
            None => (&words[..], &[][..]),
        };
        let path = after(cargo, "--example").or(after(cargo, "-p"));
        let path = path.and_then(|name| programs.get(name));
        let output =
            Command::new(path.with_context(|| format!("`{command}` is not built"))?)
                .args(own)
                .arg("--print-settings")
                .envs(variables.iter().cloned())
                .current_dir(root)
                .stderr(Stdio::inherit())
                .output()
                .with_context(|| format!("cannot start `{command}`"))?;
        ensure!(output.status.success(), "`{command}` failed");
        let today = String::from_utf8_lossy(&output.stdout);
        let text = fs::read_to_string(root.join(file))
            .with_context(|| format!("cannot read {file}"))?;
        let accepted = with_origin(&text, &today)
            .with_context(|| format!("`{command}` prints no line `# settings …`"))?;
        if accepted != text {
            write_file(&root.join(file), accepted.as_bytes())?;
            let [before, after] =
                [&text, &accepted].map(|text| origin(text).join(", "));
            say(format_args!("{file}: {before} -> {after}"))?;
        }
    }
    Ok(())
}

/// Returns the word behind a flag.
fn after<'a>(words: &'a [String], flag: &str) -> Option<&'a String> {
    words.windows(2).find(|two| two[0] == flag).map(|two| &two[1])
}

/// Builds the programs and examples of all chapters at once, with the features that
/// the records ask for, and returns their paths by name.
fn build(root: &Path, records: &[Record]) -> Result<BTreeMap<String, String>> {
    let features = records.iter().filter_map(|record| {
        let feature = after(&record.words, "--features")?;
        Some(format!("{}/{feature}", after(&record.words, "-p")?))
    });
    let features = Vec::from_iter(BTreeSet::from_iter(features)).join(",");
    say("$ cargo build --workspace --bins --examples")?;
    let output = cargo()
        .args(["build", "--quiet", "--workspace", "--bins", "--examples"])
        .args(["--message-format", "json-render-diagnostics", "--features", &features])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "the programs cannot be built");
    let text = String::from_utf8_lossy(&output.stdout);
    let program = |line| {
        let one: Value = serde_json::from_str(line).ok()?;
        let name = one["target"]["name"].as_str()?.to_string();
        Some((name, one["executable"].as_str()?.to_string()))
    };
    Ok(text.lines().filter_map(program).collect())
}

/// Returns the lines of a text that say what it was made by, `# settings …`.
fn origin(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("# settings ")).collect()
}

/// Returns a record with the lines of today in place of its own, or behind its first
/// line; none if there are none today.
fn with_origin(text: &str, today: &str) -> Option<String> {
    let (old, new) = (origin(text), origin(today));
    let at = text.lines().position(|line| old.contains(&line)).unwrap_or(1);
    let kept: Vec<&str> = text.lines().filter(|line| !old.contains(line)).collect();
    let (before, after) = kept.split_at_checked(at)?;
    let lines = [before, &new, after].concat();
    (!new.is_empty()).then(|| lines.join("\n") + "\n")
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

/// Lets trybuild record what the compiler says of each file in compile_fail/.
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

/// Returns the cargo that runs this program.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
