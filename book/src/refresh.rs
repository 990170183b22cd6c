//! `cargo run -p book -- refresh`: makes anew everything that the programs of
//! the chapters make, and that is committed beside them.

use crate::problem::slashed;
use crate::publish::{Aside, write_file};
use crate::records::{Call, Record, chapters, files, records};
use crate::terminal::say;
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs the programs and the exercises of the chapters named in `only`, or of
/// all, and records what they print and draw; with `long` also the runs of
/// minutes. Then records the errors of what must not compile. Says which files
/// changed.
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
    let before = generated(root, &chapters)?;
    let mut strays = Vec::new();
    for (name, records) in chosen.iter().zip(&all) {
        strays.extend(chapter(root, name, records, long)?);
    }
    strays.extend(errors_of_nothing(root, &chosen)?);
    compile_errors(root, only)?;
    let after = generated(root, &chapters)?;
    let mut changed = 0;
    for (path, bytes) in &after {
        let what = match before.get(path) {
            None => "new",
            Some(old) if old != bytes => "changed",
            Some(_) => continue,
        };
        say(format_args!("{what}: {}", path.display()))?;
        changed += 1;
    }
    say(format_args!("{} files, of which {changed} changed", after.len()))?;
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

/// Recorded errors without their program.
fn errors_of_nothing(root: &Path, chapters: &[&String]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for chapter in chapters {
        let folder = Path::new("chapters").join(chapter).join("compile_fail");
        let errors = files(root, &folder, "stderr")?.into_iter();
        let of_nothing =
            errors.filter(|file| !root.join(file).with_extension("rs").is_file());
        found.extend(of_nothing.map(|file| slashed(&file)));
    }
    Ok(found)
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

/// All files that a refresh may write, with what is in them.
fn generated(root: &Path, chapters: &[String]) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut all = BTreeMap::new();
    for chapter in chapters {
        let folder = Path::new("chapters").join(chapter);
        let mut paths = vec![folder.join("output.txt")];
        for (folder, extension) in [
            (folder.join("output"), "txt"),
            (folder.join("recorded"), "txt"),
            (folder.join("examples"), "txt"),
            (folder.join("compile_fail"), "stderr"),
            (Path::new("book/figures").join(chapter), "svg"),
        ] {
            paths.extend(files(root, &folder, extension)?);
        }
        for path in paths.into_iter().filter(|path| root.join(path).is_file()) {
            let bytes = fs::read(root.join(&path))
                .with_context(|| format!("cannot read {}", path.display()))?;
            all.insert(path, bytes);
        }
    }
    Ok(all)
}
