//! The committed files that hold what programs print: which there are, and
//! the command of each.

use crate::listing::{Files, command};
use anyhow::{Context, Error, Result};

/// A file whose first line is a command, and the rest what it prints.
pub struct Record {
    /// The file, from the root of the repository.
    pub file: String,
    /// The command as a reader types it.
    pub command: String,
    /// The variables before it.
    pub variables: Vec<(String, String)>,
    /// What comes after `cargo`.
    pub words: Vec<String>,
    /// Whether it is a run of minutes, in the folder `recorded`.
    pub long: bool,
}

impl Record {
    /// Takes a command apart.
    ///
    /// # Errors
    /// If it runs nothing of the chapter.
    fn new(file: String, command: &str, chapter: &str) -> Result<Self> {
        let parsed = || {
            let mut words = shlex::split(command)?;
            let cargo = words.iter().position(|word| word == "cargo")?;
            let variables = words.drain(..=cargo).take(cargo).map(|word| {
                let (name, value) = word.split_once('=')?;
                Some((name.to_string(), value.to_string()))
            });
            let variables = variables.collect::<Option<_>>()?;
            let runs = words.starts_with(&["run", "-p", chapter].map(String::from));
            runs.then_some((variables, words))
        };
        let (variables, words) = parsed().with_context(|| {
            format!("{file}: the first line is not `$ cargo run -p {chapter} …`")
        })?;
        let long = file.contains("/recorded/");
        Ok(Record { file, command: command.to_string(), variables, words, long })
    }

    /// Returns a file of the reader's own that the run reads.
    pub fn data(&self) -> Option<&String> {
        let at = self.words.iter().position(|word| word == "--data")?;
        self.words.get(at + 1)
    }
}

/// Returns the crates with a program to run.
pub fn chapters(files: &Files) -> Vec<String> {
    let programs = files.under("chapters", "main.rs");
    let name = |file: &String| {
        Some(file.strip_prefix("chapters/")?.strip_suffix("/src/main.rs")?.to_string())
    };
    programs.iter().filter_map(name).collect()
}

/// Returns the records of a chapter, in the order in which they are to be made: a
/// model that the default run trains is there for the others.
///
/// # Errors
/// If a file cannot be read, or names no command of the chapter.
pub fn records(files: &Files, chapter: &str) -> Result<Vec<Record>> {
    let run = format!("cargo run -p {chapter}");
    let of = |folder: &str, end| {
        files.under(&format!("chapters/{chapter}/{folder}"), end).into_iter()
    };
    let recorded = |file: String| {
        let text = files.text(&file).map_err(Error::msg)?;
        Record::new(file, command(&text).unwrap_or_default(), chapter)
    };
    let first = Record::new(format!("chapters/{chapter}/output.txt"), &run, chapter);
    let long: Vec<Record> =
        of("recorded", ".txt").map(recorded).collect::<Result<_>>()?;
    let examples = of("examples", ".rs").filter_map(|file| {
        let name = file.rsplit(['/', '.']).nth(1)?.to_string();
        let recorded = format!("chapters/{chapter}/recorded/{name}.txt");
        let file = file.replace(".rs", ".txt");
        let example = format!("{run} --example {name}");
        let is_short = long.iter().all(|record| record.file != recorded);
        is_short.then(|| Record::new(file, &example, chapter))
    });
    let short = [first].into_iter().chain(of("output", ".txt").map(recorded));
    let mut records: Vec<Record> = short.chain(examples).collect::<Result<_>>()?;
    records.extend(long);
    Ok(records)
}
