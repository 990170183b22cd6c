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

const DATA: [&str; 4] = ["--data", "pairs.tsv", "--model", "model.safetensors"];

/// Asks the program, which trains for some epochs if there is no model.
fn ask(folder: &Path, epochs: &str, sentence: &str) -> Output {
    let more = ["--epochs", epochs, "translate", sentence];
    let mut command = Command::new(env!("CARGO_BIN_EXE_ch10_7"));
    let command = command.current_dir(folder).args(DATA).args(more);
    command.output().expect("starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// The one line of error, where there must be nothing else.
fn error(out: Output) -> String {
    let (stdout, stderr) = (text(&out.stdout), text(&out.stderr));
    assert!(!out.status.success(), "no mistake: {stdout}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert_eq!(stdout, "");
    stderr.trim_end().to_string()
}

#[test]
fn translate_trains_once_and_then_reads_the_model() {
    let folder = folder();
    let first = ask(folder.path(), "40", "I am hot.");
    assert!(first.status.success(), "{}", text(&first.stderr));
    let told = text(&first.stderr);
    assert!(told.contains("no model in model.safetensors yet: training"));
    let second = ask(folder.path(), "40", "I am hot.");
    assert_eq!(text(&second.stderr), "");
    assert_eq!(text(&first.stdout), text(&second.stdout));
    assert_eq!(text(&second.stdout).lines().next(), Some("j'ai chaud ."));
}

#[test]
fn an_unknown_word_is_said_and_read_as_unknown() {
    let out = ask(folder().path(), "1", "I am Zoë.");
    let said = "not in the vocabulary, read as <unk>: zoë";
    assert_eq!(text(&out.stdout).lines().next(), Some(said));
    assert!(out.status.success());
}

#[test]
fn mistakes_are_one_line_each() {
    let folder = folder();
    let error = |sentence| error(ask(folder.path(), "1", sentence));
    assert_eq!(error(" "), "ch10_7: there is no sentence to translate");
    let long = error("a b c d e f g h i j");
    assert_eq!(long, "ch10_7: 10 tokens; the model reads at most 9");
}

#[test]
fn a_model_that_does_not_fit_is_refused() {
    let folder = folder();
    let at = folder.path();
    assert!(ask(at, "1", "Go.").status.success());
    let model = at.join("model.safetensors");
    let bytes = std::fs::read(&model).expect("is there");
    std::fs::write(&model, &bytes[..bytes.len() / 2]).expect("written");
    let damaged = error(ask(at, "1", "Go."));
    assert!(damaged.contains("not a model, or damaged"), "{damaged}");
    std::fs::write(&model, &bytes).expect("written");
    std::fs::write(at.join("pairs.tsv"), "A a\tB b\n").expect("written");
    let other = error(ask(at, "1", "A"));
    assert!(other.contains("trained with another vocabulary"), "{other}");
}
