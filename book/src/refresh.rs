//! `cargo run -p book -- refresh`: makes anew everything that the programs of
//! the chapters make, and that is committed beside them.

use crate::problem::slashed;
use crate::publish::{Aside, write_file};
use crate::records::{Call, Record, chapters, files, records};
use crate::terminal::say;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the programs and the exercises of the chapters named in `only`, or of
/// all, and records what they print and draw; with `long` also the runs of
/// minutes. Then records the errors of what must not compile.
///
/// # Errors
/// There is no chapter of such a name, a program fails, a file cannot be
/// written, or there is a figure that no run draws.
pub fn refresh(root: &Path, only: &[String], long: bool) -> Result<()> {
    let chapters = chapters(root)?;
    if let Some(name) = only.iter().find(|name| !chapters.contains(name)) {
        bail!("no chapter {name}; there are {}", chapters.join(", "));
    }
    let chosen = |name: &&String| only.is_empty() || only.contains(name);
    let chosen: Vec<&String> = chapters.iter().filter(chosen).collect();
    // First, so that no run is in vain.
    let all: Vec<Vec<Record>> =
        chosen.iter().map(|name| records(root, name)).collect::<Result<_>>()?;
    let mut strays = Vec::new();
    for (name, records) in chosen.iter().zip(&all) {
        strays.extend(chapter(root, name, records, long)?);
    }
    compile_errors(root, only)?;
    ensure!(strays.is_empty(), "made by no program: {}", strays.join(", "));
    Ok(())
}

/// Makes the records of a chapter and its figures. Gives the figures that no
/// run draws.
fn chapter(
    root: &Path,
    chapter: &str,
    records: &[Record],
    long: bool,
) -> Result<Vec<String>> {
    // A folder that programs take for the repository: their figures and models
    // go there, and no model of an earlier day is found.
    let aside = Aside::new(&root.join("target"))?;
    let workshop = aside.new_folder();
    fs::create_dir_all(workshop.join("chapters"))?;
    fs::write(workshop.join("book.toml"), "")?;
    for record in records.iter().filter(|record| long || !record.long) {
        make(root, &workshop, record)?;
    }
    let folder = Path::new("book/figures").join(chapter);
    let mut drawn = BTreeSet::new();
    for file in files(&workshop, &folder, "svg")? {
        write_file(&root.join(&file), &fs::read(workshop.join(&file))?)?;
        drawn.insert(slashed(&file));
    }
    // What a run of minutes has drawn stands in its record.
    for record in records.iter().filter(|record| record.long) {
        let text = fs::read_to_string(root.join(&record.file)).unwrap_or_default();
        let figures = text.lines().filter_map(|line| line.strip_prefix("figure: "));
        drawn.extend(figures.map(str::to_string));
    }
    let all = files(root, &folder, "svg")?.into_iter().map(|file| slashed(&file));
    Ok(all.filter(|file| !drawn.contains(file)).collect())
}

/// Runs the command of a record, and writes it with what it prints.
fn make(root: &Path, workshop: &Path, record: &Record) -> Result<()> {
    let Record { file, command, .. } = record;
    let call = Call::parse(command).context("the command was checked")?;
    if let Some(data) = call.data() {
        if !root.join(data).is_file() {
            let file = file.display();
            return Ok(say(format_args!("left as it is: {file}, for want of {data}"))?);
        }
        fs::copy(root.join(data), workshop.join(data))?;
    }
    say(format_args!("$ {command}"))?;
    let (what, rest) = call.words.split_first().context("the command was checked")?;
    let output = cargo()
        .arg(what)
        .arg("--quiet")
        .args(rest)
        .envs(call.variables)
        .current_dir(workshop)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "`{command}` failed");
    let bytes = [format!("$ {command}\n").as_bytes(), &output.stdout].concat();
    write_file(&root.join(file), &bytes)
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
