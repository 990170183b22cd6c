//! The committed files that hold what programs print: which there are, and
//! the command of each.

use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// A file whose first line is a command, and the rest what it prints.
pub struct Record {
    /// The file, from the root of the repository.
    pub file: PathBuf,
    /// The command as a reader types it.
    pub command: String,
    /// Whether it is a run of minutes, in the folder `recorded`.
    pub long: bool,
}

/// The crates with a program to run.
///
/// # Errors
/// A folder cannot be read.
pub fn chapters(root: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for path in entries(&root.join("chapters"))? {
        if path.join("src/main.rs").is_file() {
            names.push(stem(&path));
        }
    }
    Ok(names)
}

/// The records of a chapter, in the order in which they are to be made: a
/// model that the default run trains is there for the others.
///
/// # Errors
/// A file names no command of the chapter, or there is a record of nothing.
pub fn records(root: &Path, chapter: &str) -> Result<Vec<Record>> {
    let folder = Path::new("chapters").join(chapter);
    let named = |file: PathBuf, command: String| Record { file, command, long: false };
    let command = format!("cargo run -p {chapter}");
    let mut records = vec![named(folder.join("output.txt"), command.clone())];
    for file in files(root, &folder.join("output"), "txt")? {
        let command = first_line(root, &file, chapter)?;
        records.push(named(file, command));
    }
    let mut long = Vec::new();
    for file in files(root, &folder.join("recorded"), "txt")? {
        let command = first_line(root, &file, chapter)?;
        long.push(Record { file, command, long: true });
    }
    let recorded =
        |stem: &str| long.iter().any(|record| self::stem(&record.file) == stem);
    let examples = folder.join("examples");
    for file in files(root, &examples, "rs")? {
        let stem = stem(&file);
        if !recorded(&stem) {
            let command = format!("{command} --example {stem}");
            records.push(named(file.with_extension("txt"), command));
        }
    }
    for file in files(root, &examples, "txt")? {
        let known = records.iter().any(|record| record.file == file);
        ensure!(known, "{}: there is no such example to run", file.display());
    }
    records.extend(long);
    Ok(records)
}

/// The command in the first line of a record of a chapter.
fn first_line(root: &Path, file: &Path, chapter: &str) -> Result<String> {
    let text = fs::read_to_string(root.join(file))
        .with_context(|| format!("cannot read {}", file.display()))?;
    let line = text.lines().next().unwrap_or_default();
    let command = line.strip_prefix("$ ").map(str::trim).unwrap_or_default();
    if Call::parse(command).is_none_or(|call| call.chapter() != Some(chapter)) {
        let file = file.display();
        bail!("{file}: the first line is not `$ cargo run -p {chapter} …`");
    }
    Ok(command.to_string())
}

/// A command taken apart.
pub struct Call {
    /// The variables before it.
    pub variables: Vec<(String, String)>,
    /// What comes after `cargo`.
    pub words: Vec<String>,
}

impl Call {
    /// Takes a command apart; none if it runs nothing of this workspace.
    pub fn parse(command: &str) -> Option<Self> {
        let mut words = shlex::split(command)?;
        let cargo = words.iter().position(|word| word == "cargo")?;
        let variables = words.drain(..=cargo).take(cargo);
        let variables = variables
            .map(|word| {
                word.split_once('=').map(|(name, value)| (name.into(), value.into()))
            })
            .collect::<Option<Vec<(String, String)>>>()?;
        let runs = words.first().is_some_and(|word| word == "run" || word == "bench");
        runs.then_some(Call { variables, words })
    }

    fn after(&self, flag: &str) -> Option<&str> {
        let at = self.words.iter().position(|word| word == flag)?;
        self.words.get(at + 1).map(String::as_str)
    }

    fn chapter(&self) -> Option<&str> {
        self.after("-p")
    }

    /// A file of the reader's own that the run reads.
    pub fn data(&self) -> Option<&str> {
        self.after("--data")
    }
}

/// The files of one kind in a folder of the repository, sorted.
///
/// # Errors
/// The folder cannot be read.
pub fn files(root: &Path, folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files = entries(&root.join(folder))?;
    files.retain(|path| path.extension() == Some(OsStr::new(extension)));
    let short = |path: PathBuf| path.strip_prefix(root).map(Path::to_path_buf);
    Ok(files.into_iter().map(short).collect::<Result<_, _>>()?)
}

/// What is in a folder, sorted; nothing if it is not there.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let read = || -> std::io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths =
        read().with_context(|| format!("cannot read {}", folder.display()))?;
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
