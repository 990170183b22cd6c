//! Every program of the book is run: it prints what its page shows and draws
//! the same figures, twice the same bytes, and takes bad input in one line.

mod common;

use common::compare;
use common::programs::build;
use common::repo::{files, packages, read, root, sections, targets};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Sections whose programs draw no random number, and say so.
const WITHOUT_CHANCE: [&str; 1] = ["ch10_1"];

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
}

/// All programs, built once.
fn programs() -> &'static [Program] {
    static PROGRAMS: OnceLock<Vec<Program>> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let built = build();
        let mut programs = Vec::new();
        for package in packages() {
            let name = package["name"].as_str().unwrap_or_default().to_string();
            if !sections().contains(&name) {
                continue;
            }
            let mut add = |kind: &str, target: &str, recorded: String| {
                let flag = format!(" --example {target}");
                let flag = if kind == "bin" { "" } else { &flag };
                programs.push(Program {
                    command: format!("cargo run -p {name}{flag}"),
                    path: built[&(kind.to_string(), target.to_string())]
                        .clone(),
                    recorded,
                    section: name.clone(),
                    main: kind == "bin",
                });
            };
            for (target, _) in targets(&package, "bin") {
                add("bin", &target, format!("chapters/{name}/output.txt"));
            }
            for (target, file) in targets(&package, "example") {
                add("example", &target, file.replace(".rs", ".txt"));
            }
        }
        programs
    })
}

fn run(program: &Program, arguments: &[&str]) -> Output {
    let mut command = Command::new(&program.path);
    command.args(arguments).current_dir(root()).env("RUST_BACKTRACE", "1");
    command.output().expect("starts")
}

/// What a run prints, and the figures it draws by name.
struct Made {
    text: String,
    figures: BTreeMap<String, String>,
}

/// Runs a program with its figures in a folder of their own.
fn make(program: &Program, arguments: &[&str]) -> Made {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().to_string_lossy().into_owned();
    // An exercise need not have figures, nor then a flag for them.
    let mut all: Vec<&str> = arguments.to_vec();
    if program.main || read(&source(program)).contains("support::run") {
        all.extend(["--out", &out]);
    }
    let output = run(program, &all);
    let errors = String::from_utf8_lossy(&output.stderr);
    let command = &program.command;
    assert!(output.status.success(), "{command}: {errors}");
    // How far a training run is, is told there too.
    let quiet = errors.lines().all(|line| line.starts_with("... "));
    assert!(quiet, "{command} prints to stderr: {errors}");
    let text = String::from_utf8(output.stdout).expect("prints UTF-8");
    let text = text.replace(
        &format!("{out}{}", std::path::MAIN_SEPARATOR),
        &format!("{out}/"),
    );
    let kept = format!("book/figures/{}", program.section);
    let text = format!("$ {command}\n{}", text.replace(&out, &kept));
    Made { text, figures: drawings(folder.path()) }
}

fn source(program: &Program) -> String {
    program.recorded.replace(".txt", ".rs")
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

#[test]
fn programs_print_what_is_recorded_and_draw_the_same_figures() {
    let mut wrong = Vec::new();
    for program in programs() {
        let made = make(program, &[]);
        let Program { command, recorded, section, .. } = program;
        match std::fs::read_to_string(root().join(recorded)) {
            Err(_) => wrong.push(format!("{recorded} is not there")),
            Ok(text) => {
                if let Err(what) = compare::text(&text, &made.text) {
                    wrong.push(format!("{recorded}: {what}"));
                }
            }
        }
        for (name, svg) in &made.figures {
            let file = format!("book/figures/{section}/{name}");
            let Ok(committed) = std::fs::read_to_string(root().join(&file))
            else {
                wrong.push(format!("{command} draws {file}: not there"));
                continue;
            };
            if let Err(what) = compare::figure(&committed, svg) {
                wrong.push(format!("{file}: {what}"));
            }
        }
        let again = make(program, &[]);
        if made.text != again.text || made.figures != again.figures {
            wrong.push(format!("{command}: two runs, different bytes"));
        }
    }
    let help = "cargo run -p book -- refresh";
    assert!(wrong.is_empty(), "{}\n{help} makes them anew", wrong.join("\n"));
}

#[test]
fn every_committed_figure_is_drawn() {
    let mut drawn = Vec::new();
    for program in programs() {
        let recorded = read(&program.recorded);
        let lines = recorded.lines();
        let figures = lines.filter_map(|line| line.strip_prefix("figure: "));
        drawn.extend(figures.map(str::to_string));
    }
    for file in files("book/figures", "svg") {
        assert!(drawn.contains(&file), "{file} is drawn by no program");
    }
}

#[test]
fn another_seed_gives_another_run() {
    for program in programs().iter().filter(|program| program.main) {
        let usual = make(program, &[]);
        let other = make(program, &["--seed", "20241"]);
        let same = usual.text == other.text && usual.figures == other.figures;
        let without = WITHOUT_CHANCE.contains(&&*program.section);
        assert_eq!(same, without, "{}: --seed", program.command);
    }
}

#[test]
fn help_names_the_flags() {
    for program in programs().iter().filter(|program| program.main) {
        let output = run(program, &["--help"]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{} --help", program.command);
        for flag in ["--seed", "--out", "--help"] {
            assert!(text.contains(flag), "{}: no {flag}", program.command);
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
    for program in programs().iter().filter(|program| program.main) {
        for arguments in bad {
            let output = run(program, arguments);
            let text = String::from_utf8_lossy(&output.stderr);
            let what = format!("{} {arguments:?}: {text}", program.command);
            assert!(!output.status.success(), "{what}");
            assert_eq!(text.lines().count(), 1, "{what}");
            assert!(text.starts_with(&program.section), "{what}");
            assert!(!text.contains("panicked"), "{what}");
        }
    }
}

// --- A planted change is found ----------------------------------------------

#[cfg(test)]
mod planted {
    use super::compare::{figure, text};

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
}
