//! The committed records of what programs print: their commands, and that
//! those of long runs are of today's settings.

use crate::repository::{built, files, none, read, root, sections};
use std::process::Command;

/// A command of Cargo that runs a program or an example.
pub struct Call {
    /// The kind and the name of what is run.
    target: (String, String),
    /// What comes after `--`.
    pub arguments: Vec<String>,
    /// The variables before it.
    variables: Vec<(String, String)>,
}

impl Call {
    /// Takes a command apart; none if it runs nothing.
    pub fn parse(command: &str) -> Option<Self> {
        let words = shlex::split(command)?;
        let start = words.iter().position(|word| word == "cargo")?;
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        let own = &words[start + 1..end];
        let after = |flag: &str| {
            own.windows(2).find(|two| two[0] == flag).map(|two| two[1].clone())
        };
        let target = match after("--example") {
            Some(name) => ("example".into(), name),
            None => ("bin".into(), after("-p").unwrap_or("book".into())),
        };
        let variables = words[..start].iter().filter_map(|word| word.split_once('='));
        (own.first()? == "run").then(|| Call {
            target,
            arguments: words.iter().skip(end + 1).cloned().collect(),
            variables: variables
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        })
    }

    /// The built program with its arguments.
    pub fn command(&self) -> Command {
        let path = built().get(&self.target);
        let path = path.unwrap_or_else(|| panic!("{:?} is not built", self.target));
        let mut command = Command::new(path);
        command.args(&self.arguments).envs(self.variables.iter().cloned());
        command
    }
}

/// A file whose first line is a command, and the rest what it prints.
pub struct Record {
    /// The file, from the root of the repository.
    pub file: String,
    /// What is run.
    pub call: Call,
    /// What it printed.
    pub text: String,
}

impl Record {
    fn new(file: String) -> Self {
        let text = read(&file);
        let (first, text) = text.split_once('\n').unwrap_or_default();
        let call = first.strip_prefix("$ ").and_then(Call::parse);
        let call =
            call.unwrap_or_else(|| panic!("{file}: no command in its first line"));
        Record { call, text: text.to_string(), file }
    }
}

/// The records of a section: first the default run, whose model others use,
/// then the commands of its side pages, then the answers.
pub fn short(section: &str) -> Vec<Record> {
    let folder = format!("chapters/{section}");
    let mut names = vec![format!("{folder}/output.txt")];
    names.extend(files(&format!("{folder}/output"), "txt"));
    names.extend(files(&format!("{folder}/examples"), "txt"));
    names.into_iter().map(Record::new).collect()
}

/// A long run is not repeated: its record says of which settings it is, and which
/// libraries computed it.
#[test]
fn a_long_run_was_recorded_with_the_settings_and_the_code_of_today() {
    let mut faults = Vec::new();
    for section in sections() {
        let remake = format!("`cargo run -p book -- refresh --records {section}`");
        let accept = format!("`cargo run -p book -- refresh --accept {section}`");
        for file in files(&format!("chapters/{section}/recorded"), "txt") {
            let Record { file, call, text } = Record::new(file);
            let recorded =
                text.lines().find_map(|line| line.strip_prefix("# settings "));
            let (settings, mechanism) = recorded
                .and_then(|line| line.split_once(", mechanism "))
                .unwrap_or_default();
            let mut fault = |what: &str, kind: &str| {
                faults.push(format!(
                    "{file}: made by {what}: {remake} makes it again; {accept} if {kind}"
                ));
            };
            // What measures time is built only when it is run, and has the name of its
            // section.
            let measures = read(&file).contains("--features measure");
            let name = if measures { &section } else { &call.target.1 };
            if mechanism != support::mechanism(name) {
                fault("other code", "its numbers are known to be the same");
            }
            if measures {
                continue;
            }
            let mut command = call.command();
            let output = command.arg("--print-settings").current_dir(root()).output();
            let today = output.expect("starts").stdout;
            let today = String::from_utf8_lossy(&today);
            let today = today.lines().find_map(|line| line.strip_prefix("# settings "));
            let today =
                today.unwrap_or_else(|| panic!("{file}: no line `# settings …`"));
            if today.split(',').next() != Some(settings) {
                fault("other settings", "only a name has changed");
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
