//! What the README, CONTRIBUTING.md and the pages say works: every command in
//! them is real, and the README's table is that of the crates and the pages.

use crate::repository::{built, files, none, packages, read, root, sections, targets};
use std::process::Command;

/// What stands for one of several names in prose.
const PLACEHOLDERS: [&str; 2] = ["ch10_N", "exercise_N"];

/// The commands of Cargo that the book may name.
const KNOWN: [&str; 9] =
    ["run", "test", "bench", "build", "check", "clippy", "fmt", "doc", "tree"];

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

/// What is wrong with a command, if anything.
fn fault(command: &str) -> Option<String> {
    // What is quoted or left out is the reader's own.
    let own =
        |(n, part): (usize, &str)| if n % 2 == 0 { part } else { "1" }.to_string();
    let command: String = command.split('"').enumerate().map(own).collect();
    let command = command.trim_end_matches("-- …").replace('…', "1");
    let words: Vec<&str> = command.split_whitespace().collect();
    let start = words.iter().position(|word| !word.contains('='));
    match &words[start.unwrap_or(0)..] {
        ["cargo", "install", "--locked", tool] => {
            (!tool.starts_with("mdbook@")).then(|| format!("what is {tool}?"))
        }
        ["cargo", what, rest @ ..] if KNOWN.contains(what) => {
            let cut = rest.iter().position(|&word| word == "--");
            let (own, rest) = rest.split_at(cut.unwrap_or(rest.len()));
            cargo(what, own, rest.get(1..).unwrap_or_default())
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

/// The package and the targets that a command of Cargo names are there, and so
/// is what it filters tests by; a program that it runs knows its arguments.
fn cargo(what: &str, own: &[&str], arguments: &[&str]) -> Option<String> {
    let package = own.iter().position(|&word| word == "-p").map(|at| own[at + 1]);
    let packages = packages();
    let is_package = |name| packages.iter().any(|package| package["name"] == name);
    if let Some(name) = package
        && !PLACEHOLDERS.contains(&name)
        && !is_package(name)
    {
        return Some(format!("no package {name}"));
    }
    let (mut kind, mut name) = ("bin", package.unwrap_or("book"));
    let mut words = own.iter();
    while let Some(&word) = words.next() {
        let there = match word {
            "-p" | "--features" | "--target" => words.next().is_some(),
            "--example" | "--test" | "--bench" | "--bin" => {
                (kind, name) = (&word[2..], words.next()?);
                let mut all = packages.iter().flat_map(|one| targets(one, kind));
                PLACEHOLDERS.contains(&name) || all.any(|target| target.0 == name)
            }
            flag if flag.starts_with('-') => true,
            filter => what != "test" || is_test(filter),
        };
        if !there {
            return Some(format!("cargo {what}: {word} is not real"));
        }
    }
    if what != "run" || arguments.is_empty() {
        return None;
    }
    let name = if PLACEHOLDERS.contains(&name) { "ch10_1" } else { name };
    let path = &built()[&(kind.to_string(), name.to_string())];
    // The help comes only if nothing before it is unknown.
    let output = Command::new(path).args(arguments).arg("--help").output();
    let output = output.expect("starts");
    let error = String::from_utf8_lossy(&output.stderr);
    (!output.status.success()).then(|| error.trim().to_string())
}

/// Whether a test has this in its name.
fn is_test(filter: &str) -> bool {
    let all = ["tests", "chapters", "book/tests"].map(|at| files(at, "rs"));
    let tests = all.iter().flatten().filter(|file| file.contains("tests/"));
    let has =
        |line: &str| line.trim_start().starts_with("fn ") && line.contains(filter);
    tests.into_iter().any(|file| read(file).lines().any(has))
}

#[test]
fn every_command_is_real() {
    let mut faults = Vec::new();
    for file in documents() {
        for (line, command) in commands(&read(&file)) {
            if let Some(fault) = fault(&command) {
                faults.push(format!("{file}:{line}: `{command}`: {fault}"));
            }
        }
    }
    let records = files("chapters", "txt").into_iter();
    for file in records.filter(|file| file.contains("/recorded/")) {
        let text = read(&file);
        let command = text.lines().next().unwrap_or_default();
        let command = command.trim_start_matches("$ ");
        if let Some(fault) = fault(command) {
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
        assert_eq!(fault(real), None, "{real}");
    }
    for (wrong, named) in [
        ("cargo rnu", "no `cargo rnu`"),
        ("cargo run -p ch10_33", "no package ch10_33"),
        ("cargo test --test weaver", "--test is not real"),
        ("cargo test as_shwon", "as_shwon is not real"),
        ("cargo run -p ch10_3 --example nope", "--example is not real"),
        ("cargo run -p ch10_3 -- --sead 7", "--sead"),
        ("cargo run -p ch10_4 -- transalte \"A cat.\"", "transalte"),
        ("cargo run -p book -- refrash", "refrash"),
        (".ci/nope", "no .ci/nope"),
        ("make", "is no command"),
    ] {
        let found = fault(wrong).unwrap_or_default();
        assert!(found.contains(named), "{wrong}: {found}");
    }
    let text =
        "a `cargo\nrun` b\n\n```sh\ncargo x  # y\n```\n```rust\n`cargo z`\n```\n";
    let expected = [(1, "cargo run".to_string()), (5, "cargo x".to_string())];
    assert_eq!(commands(text), expected);
}
