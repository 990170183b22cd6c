//! The committed records of what programs print: their commands, what is
//! declared of them, and that those of long runs are not stale.

use crate::repository::{Built, files, read, root, sections};

/// A file whose first line is a command, and the rest what it prints.
pub struct Record {
    /// The section.
    pub section: String,
    /// The file, from the folder of the section.
    pub file: String,
    /// The example that is run, or else the section's program.
    pub example: Option<String>,
    /// What comes after `--` in the command.
    pub arguments: Vec<String>,
    /// The variables before it.
    pub variables: Vec<(String, String)>,
}

impl Record {
    /// Reads the command; none if it runs no program of the section.
    fn new(section: &str, file: &str) -> Option<Self> {
        let text = read(&format!("chapters/{section}/{file}"));
        let command = text.lines().next()?.strip_prefix("$ ")?;
        let (before, rest) = command.split_once("cargo run -p ")?;
        let (cargo, arguments) = rest.split_once(" -- ").unwrap_or((rest, ""));
        let mut cargo = cargo.split_whitespace();
        let own = cargo.next() == Some(section);
        let example = match (cargo.next(), cargo.next()) {
            (Some("--example"), example) => example.map(str::to_string),
            _ => None,
        };
        // What is quoted is one word.
        let mut words = Vec::new();
        for (n, piece) in arguments.split('"').enumerate() {
            match n % 2 {
                0 => words.extend(piece.split_whitespace().map(str::to_string)),
                _ => words.push(piece.to_string()),
            }
        }
        let variables = before.split_whitespace().filter_map(|word| {
            word.split_once('=').map(|(name, value)| (name.into(), value.into()))
        });
        own.then(|| Record {
            section: section.to_string(),
            file: file.to_string(),
            example,
            arguments: words,
            variables: variables.collect(),
        })
    }

    /// The built program.
    pub fn program<'a>(&self, built: &'a Built) -> &'a str {
        let (kind, name) = match &self.example {
            Some(example) => ("example", example),
            None => ("bin", &self.section),
        };
        let key = (kind.to_string(), name.clone());
        built.get(&key).unwrap_or_else(|| panic!("{}: no {name}", self.file))
    }

    /// The file, from the root of the repository.
    pub fn path(&self) -> String {
        format!("chapters/{}/{}", self.section, self.file)
    }
}

/// The records of a section: first the default run, whose model others use,
/// then the commands of its side pages, then the answers.
pub fn short(section: &str) -> Vec<Record> {
    let folder = format!("chapters/{section}/");
    let mut names = vec!["output.txt".to_string()];
    for kind in ["output", "examples"] {
        let found = files(&format!("{folder}{kind}"), "txt").into_iter();
        names.extend(found.map(|file| file[folder.len()..].to_string()));
    }
    let record = |name: &String| {
        let record = Record::new(section, name);
        record.unwrap_or_else(|| panic!("{folder}{name}: no command in its first line"))
    };
    names.iter().map(record).collect()
}

/// The records of runs of minutes that a program of a section makes; those of
/// benches are not among them.
fn long() -> Vec<Record> {
    let mut records = Vec::new();
    for section in sections() {
        let folder = format!("chapters/{section}/");
        for file in files(&format!("{folder}recorded"), "txt") {
            let bench = format!("$ cargo bench -p {section} ");
            match Record::new(&section, &file[folder.len()..]) {
                Some(record) => records.push(record),
                None => assert!(read(&file).starts_with(&bench), "{file}: no command"),
            }
        }
    }
    records
}

#[test]
fn a_long_run_was_recorded_with_the_settings_of_today() {
    let mut faults = Vec::new();
    for record in long() {
        let output =
            std::process::Command::new(record.program(crate::repository::built()))
                .args(&record.arguments)
                .arg("--print-settings")
                .current_dir(root())
                .output()
                .expect("starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let settings = text.lines().find(|line| line.starts_with("# settings "));
        let recorded = read(&record.path());
        if !settings.is_some_and(|line| recorded.lines().any(|known| known == line)) {
            let settings = settings.unwrap_or("no line `# settings …`");
            faults.push(format!("{}: of today is {settings}", record.path()));
        }
    }
    let help = "`cargo run -p book -- refresh --records` makes them anew";
    assert!(faults.is_empty(), "\n{}\n{help}\n", faults.join("\n"));
}

/// Every figure is named by the record of a run.
#[test]
fn every_committed_figure_is_drawn() {
    let mut drawn = Vec::new();
    for file in files("chapters", "txt") {
        let text = read(&file);
        let figures = text.lines().filter_map(|line| line.strip_prefix("figure: "));
        drawn.extend(figures.map(str::to_string));
    }
    let mut figures = files("book/figures", "svg");
    figures.retain(|file| !drawn.contains(file));
    assert!(figures.is_empty(), "drawn by no program: {figures:?}");
}

/// What is not a section has no records and no exercises: nothing that a page
/// would show.
#[test]
fn what_has_no_page_has_nothing_to_show() {
    for file in files("chapters", "txt") {
        let section = file.split('/').nth(1).expect("is in a crate");
        let record = ["/output.txt", "/output/", "/examples/", "/recorded/"];
        let shown = record.iter().any(|place| file.contains(place));
        assert!(!shown || sections().iter().any(|name| name == section), "{file}");
    }
}
