//! Every program of the book is run: it prints what its page shows and draws
//! the same figures, twice the same bytes, and takes bad input in one line.

mod common;

use common::compare;
use common::declared::{LONG, WITHOUT_CHANCE, all_figures, all_parts};
use common::programs::build;
use common::repo::{WITHOUT_PAGE, files, packages, read, root, sections, targets};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A program of the book.
struct Program {
    /// What the reader types.
    command: String,
    /// The built file.
    path: String,
    /// The file with its recorded output.
    recorded: String,
    /// The section that it belongs to.
    section: String,
    /// Whether it is the section's own program, not an exercise.
    main: bool,
    /// What it says of its flags.
    flags: String,
}

/// The built files by kind and name.
fn built() -> &'static BTreeMap<(String, String), String> {
    static BUILT: OnceLock<BTreeMap<(String, String), String>> = OnceLock::new();
    BUILT.get_or_init(build)
}

/// All programs.
fn programs() -> &'static [Program] {
    static PROGRAMS: OnceLock<Vec<Program>> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let mut programs = Vec::new();
        for package in packages() {
            let name = package["name"].as_str().unwrap_or_default().to_string();
            if !sections().contains(&name) {
                continue;
            }
            let mut add = |kind: &str, target: &str, recorded: String| {
                let flag = format!(" --example {target}");
                let flag = if kind == "bin" { "" } else { &flag };
                let path = &built()[&(kind.to_string(), target.to_string())];
                // An exercise need not have figures, nor then a flag.
                let main = kind == "bin";
                let source = recorded.replace(".txt", ".rs");
                let has = main || read(&source).contains("support::run");
                programs.push(Program {
                    command: format!("cargo run -p {name}{flag}"),
                    path: path.clone(),
                    recorded,
                    section: name.clone(),
                    main,
                    flags: if has { help(path) } else { String::new() },
                });
            };
            for (target, _) in targets(&package, "bin") {
                add("bin", &target, format!("chapters/{name}/output.txt"));
            }
            for (target, file) in targets(&package, "example") {
                // What takes too long, or another's data, is not run here.
                let long = format!("chapters/{name}/recorded/{target}.txt");
                if !root().join(long).is_file() {
                    add("example", &target, file.replace(".rs", ".txt"));
                }
            }
        }
        programs
    })
}

fn help(path: &str) -> String {
    let output = run(path, &["--help"]);
    assert!(output.status.success(), "{path} --help");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn run(path: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(path);
    command.args(arguments).current_dir(root()).env("RUST_BACKTRACE", "1");
    command.output().expect("starts")
}

/// What a run prints, and the figures it draws by name.
#[derive(PartialEq)]
struct Made {
    text: String,
    figures: BTreeMap<String, String>,
}

/// Runs a program with what it writes in folders of their own.
fn make(program: &Program, arguments: &[&str]) -> Result<Made, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kept = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().to_string_lossy().into_owned();
    let model = kept.path().join("model").to_string_lossy().into_owned();
    let mut all: Vec<&str> = arguments.to_vec();
    for (flag, path) in [("--out", &out), ("--model", &model)] {
        if program.flags.contains(flag) {
            all.extend([flag, path]);
        }
    }
    let output = run(&program.path, &all);
    let errors = String::from_utf8_lossy(&output.stderr);
    let command = &program.command;
    // How far a training run is, is told there too.
    let quiet = errors.lines().all(|line| line.starts_with("... "));
    if !output.status.success() || !quiet {
        return Err(format!("{command} prints to stderr: {errors}"));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let text = text
        .replace(&format!("{out}{}", std::path::MAIN_SEPARATOR), &format!("{out}/"));
    let kept = format!("book/figures/{}", program.section);
    let text = format!("$ {command}\n{}", text.replace(&out, &kept));
    Ok(Made { text, figures: drawings(folder.path()) })
}

fn drawings(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).expect("is there");
    let paths = entries.map(|entry| entry.expect("readable").path());
    paths
        .map(|path| {
            let name = path.file_name().expect("has a name").to_string_lossy();
            let svg = std::fs::read_to_string(&path).expect("is text");
            (name.into_owned(), svg)
        })
        .collect()
}

/// The runs of one program.
struct Runs {
    /// As the reader starts it.
    usual: Result<Made, String>,
    /// Whether a second run gave the same bytes, of a long program a short
    /// run and another.
    same_again: Result<bool, String>,
    /// Whether another seed gave them; of a section's program only.
    same_with_seed: Result<Option<bool>, String>,
}

impl Runs {
    fn of(program: &Program) -> Self {
        let usual = make(program, &[]);
        let long = LONG.iter().find(|long| long.section == program.section);
        let short = long.filter(|_| program.main).map(|long| long.arguments);
        let Some(arguments) = short else {
            return Runs::against(program, &[], usual, None);
        };
        match make(program, arguments) {
            Ok(first) => Runs::against(program, arguments, usual, Some(first)),
            Err(what) => {
                Runs { usual, same_again: Err(what), same_with_seed: Ok(None) }
            }
        }
    }

    fn against(
        program: &Program,
        arguments: &[&str],
        usual: Result<Made, String>,
        first: Option<Made>,
    ) -> Self {
        let same = |more: &[&str]| {
            let other = make(program, &[arguments, more].concat())?;
            let first = first.as_ref().map_or(usual.as_ref(), Ok);
            Ok(first.is_ok_and(|first| *first == other))
        };
        let seed = ["--seed", "20241"];
        let with_seed = program.main.then(|| same(&seed)).transpose();
        let (same_again, same_with_seed) = (same(&[]), with_seed);
        Runs { usual, same_again, same_with_seed }
    }
}

/// The runs of all programs in their order, two at a time: no output tells
/// of the time that was taken.
fn runs() -> impl Iterator<Item = (&'static Program, &'static Runs)> {
    static RUNS: OnceLock<Vec<Runs>> = OnceLock::new();
    let all = RUNS.get_or_init(|| {
        let next = AtomicUsize::new(0);
        let some = || {
            let mut some = Vec::new();
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                let Some(program) = programs().get(n) else { return some };
                some.push((n, Runs::of(program)));
            }
        };
        let mut all: Vec<(usize, Runs)> = std::thread::scope(|threads| {
            let two = [threads.spawn(some), threads.spawn(some)];
            two.into_iter()
                .flat_map(|thread| thread.join().expect("does not panic"))
                .collect()
        });
        all.sort_by_key(|(n, _)| *n);
        all.into_iter().map(|(_, runs)| runs).collect()
    });
    programs().iter().zip(all)
}

#[test]
fn programs_print_what_is_recorded_and_draw_the_same_figures() {
    let mut wrong = Vec::new();
    for (program, runs) in runs() {
        let Program { command, recorded, section, .. } = program;
        let made = match &runs.usual {
            Ok(made) => made,
            Err(what) => {
                wrong.push(what.clone());
                continue;
            }
        };
        let room = |heading: &str| {
            let mut parts = all_parts().filter(|part| part.file == recorded);
            parts.find(|part| part.heading == heading).map(|part| part.room)
        };
        match std::fs::read_to_string(root().join(recorded)) {
            Err(_) => wrong.push(format!("{recorded} is not there")),
            Ok(text) => {
                if let Err(what) = compare::parts(&text, &made.text, room) {
                    wrong.push(format!("{recorded}: {what}"));
                }
            }
        }
        for (name, svg) in &made.figures {
            let file = format!("book/figures/{section}/{name}");
            let Ok(committed) = std::fs::read_to_string(root().join(&file)) else {
                wrong.push(format!("{command} draws {file}: not there"));
                continue;
            };
            let trained = all_figures().any(|figure| figure.file == file);
            let same = match trained {
                true => compare::structure(&committed, svg),
                false => compare::figure(&committed, svg),
            };
            if let Err(what) = same {
                wrong.push(format!("{file}: {what}"));
            }
        }
    }
    let help = "cargo run -p book -- refresh";
    assert!(wrong.is_empty(), "{}\n{help} makes them anew", wrong.join("\n"));
}

#[test]
fn a_second_run_gives_the_same_bytes() {
    for (program, runs) in runs() {
        assert_eq!(runs.same_again, Ok(true), "{}: again", program.command);
    }
}

#[test]
fn another_seed_gives_another_run() {
    for (program, runs) in runs().filter(|(program, _)| program.main) {
        let without = WITHOUT_CHANCE.contains(&&*program.section);
        let same = &runs.same_with_seed;
        assert_eq!(same, &Ok(Some(without)), "{}: --seed", program.command);
    }
}

/// What is declared is there, and what a page says of it is held by a test.
#[test]
fn what_is_declared_is_there() {
    let mut wrong = Vec::new();
    for part in all_parts() {
        let text = read(part.file);
        let rule = "-".repeat(part.heading.chars().count());
        let heading = format!("\n{}\n{rule}\n", part.heading);
        if !part.heading.is_empty() && !text.contains(&heading) {
            wrong.push(format!("{} has no `{}`", part.file, part.heading));
        }
    }
    let held = all_parts().map(|part| (part.file, part.held_by));
    let drawn = all_figures().map(|figure| (figure.file, figure.held_by));
    for (file, test) in held.chain(drawn) {
        let there = |file: &str| root().join(file).is_file();
        if !there(file) || !there(test) || !read(test).contains("#[test]") {
            wrong.push(format!("{file}, held by {test}: not there"));
        }
    }
    for long in LONG {
        if !sections().iter().any(|section| section == long.section) {
            wrong.push(format!("no section {}", long.section));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A crate without a page has no records and no exercises: nothing that a
/// page would show.
#[test]
fn what_has_no_page_has_nothing_to_show() {
    for name in WITHOUT_PAGE {
        let folder = root().join("chapters").join(name);
        assert!(folder.join("Cargo.toml").is_file(), "{name} is no crate");
        for shown in ["output.txt", "examples", "recorded", "compile_fail"] {
            assert!(!folder.join(shown).exists(), "{name} has {shown}");
        }
    }
}

#[test]
fn every_committed_figure_is_drawn() {
    let mut records: Vec<String> =
        programs().iter().map(|program| program.recorded.clone()).collect();
    let long = files("chapters", "txt").into_iter();
    records.extend(long.filter(|file| file.contains("/recorded/")));
    let mut drawn = Vec::new();
    for record in records {
        // That a record is missing is found by another test.
        let text = std::fs::read_to_string(root().join(&record));
        let text = text.unwrap_or_default();
        let figures = text.lines().filter_map(|l| l.strip_prefix("figure: "));
        drawn.extend(figures.map(str::to_string));
    }
    for file in files("book/figures", "svg") {
        assert!(drawn.contains(&file), "{file} is drawn by no program");
    }
}

#[test]
fn help_names_the_flags() {
    for program in programs().iter().filter(|program| program.main) {
        for flag in ["--seed", "--out", "--help"] {
            let there = program.flags.contains(flag);
            assert!(there, "{}: no {flag}", program.command);
        }
    }
}

#[test]
fn bad_input_is_one_line_on_standard_error() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let under_a_file = file.path().join("figures");
    let under_a_file = under_a_file.to_string_lossy().into_owned();
    let bad: [&[&str]; 7] = [
        &["--nope"],
        &["more"],
        &["--seed"],
        &["--seed", "x"],
        &["--seed", "-1"],
        &["--seed", "18446744073709551616"],
        &["--out", &under_a_file],
    ];
    for ((kind, name), path) in built() {
        let ours = sections().contains(name) || WITHOUT_PAGE.contains(&name.as_str());
        for arguments in bad.iter().filter(|_| kind == "bin" && ours) {
            let output = run(path, arguments);
            let text = String::from_utf8_lossy(&output.stderr);
            let what = format!("{name} {arguments:?}: {text}");
            assert!(!output.status.success(), "{what}");
            assert_eq!(text.lines().count(), 1, "{what}");
            assert!(text.starts_with(name), "{what}");
            assert!(!text.contains("panicked"), "{what}");
        }
    }
}

// --- A planted change is found ----------------------------------------------

#[cfg(test)]
mod planted {
    use super::compare::{figure, parts, structure, text};
    use crate::common::declared::Room;

    #[test]
    fn in_a_text() {
        let recorded = "loss   0.1234  step 10 ch10_3\nw    9.9996\n";
        text(recorded, recorded).expect("is itself");
        let accepted = |from: &str, to: &str| {
            assert!(recorded.contains(from), "{from}");
            text(recorded, &recorded.replace(from, to)).is_ok()
        };
        assert!(accepted("0.1234", "0.1235"));
        assert!(accepted("   9.9996", "  10.0001"), "a digit more");
        assert!(accepted("0.1234", "0.1234"));
        assert!(!accepted("0.1234", "0.1334"));
        assert!(!accepted("0.1234", "-0.1234"));
        assert!(!accepted("0.1234", "NaN"));
        assert!(!accepted("step 10", "step 11"), "integers are exact");
        assert!(!accepted("ch10_3", "ch10_4"));
        assert!(!accepted("loss ", "cost "));
        assert!(!accepted("loss ", "loss  "), "text is exact");
        assert!(!accepted("\nw", "\n\nw"));
        assert!(!accepted("w    9.9996\n", ""));
        assert!(text("a 1000.0", "a 1001.0").is_ok(), "relative");
        assert!(text("a 1000.0", "a 1003.0").is_err());
        assert!(text("x 1e-7", "x 3e-7").is_ok());
        assert!(text("0.54", "0.55").is_ok(), "one in the last digit");
        assert!(text("0.54", "0.56").is_err());
        assert!(text("0.0000", "-0.0000").is_ok());
        assert!(text("10-3 a", "10-4 a").is_err());
    }

    #[test]
    fn in_a_figure() {
        let recorded = "<svg width=\"480\" viewBox=\"0 0 1920 1200\">\n\
            <path fill=\"#440154\" d=\"M0 0h8v8h-8zM8 0h8v8h-8z\"/>\n\
            <path fill=\"#440356\" d=\"M16 0h8v8h-8z\"/>\n\
            <polyline fill=\"none\" opacity=\"0.3\" points=\"1,2 30,40 \"/>\n\
            <path fill=\"none\" d=\"M1 2L30 40\"/>\n\
            <text x=\"9\" y=\"9\" font-size=\"48\">0.5</text>\n</svg>\n";
        figure(recorded, recorded).expect("is itself");
        let accepted = |from: &str, to: &str| {
            assert!(recorded.contains(from), "{from}");
            figure(recorded, &recorded.replace(from, to)).is_ok()
        };
        assert!(accepted("30,40", "31,40"));
        assert!(accepted("L30 40", "L31 39"));
        assert!(!accepted("30,40", "34,40"));
        assert!(!accepted("L30 40", "L30 45"));
        assert!(!accepted("30,40 ", ""));
        // A cell moves to the path of the neighbouring colour.
        assert!(accepted(
            "M8 0h8v8h-8z\"/>\n<path fill=\"#440356\" d=\"",
            "\"/>\n<path fill=\"#440356\" d=\"M8 0h8v8h-8z"
        ));
        assert!(!accepted("#440356", "#904356"));
        assert!(!accepted("M8 0h8v8h-8z", ""));
        assert!(!accepted("M8 0h8", "M8 9h8"));
        assert!(!accepted("opacity=\"0.3\"", "opacity=\"0.4\""));
        assert!(!accepted("opacity=\"0.3\" ", ""));
        assert!(!accepted("font-size=\"48\"", "font-size=\"47\""));
        assert!(!accepted("width=\"480\"", "width=\"481\""));
        assert!(!accepted(">0.5<", ">0.6<"));
        assert!(!accepted("<polyline", "<polygon"));
        assert!(!accepted("<text", "<text/>\n<text"));
    }

    const TRAINED: &str = "$ cargo run\n\nShapes\n------\nrows 2\n\n\
        Said\n----\nloss  0.5 of 1\nfigure: a/b.svg\n";

    fn accepted(room: Room, from: &str, to: &str) -> bool {
        assert!(TRAINED.contains(from), "{from}");
        let room = |heading: &str| (heading == "Said").then_some(room);
        parts(TRAINED, &TRAINED.replace(from, to), room).is_ok()
    }

    #[test]
    fn in_the_numbers_of_a_trained_model() {
        let numbers = |from, to| accepted(Room::Numbers, from, to);
        assert!(numbers("0.5 of 1", "0.5 of 1"));
        assert!(numbers(" 0.5 of 1", "10.9 of 3"));
        assert!(!numbers("0.5", "NaN"));
        assert!(!numbers("0.5", "none"));
        assert!(!numbers("loss", "cost"));
        assert!(!numbers("of 1\n", "of 1\nloss  0.4 of 1\n"));
        assert!(!numbers("b.svg", "c.svg"));
        assert!(!numbers("rows 2", "rows 3"), "nothing is trained there");
        assert!(!numbers("\nSaid\n----", "\nTold\n----"));
    }

    #[test]
    fn in_the_words_of_a_trained_model() {
        let words = |from, to| accepted(Room::Words, from, to);
        assert!(words("loss  0.5 of 1\n", "il est là\nelle aussi\n"));
        assert!(!words("loss  0.5 of 1\n", ""));
        assert!(!words("figure: a/b.svg\n", ""));
        assert!(!words("rows 2", "rows 3"), "nothing is trained there");
        assert!(!words("\nSaid\n----", "\nTold\n----"));
    }

    #[test]
    fn in_the_structure_of_a_figure() {
        let recorded = "<svg width=\"9\"><path d=\"M1 2\"/></svg>";
        let accepted = |from: &str, to: &str| {
            assert!(recorded.contains(from), "{from}");
            structure(recorded, &recorded.replace(from, to)).is_ok()
        };
        assert!(accepted("M1 2", "M3 4"));
        assert!(!accepted("<path d=\"M1 2\"/>", ""));
        assert!(!accepted("<path", "<text"));
        assert!(!accepted("<path d=\"M1 2\"/>", "<text>NaN</text>"));
    }
}
