//! The halves of the Transformer as a reader meets them: `write` and its
//! mistakes; and what the page says of the recorded run.

use std::path::Path;
use std::process::{Command, Output};

const RECORDED: &str = include_str!("../output.txt");

fn write(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ch10_7"));
    let short = ["write", "--lessons", "10", "--model", "kept.safetensors"];
    let command = command.current_dir(folder).args(short).args(args);
    command.output().expect("starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn written(folder: &Path, args: &[&str]) -> String {
    let out = write(folder, args);
    assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
    text(&out.stdout)
}

fn error(folder: &Path, args: &[&str]) -> String {
    let out = write(folder, args);
    let (stdout, stderr) = (text(&out.stdout), text(&out.stderr));
    assert!(!out.status.success(), "{args:?} is no mistake: {stdout}");
    assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
    assert_eq!(stdout, "", "{args:?}");
    stderr
}

#[test]
fn write_trains_once_and_a_seed_gives_the_same_story() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let args = ["the fox", "--temperature", "1", "--seed", "3"];
    let first = write(folder, &args);
    assert!(text(&first.stderr).starts_with("no storyteller in kept"));
    let story = text(&first.stdout);
    assert!(story.starts_with("The fox"), "{story}");
    let again = write(folder, &args);
    assert_eq!(text(&again.stderr), "", "the model is kept");
    assert_eq!(text(&again.stdout), story);
    let other = ["the fox", "--temperature", "1", "--seed", "4"];
    assert_ne!(written(folder, &other), story);
    let cold =
        |seed| written(folder, &["the fox", "--temperature", "0", "--seed", seed]);
    assert_eq!(cold("1"), cold("2"), "nothing is drawn at temperature 0");
    // One word more, and a full stop has no space before it.
    let one = written(folder, &["THE fox , the  owl", "--words", "1"]);
    assert!(one.starts_with("The fox, the owl"), "{one}");
    assert!(one.split_whitespace().count() <= 5, "{one}");
    assert!(!written(folder, &["--temperature", "9"]).is_empty());
    std::fs::write(folder.join("kept.safetensors"), b"no").expect("written");
    let why = error(folder, &["the fox"]);
    let ours = "kept.safetensors: not a model, or damaged; --model FILE";
    assert!(why.contains(ours), "{why}");
}

#[test]
fn mistakes_are_told_in_one_line_before_anything_is_trained() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let why = error(folder, &["the zebra"]);
    assert!(why.contains("no row for it: zebra; begin with"), "{why}");
    let long = "fox ".repeat(128);
    assert!(error(folder, &[&long]).contains("128 words and marks"));
    for bad in ["-1", "NaN", "inf", "warm", ""] {
        let why = error(folder, &["the fox", "--temperature", bad]);
        assert!(why.contains("temperature"), "{why}");
    }
    error(folder, &["the fox", "--words", "0"]);
    error(folder, &["the fox", "--seed", "-1"]);
    error(folder, &["the fox", "--lessons", "9"]);
    error(folder, &["the", "fox"]);
    assert!(!folder.join("kept.safetensors").exists());
}

/// The number at the end of the line that begins so.
fn number(begins: &str) -> f64 {
    let line = RECORDED.lines().find(|line| line.starts_with(begins));
    let word = line.and_then(|line| line.split_whitespace().last());
    word.and_then(|word| word.parse().ok()).expect(begins)
}

#[test]
fn what_the_page_says_of_the_encoder_alone() {
    assert!(number("symbols that are right") >= 0.99);
    assert!(number("sequences that are right") >= 0.99);
    let line = |begins: &str| {
        let line = RECORDED.lines().find(|line| line.starts_with(begins));
        line.and_then(|line| line.strip_prefix(begins)).expect(begins)
    };
    let mut read: Vec<&str> = line("read    ").split(' ').collect();
    read.reverse();
    assert_eq!(read.join(" "), line("written "));
}

#[test]
fn what_the_page_says_of_the_decoder_alone() {
    let counted = number("by counting pairs, held out");
    let ours = number("step 1200");
    assert!(ours < 0.75 * counted, "{ours} {counted}");
    let heading = "Stories that it writes\n----------------------\n";
    let (_, stories) = RECORDED.split_once(heading).expect("a part");
    for temperature in ["0.0", "0.5", "1.0"] {
        assert!(stories.contains(&format!("temperature {temperature}\n")));
    }
}

/// The fewer tokens may be drawn, the fewer are the new pairs, and the words.
#[test]
fn what_the_answer_says_of_the_likeliest_tokens() {
    let recorded = include_str!("../examples/exercise_10_7_9.txt");
    let rows = recorded.lines().filter_map(|line| {
        let cells: Vec<f64> =
            line.split_whitespace().map_while(|x| x.parse().ok()).collect();
        <[f64; 3]>::try_from(cells).ok()
    });
    let rows: Vec<[f64; 3]> = rows.collect();
    assert_eq!(rows.len(), 5);
    assert!(rows.is_sorted_by(|a, b| a[1] < b[1] && a[2] < b[2]));
    assert!((0.1..0.3).contains(&rows[4][1]), "one in five");
}
