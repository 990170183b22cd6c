//! Every program of the book is run: it prints what its pages show and draws
//! the same figures, and takes bad input in one line.

use crate::records::{Record, short};
use crate::repository::{built, none, root, sections};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Mutex;
use tempfile::TempDir;

/// A folder that a program takes for the repository: its figures and models
/// go there, and no model of an earlier day is found.
fn workshop() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("book.toml"), "").expect("is ours");
    std::fs::create_dir(folder.path().join("chapters")).expect("is ours");
    folder
}

/// Whether this is the kind of machine that the records are made on: there all
/// bytes are the same. Another processor, or another library of mathematics,
/// rounds in another way, and a training makes it other digits and words.
fn same_kind() -> bool {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    return is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    false
}

/// What a program prints.
fn run(mut command: Command, workshop: &Path) -> Result<String, String> {
    let Output { status, stdout, stderr } =
        command.current_dir(workshop).output().expect("starts");
    let errors = String::from_utf8_lossy(&stderr);
    // How far a training is, is said there too.
    match status.success() && errors.lines().all(|line| line.starts_with("... ")) {
        true => Ok(String::from_utf8_lossy(&stdout).into_owned()),
        false => Err(format!("{status} and on stderr: {errors}")),
    }
}

fn figures(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.strip_prefix("figure: "))
}

/// The first line in which two texts differ.
fn difference(recorded: &str, made: &str) -> Option<String> {
    let (mut a, mut b) = (recorded.lines(), made.lines());
    (1..).find_map(|n| match (a.next(), b.next()) {
        (None, None) => Some(None),
        (a, b) if a == b => None,
        (a, b) => Some(Some(format!("line {n}: recorded {a:?}, made {b:?}"))),
    })?
}

/// The lines under which a text has its parts, and its figures.
fn frame(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let headings = lines.windows(2).filter(|two| two[1].starts_with("---"));
    let headings = headings.map(|two| two[0]).chain(figures(text));
    headings.flat_map(|line| [line, "\n"]).collect()
}

/// Runs the program of a record; what it makes is what is committed.
fn again(record: &Record, workshop: &Path) -> Result<(), String> {
    let made = run(record.command(built()), workshop)?;
    let recorded = record.text();
    let differs = |what: &str, a: &str, b: &str| match difference(a, b) {
        Some(line) => Err(format!("{what}: {line}")),
        None => Ok(()),
    };
    if same_kind() {
        differs("", &recorded, &made)?;
    } else {
        differs("headings and figures", &frame(&recorded), &frame(&made))?;
        let other = run(record.command(built()), workshop)?;
        differs("another run", &made, &other)?;
    }
    for file in figures(&made) {
        let read = |root: &Path| std::fs::read_to_string(root.join(file));
        let drawn = read(workshop).map_err(|error| format!("{file}: {error}"))?;
        let committed = read(root()).map_err(|error| format!("{file}: {error}"))?;
        if same_kind() {
            differs(file, &committed, &drawn)?;
        }
    }
    Ok(())
}

#[test]
fn programs_print_what_is_recorded_and_draw_the_same_figures() {
    let waiting = Mutex::new(sections());
    let wrong = Mutex::new(Vec::new());
    let work = || {
        loop {
            // The last sections take longest.
            let Some(name) = waiting.lock().expect("no panic").pop() else { return };
            let workshop = workshop();
            for record in short(&name) {
                if let Err(what) = again(&record, workshop.path()) {
                    let what = format!("{}: {what}", record.file);
                    wrong.lock().expect("no panic").push(what);
                }
            }
        }
    };
    // Two at a time: no output tells of the time that was taken.
    std::thread::scope(|threads| {
        threads.spawn(work);
        threads.spawn(work);
    });
    let wrong = wrong.into_inner().expect("no panic");
    let help = "`cargo run -p book -- refresh` makes them anew";
    assert!(wrong.is_empty(), "\n{}\n{help}\n", wrong.join("\n"));
}

#[test]
fn a_changed_line_is_found() {
    assert_eq!(difference("a 1\nb", "a 1\nb"), None);
    let found = difference("a 1\nb", "a 2\nb").expect("differs");
    assert_eq!(found, "line 1: recorded Some(\"a 1\"), made Some(\"a 2\")");
    assert!(difference("a", "a\nb").is_some() && difference("a\nb", "a").is_some());
    assert_eq!(frame("\nLoss\n----\n0.5\nfigure: a.svg\n"), "Loss\na.svg\n");
}

/// A seed changes what is random, and in 10.1 nothing is.
#[test]
fn another_seed_is_another_run() {
    let short = |name: &str| match name {
        "ch10_4" | "ch10_7" => ["--epochs", "1"].to_vec(),
        "ch10_5" => ["--steps", "5"].to_vec(),
        _ => Vec::new(),
    };
    let mut faults = Vec::new();
    for name in sections() {
        let program = &built()[&("bin".to_string(), name.clone())];
        let with = |seed| {
            let mut command = Command::new(program);
            command.args(short(&name)).args(["--seed", seed]);
            run(command, workshop().path())
        };
        match (with("0"), with("18446744073709551615")) {
            (Ok(a), Ok(b)) if (a == b) == (name == "ch10_1") => {}
            (Err(what), _) | (_, Err(what)) => faults.push(format!("{name}: {what}")),
            _ => faults.push(format!("{name}: what does its --seed change?")),
        }
    }
    none(faults);
}

/// The programs of the sections.
fn programs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let sections = sections();
    let bins = built()
        .iter()
        .filter(move |((kind, name), _)| kind == "bin" && sections.contains(name));
    bins.map(|((_, name), path)| (name.as_str(), path.as_str()))
}

fn output(path: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(path);
    command.args(arguments).current_dir(root()).env("RUST_BACKTRACE", "1");
    command.output().expect("starts")
}

#[test]
fn help_names_the_flags() {
    for (name, path) in programs() {
        let text = output(path, &["--help"]).stdout;
        let text = String::from_utf8_lossy(&text);
        for flag in ["--seed", "--out", "--help"] {
            assert!(text.contains(flag), "{name}: no {flag}");
        }
    }
}

#[test]
fn bad_input_is_one_line_on_standard_error() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let under_a_file = file.path().join("figures");
    let under_a_file = under_a_file.to_string_lossy().into_owned();
    let bad: [&[&str]; 5] = [
        &["--nope"],
        &["more"],
        &["--seed", "18446744073709551616"],
        &["--\u{1b}[31m"],
        &["--out", &under_a_file],
    ];
    for (name, path) in programs() {
        for arguments in bad {
            let output = output(path, arguments);
            let text = String::from_utf8_lossy(&output.stderr);
            let what = format!("{name} {arguments:?}: {text}");
            assert!(!output.status.success(), "{what}");
            assert_eq!(text.lines().count(), 1, "{what}");
            assert!(text.starts_with(name), "{what}");
            assert!(!text.contains("panicked") && !text.contains('\u{1b}'), "{what}");
        }
    }
}
