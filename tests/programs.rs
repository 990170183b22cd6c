//! Every program of the book is run: it prints what its pages show and draws
//! the same figures.

use crate::records::{Record, short};
use crate::repository::{built, none, root, sections};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Mutex;
use testing::repository;

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
fn run(mut command: Command, folder: &Path) -> Result<String, String> {
    let Output { status, stdout, stderr } =
        command.current_dir(folder).output().expect("starts");
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

/// Fails with the first line in which two texts differ.
fn same(what: &str, recorded: &str, made: &str) -> Result<(), String> {
    let [recorded, made] =
        [recorded, made].map(|text| text.lines().map(Some).chain([None]));
    match (1..).zip(recorded.zip(made)).find(|(_, (a, b))| a != b) {
        Some((n, (a, b))) => {
            Err(format!("{what}: line {n}: recorded {a:?}, made {b:?}"))
        }
        None => Ok(()),
    }
}

/// The lines under which a text has its parts, and its figures.
fn frame(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let headings = lines.windows(2).filter(|two| two[1].starts_with("---"));
    let headings = headings.map(|two| two[0]).chain(figures(text));
    headings.flat_map(|line| [line, "\n"]).collect()
}

/// Runs the program of a record; what it makes is what is committed.
fn again(record: &Record, folder: &Path) -> Result<(), String> {
    let made = run(record.call.command(), folder)?;
    if same_kind() {
        same("output", &record.text, &made)?;
    } else {
        same("headings and figures", &frame(&record.text), &frame(&made))?;
        // On any one machine a program prints the same twice.
        same("another run", &made, &run(record.call.command(), folder)?)?;
    }
    for file in figures(&made) {
        let read = |root: &Path| std::fs::read_to_string(root.join(file));
        let drawn = read(folder).map_err(|error| format!("{file}: {error}"))?;
        let committed = read(root()).map_err(|error| format!("{file}: {error}"))?;
        if same_kind() {
            same(file, &committed, &drawn)?;
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
            // One for all: an answer reads the model of the default run.
            let folder = repository();
            for record in short(&name) {
                if let Err(what) = again(&record, folder.path()) {
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
            run(command, repository().path())
        };
        match (with("0"), with("18446744073709551615")) {
            (Ok(a), Ok(b)) if (a == b) == (name == "ch10_1") => {}
            (Err(what), _) | (_, Err(what)) => faults.push(format!("{name}: {what}")),
            _ => faults.push(format!("{name}: what does its --seed change?")),
        }
    }
    none(faults);
}
