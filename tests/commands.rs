//! What the README, CONTRIBUTING.md and the pages say works: every command in
//! them is real, and the README's table is that of the crates and the pages.

use crate::repository::{built, files, none, packages, read, root, sections, targets};
use serde_json::Value;
use std::collections::HashMap;
use std::process::Command;

/// What stands for one of several names in prose.
const PLACEHOLDERS: [&str; 2] = ["ch10_N", "exercise_N"];

/// The commands of Cargo that the book may name.
const KNOWN: [&str; 9] =
    ["run", "test", "bench", "build", "check", "clippy", "fmt", "doc", "tree"];

/// Flags of Cargo without a value.
const FLAGS: [&str; 12] = [
    "--workspace",
    "--all-targets",
    "--all",
    "--release",
    "--locked",
    "--quiet",
    "-q",
    "--examples",
    "--lib",
    "--no-deps",
    "--open",
    "--bins",
];

fn documents() -> Vec<String> {
    let mut files = files("book/en", "md");
    files.extend(["README.md", "CONTRIBUTING.md"].map(String::from));
    files.push("tests/fixtures/README.md".into());
    files
}

/// The commands of a text with their lines: those in `sh` fences, and spans of
/// code that begin with `cargo`.
fn commands(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fence: Option<bool> = None;
    let (mut prose, mut first) = (String::new(), 1);
    for (n, line) in text.lines().chain([""]).enumerate() {
        match (line.trim_start().strip_prefix("```"), fence) {
            (Some(_), Some(_)) => fence = None,
            (Some(kind), None) => fence = Some(matches!(kind, "sh" | "console")),
            (None, Some(true)) => {
                let line = line.trim_start_matches("$ ");
                let command = line.split("  #").next().unwrap_or_default();
                if !command.trim().is_empty() && !command.starts_with('#') {
                    found.push((n + 1, command.trim().to_string()));
                }
            }
            (None, Some(false)) => {}
            // A span of code may be broken at the end of a line.
            (None, None) if line.is_empty() => {
                for code in prose.split('`').skip(1).step_by(2) {
                    let code = code.trim().trim_start_matches("$ ");
                    if code.starts_with("cargo ") || code.contains(" cargo ") {
                        found.push((first, code.to_string()));
                    }
                }
                (prose, first) = (String::new(), n + 2);
            }
            (None, None) => prose += &format!("{line} "),
        }
    }
    found
}

/// The targets of the workspace by kind, and what each program's --help says.
struct Workspace {
    packages: Vec<Value>,
    help: HashMap<String, String>,
}

impl Workspace {
    fn new() -> Self {
        Workspace { packages: packages(), help: HashMap::new() }
    }

    fn package(&self, name: &str) -> bool {
        PLACEHOLDERS.contains(&name)
            || self.packages.iter().any(|package| package["name"] == name)
    }

    fn target(&self, kind: &str, name: &str, package: Option<&str>) -> bool {
        let mut packages = self
            .packages
            .iter()
            .filter(|p| package.is_none_or(|package| p["name"] == package));
        PLACEHOLDERS.iter().any(|some| name.contains(some))
            || package.is_some_and(|name| PLACEHOLDERS.contains(&name))
            || packages.any(|p| targets(p, kind).iter().any(|t| t.0 == name))
    }

    /// What a program says of its flags, or those of what it is asked to do.
    fn help(&mut self, kind: &str, program: &str, what: Option<&str>) -> &str {
        let section = sections().first().cloned().unwrap_or_default();
        let program = match PLACEHOLDERS.contains(&program) {
            true => section.as_str(),
            false => program,
        };
        let name = [&[program], what.as_slice()].concat().join(" ");
        self.help.entry(name).or_insert_with_key(|name| {
            let path = &built()[&(kind.to_string(), program.to_string())];
            let output = Command::new(path).args(what).arg("--help").output();
            let output = output.expect("starts");
            assert!(output.status.success(), "{name} --help failed");
            String::from_utf8(output.stdout).expect("help is UTF-8")
        })
    }

    /// What is wrong with a command, if anything.
    fn fault(&mut self, command: &str) -> Option<String> {
        // Up to what is left out.
        let command = command.split('…').next().unwrap_or_default();
        // What is quoted is the reader's own.
        let command: String = command.split('"').step_by(2).collect();
        let words: Vec<&str> = command.split_whitespace().collect();
        let start = words.iter().position(|word| !word.contains('='));
        let words = &words[start.unwrap_or(0)..];
        match words {
            ["cargo", "install", "--locked", tool] => {
                (!tool.starts_with("mdbook@")).then(|| format!("what is {tool}?"))
            }
            ["cargo", what, rest @ ..] if KNOWN.contains(what) => {
                let cut = rest.iter().position(|&word| word == "--");
                let (own, rest) = rest.split_at(cut.unwrap_or(rest.len()));
                self.cargo(what, own, rest.get(1..).unwrap_or_default())
            }
            ["cargo", what, ..] => Some(format!("no `cargo {what}` is known")),
            [file] if file.starts_with('.') => {
                (!root().join(file).is_file()).then(|| format!("no {file}"))
            }
            // What it takes to make the numbers from PyTorch anew.
            ["pip", "install", ..] | ["mdbook", ..] | ["git", "clone", ..] => None,
            ["cd", ..] => None,
            _ => Some(format!("`{command}` is no command that is checked")),
        }
    }

    fn cargo(
        &mut self,
        what: &str,
        own: &[&str],
        arguments: &[&str],
    ) -> Option<String> {
        let value = |flags: [&str; 2]| {
            let at = own.iter().position(|word| flags.contains(word))?;
            own.get(at + 1).copied()
        };
        let package = value(["-p", "--package"]);
        let mut words = own.iter();
        while let Some(&word) = words.next() {
            let there = match word {
                "-p" | "--package" => {
                    words.next().is_some_and(|name| self.package(name))
                }
                "--example" | "--test" | "--bench" | "--bin" => {
                    let kind = &word[2..];
                    words.next().is_some_and(|name| self.target(kind, name, package))
                }
                "--features" | "--target" => words.next().is_some(),
                filter if what == "test" && !filter.starts_with('-') => {
                    let all =
                        ["tests", "chapters", "book/tests"].map(|at| files(at, "rs"));
                    let mut all = all.iter().flatten();
                    let name = |line: &str| {
                        line.trim_start().starts_with("fn ") && line.contains(filter)
                    };
                    all.any(|file| {
                        file.contains("tests/") && read(file).lines().any(name)
                    })
                }
                flag => FLAGS.contains(&flag),
            };
            if !there {
                return Some(format!("cargo {what}: {word} is not real"));
            }
        }
        if what != "run" || arguments.is_empty() {
            return None;
        }
        let example = value(["--example", "--example"]);
        let (kind, name) = match example {
            Some(example) => ("example", example),
            None => ("bin", package.unwrap_or("book")),
        };
        let mut help = self.help(kind, name, None).to_string();
        let mut after_flag = false;
        for word in arguments {
            let known = |help: &str, word: &str| {
                help.split([' ', ',', '\n', '<', '[']).any(|w| w == word)
            };
            let flag = word.starts_with('-');
            let free = after_flag && !flag || self.package(word);
            if !free && !known(&help, word) {
                return Some(format!("--help does not know {word}"));
            }
            // `translate` has flags of its own.
            let what = help.contains(&format!("\n  {word} "));
            if what && !flag && !after_flag {
                help += self.help(kind, name, Some(word));
            }
            after_flag = flag;
        }
        None
    }
}

#[test]
fn every_command_is_real() {
    let mut faults = Vec::new();
    let mut workspace = Workspace::new();
    for file in documents() {
        for (line, command) in commands(&read(&file)) {
            if let Some(fault) = workspace.fault(&command) {
                faults.push(format!("{file}:{line}: `{command}`: {fault}"));
            }
        }
    }
    let records = files("chapters", "txt").into_iter();
    for file in records.filter(|file| file.contains("/recorded/")) {
        let text = read(&file);
        let command = text.lines().next().unwrap_or_default();
        let command = command.trim_start_matches("$ ");
        if let Some(fault) = workspace.fault(command) {
            faults.push(format!("{file}:1: `{command}`: {fault}"));
        }
    }
    none(faults);
}

#[test]
fn the_readme_has_the_three_commands() {
    let commands: Vec<String> =
        commands(&read("README.md")).into_iter().map(|(_, command)| command).collect();
    let three = ["cargo run", "cargo run -p ch10_3", "cargo test"];
    assert_eq!(commands[..3], three);
}

#[test]
fn the_readme_table_is_that_of_the_crates_and_pages() {
    let readme = read("README.md");
    let rows = readme.lines().filter(|line| line.contains("](book/en/"));
    let rows: Vec<&str> = rows.collect();
    let mut expected = Vec::new();
    for package in packages() {
        let name = package["name"].as_str().unwrap_or_default();
        if !sections().iter().any(|section| section == name) {
            continue;
        }
        let file = format!("book/en/{name}.md");
        let page = read(&file);
        let title = page.lines().find_map(|line| line.strip_prefix("# "));
        let title = title.and_then(|title| title.split(" {#").next()).expect("a title");
        let description = package["description"].as_str().unwrap_or_default();
        let expected_title = match name.strip_prefix("ch") {
            Some(number) => {
                format!("{} {description}", number.replace('_', "."))
            }
            None => format!("Interlude: {}", description.to_lowercase()),
        };
        assert_eq!(title, expected_title, "{file}");
        let start = format!("| {title} | [{name}]({file}) | `cargo run -p {name}` | ");
        let count = rows.iter().filter(|row| row.starts_with(&start)).count();
        assert_eq!(count, 1, "README.md: no row `{start}…`");
        expected.push(name.to_string());
    }
    assert_eq!(rows.len(), expected.len(), "README.md: rows of the table");
}

#[test]
fn links_of_the_readme_and_contributing_lead_somewhere() {
    let mut faults = Vec::new();
    for file in ["README.md", "CONTRIBUTING.md"] {
        for (n, line) in read(file).lines().enumerate() {
            for rest in line.split("](").skip(1) {
                let target = rest.split(')').next().unwrap_or_default();
                let there = root().join(target).exists();
                if !target.starts_with("https://") && !there {
                    faults.push(format!("{file}:{}: {target} is not there", n + 1));
                }
            }
        }
    }
    none(faults);
}

/// Every path that CONTRIBUTING.md names in code is there.
#[test]
fn paths_of_contributing_are_there() {
    let mut faults = Vec::new();
    for (n, line) in read("CONTRIBUTING.md").lines().enumerate() {
        for code in line.split('`').skip(1).step_by(2) {
            let starts = ["book/", "chapters/", "tests/"];
            let path = starts.iter().any(|start| code.starts_with(start));
            let there = match code.split_once('*') {
                Some((folder, _)) => root().join(folder).is_dir(),
                None => root().join(code).exists(),
            };
            if path && !there {
                faults.push(format!("CONTRIBUTING.md:{}: {code} is not there", n + 1));
            }
        }
    }
    none(faults);
}

#[test]
fn a_planted_command_is_found() {
    let mut workspace = Workspace::new();
    for real in [
        "cargo run",
        "cargo test",
        "cargo run -p ch10_3",
        "cargo run -p ch10_3 -- --seed 7",
        "cargo run -p book -- refresh ch10_3",
        "cargo run -p ch10_4 -- translate \"The red car is new.\"",
        "cargo run -p ch10_4 -- --epochs 1 compare",
        "TRYBUILD=overwrite cargo test --test the_book as_shown",
        "RAYON_NUM_THREADS=1 cargo run -p ch10_3",
        ".ci/run",
    ] {
        assert_eq!(workspace.fault(real), None, "{real}");
    }
    for (wrong, fault) in [
        ("cargo rnu", "no `cargo rnu`"),
        ("cargo run -p ch10_33", "-p is not real"),
        ("cargo test --test weaver", "--test is not real"),
        ("cargo test as_shwon", "as_shwon is not real"),
        ("cargo run -p ch10_3 --example nope", "--example is not real"),
        ("cargo run -p ch10_3 -- --sead 7", "does not know --sead"),
        ("cargo run -p ch10_4 -- transalte \"A cat.\"", "know transalte"),
        ("cargo run -p book -- refrash", "does not know refrash"),
        ("cargo run --pelase", "--pelase is not real"),
        (".ci/nope", "no .ci/nope"),
        ("make", "is no command"),
    ] {
        let found = workspace.fault(wrong).unwrap_or_default();
        assert!(found.contains(fault), "{wrong}: {found}");
    }
    let text =
        "a `cargo\nrun` b\n\n```sh\ncargo x  # y\n```\n```rust\n`cargo z`\n```\n";
    let expected = [(1, "cargo run".to_string()), (5, "cargo x".to_string())];
    assert_eq!(commands(text), expected);
}
