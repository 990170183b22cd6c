//! `cargo run -p book -- try ch10_3/relu`: runs a program with an edited
//! definition, in a copy of the repository, so that no source changes.
//!
//! An edit is a file, `chapters/ch10_3/edits/relu.diff`: the command, the source,
//! the lines to take out, and the lines to put there.

use crate::listing::Files;
use crate::refresh::cargo;
use crate::root::write_file;
use crate::terminal::say;
use anyhow::{Context, Result, bail, ensure};
use std::env;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

/// One change of a source, and the command that shows its effect.
#[derive(Debug, PartialEq, Eq)]
pub struct Edit {
    /// The arguments of cargo.
    pub command: Vec<String>,
    /// The source, from the root.
    pub file: String,
    /// The lines that are taken out.
    pub old: String,
    /// The lines that stand there instead.
    pub new: String,
}

impl Edit {
    /// Reads an edit.
    ///
    /// # Errors
    /// If its text does not begin with `$ cargo …` and `--- file`, or takes
    /// nothing out.
    pub fn parse(text: &str) -> Result<Self> {
        let mut lines = text.lines();
        let mut after = |start: &str| {
            let line = lines.next().and_then(|line| line.strip_prefix(start));
            line.with_context(|| format!("expected a line that begins with {start:?}"))
        };
        let command = shlex::split(after("$ cargo ")?).context("unclosed quotes")?;
        let file = after("--- ")?.to_string();
        let part = |sign| -> String {
            let lines = text.lines().skip(2).filter_map(|line| line.strip_prefix(sign));
            lines.map(|line| format!("{line}\n")).collect()
        };
        let (old, new) = (part('-'), part('+'));
        ensure!(!old.is_empty(), "it takes no line out");
        Ok(Self { command, file, old, new })
    }

    /// Returns the source with the edit.
    ///
    /// # Errors
    /// If the lines to take out are not there exactly once.
    pub fn apply(&self, source: &str) -> Result<String> {
        let count = source.matches(&self.old).count();
        ensure!(
            count == 1,
            "the lines to take out are in {} {count} times, not once",
            self.file
        );
        Ok(source.replacen(&self.old, &self.new, 1))
    }
}

/// Runs the command of the edit `name`, such as `ch10_3/relu`, in a copy of the
/// repository with this edit.
///
/// # Errors
/// If there is no such edit, it does not fit its source, the copy cannot be
/// written, or the command fails.
pub fn try_edit(root: &Path, name: &str) -> Result<()> {
    let status = prepared(root, name)?.status().context("cannot start cargo")?;
    ensure!(status.success(), "the program with the edit {name} failed");
    Ok(())
}

/// Records what the programs print with each edit of the chapters named in `only`,
/// or of all.
///
/// # Errors
/// If an edit does not fit its source, its program fails, or a file cannot be
/// written.
pub fn record_edits(root: &Path, only: &[String]) -> Result<()> {
    for file in Files::new(root).under("chapters", ".diff") {
        let name = file.trim_start_matches("chapters/").trim_end_matches(".diff");
        let Some((chapter, edit)) = name.split_once("/edits/") else { continue };
        if !only.is_empty() && only.iter().all(|name| name != chapter) {
            continue;
        }
        let command = format!("$ cargo run -p book -- try {chapter}/{edit}");
        say(&command)?;
        let mut run = prepared(root, &format!("{chapter}/{edit}"))?;
        let output = run.stderr(Stdio::inherit()).output();
        let output = output.context("cannot start cargo")?;
        ensure!(output.status.success(), "`{command}` failed");
        let text = [format!("{command}\n").as_bytes(), &output.stdout].concat();
        write_file(&root.join(file.replace(".diff", ".txt")), &text)?;
    }
    Ok(())
}

/// Returns the command of an edit, ready to run in a copy with this edit.
fn prepared(root: &Path, name: &str) -> Result<Command> {
    let (chapter, edit) = name.split_once('/').unwrap_or((name, ""));
    let file = format!("chapters/{chapter}/edits/{edit}.diff");
    let Ok(text) = fs::read_to_string(root.join(&file)) else {
        bail!("no edit {name}: there is no {file}");
    };
    let edit = Edit::parse(&text).context(file)?;
    let source = fs::read_to_string(root.join(&edit.file))
        .with_context(|| format!("cannot read {}", edit.file))?;
    let edited = edit.apply(&source)?;
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into());
    let target = root.join(target);
    let copy = target.join("edited");
    copy_folder(root, &copy)
        .and_then(|()| fs::write(copy.join(&edit.file), edited))
        .with_context(|| format!("cannot write the copy in {}", copy.display()))?;
    let mut command = cargo();
    command.args(edit.command).env("CARGO_TERM_QUIET", "true");
    command.current_dir(&copy).env("CARGO_TARGET_DIR", &target);
    Ok(command)
}

/// Copies the sources; what has not changed keeps its time, so that cargo does
/// not compile it again.
fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == "target" || name.to_string_lossy().starts_with('.') {
            continue;
        }
        let (from, to) = (entry.path(), to.join(name));
        if entry.file_type()?.is_dir() {
            copy_folder(&from, &to)?;
        } else {
            fs::copy(&from, &to)?;
            File::options()
                .write(true)
                .open(&to)?
                .set_modified(entry.metadata()?.modified()?)?;
        }
    }
    Ok(())
}
