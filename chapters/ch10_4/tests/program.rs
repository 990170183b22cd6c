//! The program as a reader meets it: files, flags, mistakes.

use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const PAIRS: &str = "Go.\tVa !\tCC-BY\nI am hot.\tJ'ai chaud.\n\
                     I am here.\tJe suis ici.\nGo.\tVa !\n\
                     I am hot.\tJ'ai chaud.\nI am here.\tJe suis ici.\n";

/// A folder with the sentences above.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("pairs.tsv"), PAIRS).expect("written");
    folder
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ch10_4"));
    command.current_dir(folder).args(args);
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().expect("starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Runs, and fails unless there is one line of error and nothing else.
fn error(folder: &Path, args: &[&str]) -> String {
    let out = run(folder, args);
    let (stdout, stderr) = (text(&out.stdout), text(&out.stderr));
    assert!(!out.status.success(), "{args:?} is no mistake: {stdout}");
    assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
    assert_eq!(stdout, "", "{args:?}");
    stderr.trim_end().to_string()
}

const DATA: [&str; 4] = ["--data", "pairs.tsv", "--model", "model.safetensors"];

fn ask<'a>(sentence: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&DATA[..], more, &["translate", sentence]].concat()
}

#[test]
fn translate_trains_once_and_then_reads_the_model() {
    let folder = folder();
    let args = ask("I am hot.", &["--epochs", "60"]);
    let first = run(folder.path(), &args);
    assert!(first.status.success(), "{}", text(&first.stderr));
    let told = text(&first.stderr);
    assert!(told.starts_with("no model in model.safetensors yet: training"));
    assert!(told.contains("tokens/s") && told.contains("s left"), "{told}");
    let second = run(folder.path(), &args);
    assert_eq!(text(&second.stderr), "");
    assert_eq!(text(&first.stdout), text(&second.stdout));
    assert_eq!(text(&second.stdout).lines().next(), Some("j'ai chaud ."));
}

#[test]
fn an_unknown_word_is_said_and_read_as_unknown() {
    let folder = folder();
    let out = run(folder.path(), &ask("I am Zoë.", &["--epochs", "1"]));
    let said = "not in the vocabulary, read as <unk>: zoë";
    assert_eq!(text(&out.stdout).lines().next(), Some(said));
    assert!(out.status.success());
}

#[test]
fn mistakes_are_one_line_each() {
    let folder = folder();
    let error = |args: &[&str]| error(folder.path(), args);
    assert_eq!(error(&ask(" ", &[])), "ch10_4: there is no sentence to translate");
    assert_eq!(
        error(&ask("a b c d e f g h i j", &[])),
        "ch10_4: 10 tokens; the model reads at most 9"
    );
    let none = error(&["--data", "none.tsv"]);
    assert!(none.starts_with("ch10_4: cannot read none.tsv: "), "{none}");
    let file = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("written");
        error(&["--data", name])
    };
    let line = file("a.tsv", b"Go.\tVa !\nHi.\n");
    assert_eq!(line, "ch10_4: a.tsv: line 2: no tab between two sentences");
    let line = file("b.tsv", b"Go.\tVa !\n\n\xff\tb\n");
    assert_eq!(line, "ch10_4: b.tsv: line 3: not UTF-8");
    let line = file("c.tsv", b"Go.\t\n");
    assert_eq!(line, "ch10_4: c.tsv: line 1: nothing after the tab");
    let line = file("d.tsv", b"\n");
    assert_eq!(line, "ch10_4: d.tsv: no pair of sentences in it");
    assert!(error(&["--pairs", "0"]).starts_with("ch10_4: invalid value"));
    assert_eq!(error(&["d2l"]), "ch10_4: d2l needs its sentences: --data FILE");
    let none = error(&["d2l", "--data", "none.tsv"]);
    assert!(none.starts_with("ch10_4: cannot read none.tsv: "), "{none}");
    assert!(error(&["translate"]).contains("<sentence>"));
    assert!(error(&["--what"]).contains("--help lists the flags"));
}

/// Three seeds, an epoch each, on six pairs of three sentences.
#[test]
fn the_setting_of_d2l_takes_a_file_of_the_reader() {
    let folder = folder();
    let args = ["d2l", "--data", "pairs.tsv", "--epochs", "1"];
    let out = run(folder.path(), &args);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let out = text(&out.stdout);
    assert!(out.contains("pairs           6\n"), "{out}");
    // Each sentence has one translation here.
    assert!(out.contains("least loss 0.0000\n"), "{out}");
    assert!(out.contains("go .  (taught)  right: va !\n"), "{out}");
    assert_eq!(out.matches("  seed ").count(), 12, "{out}");
}

#[test]
fn a_model_that_does_not_fit_is_refused() {
    let folder = folder();
    let at = folder.path();
    let args = ask("Go.", &["--epochs", "1"]);
    assert!(run(at, &args).status.success());
    std::fs::write(at.join("other.tsv"), "A a\tB b\n").expect("written");
    let other = ["--data", "other.tsv", "--model", "model.safetensors"];
    let other = [&other[..], &["translate", "A"]].concat();
    assert_eq!(
        error(at, &other),
        "ch10_4: model.safetensors: trained with another vocabulary; \
         --model FILE names another"
    );
    let model = at.join("model.safetensors");
    let bytes = std::fs::read(&model).expect("is there");
    std::fs::write(&model, &bytes[..bytes.len() / 2]).expect("written");
    assert_eq!(
        error(at, &args),
        "ch10_4: model.safetensors: not a model, or damaged; \
         --model FILE names another"
    );
}

#[test]
fn a_model_that_cannot_be_kept_is_not_trained() {
    let folder = folder();
    let nowhere = "pairs.tsv/model"; // a folder that is a file
    let args = ["--data", "pairs.tsv", "--model", nowhere, "translate", "Go."];
    let told = error(folder.path(), &args);
    let named = "ch10_4: cannot write pairs.tsv/model; --model FILE names \
                 another: ";
    assert!(told.starts_with(named), "{told}");
}

#[cfg(unix)]
#[test]
fn interrupted_it_leaves_the_model_that_was_there() {
    let folder = folder();
    let at = folder.path();
    assert!(run(at, &ask("Go.", &["--epochs", "1"])).status.success());
    let before = std::fs::read(at.join("model.safetensors")).expect("there");
    let args = [&DATA[..], &["--epochs", "100000", "--out", "."]].concat();
    let mut long = command(at, &args);
    long.stdout(std::process::Stdio::null());
    long.stderr(std::process::Stdio::null());
    let mut long = long.spawn().expect("starts");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let pid = long.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status();
    assert!(sent.expect("kill is there").success());
    assert!(!long.wait().expect("ends").success());
    let after = std::fs::read(at.join("model.safetensors")).expect("there");
    assert!(before == after, "the model has changed");
    assert_eq!(std::fs::read_dir(at).expect("readable").count(), 2);
}
