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
    files.extend(GUIDES.map(String::from));
    files.push("tests/fixtures/README.md".into());
    files
}

/// What is said beside the book, in both languages.
const GUIDES: [&str; 4] =
    ["README.md", "CONTRIBUTING.md", "README.zh.md", "CONTRIBUTING.zh.md"];

/// The commands of a text with their lines: those in `sh` fences, and spans of
/// code that begin with `cargo`.
fn commands(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut at = 1;
    for (n, piece) in text.split("```").enumerate() {
        let fence = n % 2 == 1;
        let sh = fence && (piece.starts_with("sh\n") || piece.starts_with("console\n"));
        let (mut line, mut paragraph) = (at, 0);
        for (n, part) in piece.split(if fence { '\n' } else { '`' }).enumerate() {
            let code = part.split_whitespace().collect::<Vec<_>>().join(" ");
            let code = code.trim_start_matches("$ ").split(" # ").next();
            let code = code.unwrap_or_default();
            // A stray mark ends with its paragraph.
            if part.contains("\n\n") {
                paragraph = n % 2;
            }
            let cargo = code.starts_with("cargo ") || code.contains(" cargo ");
            let span = !fence && n % 2 != paragraph && cargo;
            let command = sh && n > 0 && !code.is_empty() && !code.starts_with('#');
            if span || command {
                found.push((line, code.to_string()));
            }
            line += part.matches('\n').count() + usize::from(fence);
        }
        at += piece.matches('\n').count();
    }
    found
}

/// What is wrong with a command, if anything.
fn fault(command: &str) -> Option<String> {
    // What is left out is the reader's own.
    let command = command.trim_end_matches("-- …").replace('…', "1");
    let words = shlex::split(&command).unwrap_or_default();
    let words = words.iter().map(String::as_str);
    let words: Vec<&str> = words.skip_while(|word| word.contains('=')).collect();
    match words[..] {
        ["cargo", "install", "--locked", tool] if tool.starts_with("mdbook@") => None,
        ["cargo", what, ref rest @ ..] if KNOWN.contains(&what) => {
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
    let package = package.filter(|name| !PLACEHOLDERS.contains(name));
    let all = packages().iter();
    let chosen = all.filter(|one| package.is_none_or(|name| one["name"] == name));
    let chosen: Vec<_> = chosen.collect();
    if chosen.is_empty() {
        return Some(format!("no package {}", package?));
    }
    let (mut kind, mut name) = ("bin", package.unwrap_or("book"));
    let mut words = own.iter();
    while let Some(&word) = words.next() {
        let there = match word {
            "-p" | "--features" | "--target" => words.next().is_some(),
            "--example" | "--test" | "--bench" | "--bin" => {
                (kind, name) = (&word[2..], words.next().copied().unwrap_or_default());
                let mut all = chosen.iter().flat_map(|one| targets(one, kind));
                PLACEHOLDERS.contains(&name) || all.any(|target| target.0 == name)
            }
            flag if flag.starts_with('-') => true,
            filter => what != "test" || is_test(filter),
        };
        if !there {
            return Some(format!("cargo {what}: {word} is not real"));
        }
    }
    // What only measures is built when it is run.
    let path = built().get(&(kind.to_string(), name.to_string()));
    let path = path.filter(|_| what == "run" && !arguments.is_empty())?;
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

/// What the README and CONTRIBUTING link to is there, and so is every path that
/// CONTRIBUTING names in code.
#[test]
fn what_the_readme_and_contributing_name_is_there() {
    let mut faults = Vec::new();
    for file in GUIDES {
        let text = read(file);
        let links = text.split("](").skip(1);
        let links = links.filter_map(|rest| rest.split(')').next());
        let links = links.filter(|link| !link.starts_with("https://"));
        let code = text.split('`').filter(|_| file == "CONTRIBUTING.md");
        let paths = code.filter(|code| {
            let ours = ["book/", "chapters/", "tests/"];
            !code.contains(char::is_whitespace)
                && ours.iter().any(|at| code.starts_with(at))
        });
        for path in links.chain(paths) {
            let before_star = path.split('*').next().unwrap_or_default();
            if !root().join(before_star).exists() {
                faults.push(format!("{file}: {path} is not there"));
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
        "RECORD=errors cargo test --test the_book as_shown",
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
        ("cargo run -p ch10_3 --example exercise_10_4_1", "--example is not real"),
        ("cargo test --test", "--test is not real"),
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
