//! Every program of the book is run: it prints what its pages show and draws
//! the same figures, twice the same bytes, and takes bad input in one line.

use crate::compare;
use crate::records::{Record, short};
use crate::repository::{built, none, read, root, sections};
use crate::tolerances::Tolerances;
use std::collections::BTreeMap;
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

/// What a run prints, and the figures it draws, by name.
#[derive(PartialEq)]
struct Made {
    text: String,
    figures: BTreeMap<String, String>,
}

/// Runs the program of a record, with more arguments.
fn make(record: &Record, more: &[&str], workshop: &Path) -> Result<Made, String> {
    let output = Command::new(record.program(built()))
        .args(&record.arguments)
        .args(more)
        .envs(record.variables.iter().cloned())
        .current_dir(workshop)
        .output()
        .expect("starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    // How far a training is, is said there too.
    let quiet = errors.lines().all(|line| line.starts_with("... "));
    if !output.status.success() || !quiet {
        let file = record.path();
        return Err(format!("{file}: {} and on stderr: {errors}", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let names = text.lines().filter_map(|line| line.strip_prefix("figure: "));
    let figures = names
        .map(|name| match std::fs::read_to_string(workshop.join(name)) {
            Ok(svg) => Ok((name.replace('\\', "/"), svg)),
            Err(error) => Err(format!("{}: {name}: {error}", record.path())),
        })
        .collect::<Result<_, _>>()?;
    Ok(Made { text, figures })
}

/// Compares a run with its record and the committed figures.
fn compare(record: &Record, made: &Made, tolerances: &Tolerances) -> Vec<String> {
    let mut wrong = Vec::new();
    let recorded = read(&record.path());
    let command = recorded.lines().next().unwrap_or_default();
    let text = format!("{command}\n{}", made.text);
    let tolerance = |heading: &str| tolerances.tolerance(&record.file, heading);
    if let Err(what) = compare::parts(&recorded, &text, tolerance) {
        wrong.push(format!("{}: {what}", record.path()));
    }
    for (file, svg) in &made.figures {
        let Ok(committed) = std::fs::read_to_string(root().join(file)) else {
            wrong.push(format!("{} draws {file}, which is not there", record.path()));
            continue;
        };
        let name = file.rsplit('/').next().and_then(|name| name.strip_suffix(".svg"));
        let trained = tolerances.figures.iter().any(|figure| Some(&**figure) == name);
        let same = match trained {
            true => compare::trained_figure(&committed, svg),
            false => compare::figure(&committed, svg),
        };
        if let Err(what) = same {
            wrong.push(format!("{file}: {what}"));
        }
    }
    wrong
}

/// Whether a run has made what is committed, byte by byte: two runs have then
/// made the same.
fn is_recorded(record: &Record, made: &Made) -> bool {
    let figure = |(file, svg): (&String, &String)| {
        std::fs::read_to_string(root().join(file))
            .is_ok_and(|committed| committed == *svg)
    };
    read(&record.path()).split_once('\n').is_some_and(|(_, text)| text == made.text)
        && made.figures.iter().all(figure)
}

/// Runs all programs of a section and gives what is wrong.
fn section(name: &str) -> Vec<String> {
    let tolerances = Tolerances::of(name);
    let records = short(name);
    let mut wrong = Vec::new();
    let first = workshop();
    for record in &records {
        let made = match make(record, &[], first.path()) {
            Ok(made) => made,
            Err(what) => {
                wrong.push(what);
                continue;
            }
        };
        wrong.extend(compare(record, &made, &tolerances));
        let main = record.file == "output.txt";
        let again: Vec<&str> = tolerances.again.iter().map(String::as_str).collect();
        let again = if main { again } else { Vec::new() };
        // A run that is made short, or is not byte by byte what was recorded,
        // is made once more.
        let twice = !again.is_empty() || !is_recorded(record, &made);
        let one = match again.is_empty() {
            true => Ok(made),
            false => make(record, &again, workshop().path()),
        };
        if twice {
            // The answers and side pages find the model of the default run.
            let other = workshop();
            let other = if main { other.path() } else { first.path() };
            if one != make(record, &again, other) {
                wrong.push(format!("{}: another run gives other bytes", record.path()));
            }
        }
        if main {
            let seed = ["--seed", "18446744073709551615"];
            let other = make(record, &[&again[..], &seed].concat(), workshop().path());
            match (one, other) {
                (Ok(a), Ok(b)) if (a == b) == tolerances.no_chance => {}
                (Err(what), _) | (_, Err(what)) => wrong.push(what),
                _ => wrong.push(format!("{}: --seed, see `no chance`", record.path())),
            }
        }
    }
    wrong
}

#[test]
fn programs_print_what_is_recorded_and_draw_the_same_figures() {
    let waiting = Mutex::new(sections());
    let wrong = Mutex::new(Vec::new());
    let work = || {
        loop {
            // The last sections take longest.
            let Some(name) = waiting.lock().expect("no panic").pop() else { return };
            let faults = section(&name);
            wrong.lock().expect("no panic").extend(faults);
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

/// What a section declares of its trained parts is there.
#[test]
fn what_is_declared_is_there() {
    let mut faults = Vec::new();
    for name in sections() {
        let tolerances = Tolerances::of(&name);
        let mut fault =
            |what: String| faults.push(format!("{name}: tolerances.txt: {what}"));
        for (file, heading, _) in &tolerances.parts {
            let path = format!("chapters/{name}/{file}");
            let Ok(text) = std::fs::read_to_string(root().join(&path)) else {
                fault(format!("no {file}"));
                continue;
            };
            if !compare::headed(&text).iter().any(|(known, _)| known == heading) {
                fault(format!("no `{heading}` in {file}"));
            }
        }
        for figure in &tolerances.figures {
            let file = format!("book/figures/{name}/{figure}.svg");
            if !root().join(&file).is_file() {
                fault(format!("no {file}"));
            }
        }
    }
    none(faults);
}

fn run(path: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(path);
    command.args(arguments).current_dir(root()).env("RUST_BACKTRACE", "1");
    command.output().expect("starts")
}

#[test]
fn help_names_the_flags() {
    for ((kind, name), path) in built() {
        if kind == "bin" && sections().contains(name) {
            let output = run(path, &["--help"]);
            let text = String::from_utf8_lossy(&output.stdout);
            for flag in ["--seed", "--out", "--help"] {
                assert!(text.contains(flag), "{name}: no {flag}");
            }
        }
    }
}

#[test]
fn bad_input_is_one_line_on_standard_error() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let under_a_file = file.path().join("figures");
    let under_a_file = under_a_file.to_string_lossy().into_owned();
    let bad: [&[&str]; 8] = [
        &["--nope"],
        &["more"],
        &["--seed"],
        &["--seed", "x"],
        &["--seed", "-1"],
        &["--seed", "18446744073709551616"],
        &["--\u{1b}[31m"],
        &["--out", &under_a_file],
    ];
    for ((kind, name), path) in built() {
        let ours = kind == "bin" && sections().contains(name);
        for arguments in bad.iter().filter(|_| ours) {
            let output = run(path, arguments);
            let text = String::from_utf8_lossy(&output.stderr);
            let what = format!("{name} {arguments:?}: {text}");
            assert!(!output.status.success(), "{what}");
            assert_eq!(text.lines().count(), 1, "{what}");
            assert!(text.starts_with(name), "{what}");
            assert!(!text.contains("panicked") && !text.contains('\u{1b}'), "{what}");
        }
    }
}
