//! The committed records of what programs print: their commands, and that
//! those of long runs are of today's settings.

use crate::repository::{Built, built, files, none, read, root, sections};
use std::process::Command;

/// A file whose first line is a command, and the rest what it prints.
pub struct Record {
    /// The file, from the root of the repository.
    pub file: String,
    /// The kind and the name of what is run: the section's program or an example.
    target: (String, String),
    /// What comes after `--` in the command.
    arguments: Vec<String>,
    /// The variables before it.
    variables: Vec<(String, String)>,
}

impl Record {
    /// Reads the command; none if it runs no program of the section.
    fn new(section: &str, file: String) -> Option<Self> {
        let text = read(&file);
        let words = shlex::split(text.lines().next()?.strip_prefix("$ ")?)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let start = words.iter().position(|word| *word == "cargo")?;
        let end = words.iter().position(|word| *word == "--").unwrap_or(words.len());
        let target = match words[start + 1..end] {
            ["run", "-p", of] if of == section => ("bin", of),
            ["run", "-p", of, "--example", name] if of == section => ("example", name),
            _ => return None,
        };
        let variables = words[..start].iter().filter_map(|word| word.split_once('='));
        Some(Record {
            file,
            target: (target.0.into(), target.1.into()),
            arguments: words
                .iter()
                .skip(end + 1)
                .map(|word| word.to_string())
                .collect(),
            variables: variables
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        })
    }

    /// The built program with its arguments.
    pub fn command(&self, built: &Built) -> Command {
        let path = built.get(&self.target);
        let path = path.unwrap_or_else(|| panic!("{}: no such program", self.file));
        let mut command = Command::new(path);
        command.args(&self.arguments).envs(self.variables.iter().cloned());
        command
    }

    /// What is recorded, without the command.
    pub fn text(&self) -> String {
        let text = read(&self.file);
        text.split_once('\n').map(|(_, rest)| rest.to_string()).unwrap_or_default()
    }
}

/// The records of a section: first the default run, whose model others use,
/// then the commands of its side pages, then the answers.
pub fn short(section: &str) -> Vec<Record> {
    let folder = format!("chapters/{section}");
    let mut names = vec![format!("{folder}/output.txt")];
    names.extend(files(&format!("{folder}/output"), "txt"));
    names.extend(files(&format!("{folder}/examples"), "txt"));
    let record = |file: String| {
        let text = format!("{file}: no command of the section in its first line");
        Record::new(section, file).expect(&text)
    };
    names.into_iter().map(record).collect()
}

#[test]
fn a_long_run_was_recorded_with_the_settings_of_today() {
    let mut faults = Vec::new();
    for section in sections() {
        for file in files(&format!("chapters/{section}/recorded"), "txt") {
            let Some(record) = Record::new(&section, file.clone()) else {
                // What only measures is not built with the rest.
                let text = read(&file);
                let command = text.lines().next().unwrap_or_default();
                let kinds = [
                    format!("bench -p {section}"),
                    format!("run -p {section} --features measure"),
                ];
                assert!(
                    kinds.iter().any(|kind| command.contains(kind)),
                    "{file}: no command"
                );
                continue;
            };
            let mut command = record.command(built());
            let output = command.arg("--print-settings").current_dir(root()).output();
            let text = output.expect("starts").stdout;
            let text = String::from_utf8_lossy(&text);
            let settings = text.lines().find(|line| line.starts_with("# settings "));
            let recorded = record.text();
            if !settings.is_some_and(|line| recorded.lines().any(|known| known == line))
            {
                let settings = settings.unwrap_or("no line `# settings …`");
                faults.push(format!(
                    "{file}: of today is {settings}; \
                     `cargo run -p book -- refresh --records {section}` makes it anew"
                ));
            }
        }
    }
    none(faults);
}

/// Every figure is named by the record of a run.
#[test]
fn every_committed_figure_is_drawn() {
    let records: String =
        files("chapters", "txt").iter().map(|file| read(file)).collect();
    let mut figures = files("book/figures", "svg");
    figures.retain(|file| !records.contains(&format!("figure: {file}\n")));
    assert!(figures.is_empty(), "drawn by no program: {figures:?}");
}
