//! Every program of the book is run: it prints what its pages show and draws
//! the same figures.

use crate::records::{Record, short};
use crate::repository::{built, none, root, sections};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Mutex;
use testing::repository;

/// A command that runs programs as another processor would, if one is given, such
/// as `EMULATOR="qemu-x86_64-static -cpu Nehalem"`.
fn emulator() -> Option<Vec<String>> {
    let command = std::env::var("EMULATOR").ok()?;
    Some(command.split_whitespace().map(String::from).collect())
}

/// Whether this is the kind of machine that the records are made on: there all
/// bytes are the same. Another processor, or another library of mathematics,
/// rounds in another way.
fn same_kind() -> bool {
    if emulator().is_some() {
        return false;
    }
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    return is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    false
}

/// What a program prints.
fn run(mut command: Command, folder: &Path) -> Result<String, String> {
    if let Some(words) = emulator() {
        let mut emulated = Command::new(&words[0]);
        emulated.args(&words[1..]).arg(command.get_program()).args(command.get_args());
        command = emulated;
    }
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

/// Runs the program of a record; what it makes is what is committed. Where another
/// rounding is to be expected, numbers may differ: see `alike`.
fn again(record: &Record, folder: &Path) -> Result<(), String> {
    let made = run(record.call.command(), folder)?;
    if same_kind() {
        same("output", &record.text, &made)?;
    } else {
        same("headings and figures", &frame(&record.text), &frame(&made))?;
        alike(&record.text, &made, trains(&record.file))?;
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

/// The records of runs that train nothing.
const UNTRAINED: [&str; 18] = [
    "chapters/ch10_1/",
    "chapters/ch10_2/output/kernels.txt",
    "chapters/ch10_2/examples/exercise_10_2_1.txt",
    "chapters/ch10_2/examples/exercise_10_2_3.txt",
    "chapters/ch10_3/output.txt",
    "chapters/ch10_3/examples/",
    "chapters/ch10_5/examples/exercise_10_5_1.txt",
    "chapters/ch10_5/examples/exercise_10_5_3.txt",
    "chapters/ch10_5/examples/exercise_10_5_4.txt",
    "chapters/ch10_5/examples/exercise_10_5_5.txt",
    "chapters/ch10_6/output.txt",
    "chapters/ch10_6/examples/exercise_10_6_1.txt",
    "chapters/ch10_7/examples/exercise_10_7_4.txt",
    "chapters/seq2seq/output/pieces.txt",
    "chapters/seq2seq/output/sentences.txt",
    "chapters/seq2seq/examples/exercise_seq2seq_2.txt",
    "chapters/seq2seq/examples/exercise_seq2seq_3.txt",
    "chapters/ch10_7/output/pieces.txt",
];

fn trains(file: &str) -> bool {
    !UNTRAINED.iter().any(|start| file.starts_with(start))
}

/// What stands in a line: numbers, with how many digits each has after its point,
/// and the text between them.
fn split(line: &str) -> (Vec<(f64, usize)>, Vec<&str>) {
    let (mut numbers, mut words) = (Vec::new(), Vec::new());
    for word in line.split(|c: char| c.is_whitespace() || "[](),".contains(c)) {
        let bare = word.trim_end_matches(['%', ':', '.', ';']);
        let digits = bare.split_once('.').map_or(0, |(_, digits)| digits.len());
        match bare.parse::<f64>() {
            Ok(number) => numbers.push((number, digits)),
            Err(_) if word.is_empty() => {}
            Err(_) => words.push(word),
        }
    }
    (numbers, words)
}

/// Compares what two processors print. Of a run that trains nothing, all words are
/// the same, and each number is, but for two units of the last digit that is
/// printed and a ten-thousandth; a whole number is the same. A training goes
/// another way from its first rounding on: each line that has the words of the
/// recorded one, and is no sentence that the model wrote, has numbers within a
/// fifth of the recorded ones or a fifth of 1, and nine of ten lines with numbers
/// are such lines.
fn alike(recorded: &str, made: &str, trained: bool) -> Result<(), String> {
    let lines = |text: &str| text.lines().map(String::from).collect::<Vec<_>>();
    let (recorded, made) = (lines(recorded), lines(made));
    let allowed = |number: f64, digits: usize| match (trained, digits) {
        (true, _) => 0.2 * number.abs().max(1.0),
        (false, 0) => 0.0,
        (false, digits) => 2.0 * 0.1f64.powi(digits as i32) + 1e-4 * number.abs(),
    };
    if !trained && recorded.len() != made.len() {
        return Err(format!("{} lines, not {}", made.len(), recorded.len()));
    }
    let (mut compared, mut all) = (0, 0);
    for (n, line) in (1..).zip(&recorded) {
        let (numbers, words) = split(line);
        all += usize::from(!numbers.is_empty());
        // A training may write sentences of other lengths before this line.
        let mut others = made.iter().skip(if trained { 0 } else { n - 1 });
        let other = others.find(|other| {
            let (theirs, their_words) = split(other);
            their_words == words && theirs.len() == numbers.len() || !trained
        });
        let Some(other) = other else { continue };
        let (theirs, their_words) = split(other);
        if their_words != words || theirs.len() != numbers.len() {
            return Err(format!("line {n}: recorded {line:?}, made {other:?}"));
        }
        if numbers.is_empty() {
            continue;
        }
        // The same line may stand in several tables: one of them is like it.
        let near = |other: &String| {
            let (theirs, their_words) = split(other);
            let pairs = numbers.iter().zip(&theirs);
            their_words == words
                && theirs.len() == numbers.len()
                && pairs.clone().all(|((a, digits), (b, _))| {
                    (a - b).abs() <= allowed(*a, *digits) || a == b || a.is_nan()
                })
        };
        let is_near = if trained { made.iter().any(near) } else { near(other) };
        if !is_near {
            return Err(format!("line {n}: recorded {line:?}, made {other:?}"));
        }
        compared += 1;
    }
    match 10 * compared >= 9 * all {
        true => Ok(()),
        false => Err(format!("only {compared} of {all} lines with numbers are alike")),
    }
}

/// The comparison for other processors, tried on outputs that are changed in the
/// last digit that is printed, as another rounding does, and then by more.
#[test]
fn another_rounding_is_told_from_another_number() {
    let changed = |text: &str, units: f64| -> String {
        let line = |line: &str| {
            let words = line.split(' ').map(|word| {
                let digits = word.split_once('.').map_or(0, |(_, digits)| digits.len());
                match word.parse::<f64>() {
                    Ok(x) if digits > 0 => {
                        let x = x + units * 0.1f64.powi(digits as i32);
                        format!("{x:.digits$}")
                    }
                    _ => word.to_string(),
                }
            });
            words.collect::<Vec<_>>().join(" ") + "\n"
        };
        text.lines().map(line).collect()
    };
    let mut tried = 0;
    for record in sections().iter().flat_map(|name| short(name)) {
        let (text, trained) = (&record.text, trains(&record.file));
        alike(text, text, trained)
            .unwrap_or_else(|why| panic!("{}: {why}", record.file));
        let last = changed(text, 1.0);
        alike(text, &last, trained)
            .unwrap_or_else(|why| panic!("{}: {why}", record.file));
        if !trained && last != *text {
            let more = alike(text, &changed(text, 8.0), trained);
            assert!(more.is_err(), "{}: any number passes", record.file);
            tried += 1;
        }
        let words = text.replace("e", "a");
        if !trained && words != *text {
            alike(text, &words, trained).expect_err("other words");
        }
    }
    assert!(tried > 10, "{tried}");
    let record =
        "\nTraining\n--------\nepoch 1  2.4051\nright 0.97\nthe cat is black\n";
    let trained = |text: &str| alike(record, text, true);
    trained(&record.replace("2.4051", "2.2873")).expect("another training");
    trained(&record.replace("cat", "dog")).expect("another sentence");
    trained(&record.replace("0.97", "0.57")).expect_err("a worse model");
    trained(&record.replace("2.4051", "0.2405")).expect_err("a digit moved");
    trained(&record.replace("right", "wrong")).expect_err("another label");
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
    let help = "`cargo run -p book -- refresh` regenerates them";
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
