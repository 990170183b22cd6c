//! The program as a reader meets it: its subcommands, and mistakes.

use ch10_7::translator::{DROPOUT, LAYERS, SCHEDULE};
use ch10_7::{NormPosition, Transformer};
use seq2seq::program::{Job, JobArgs, Setting};
use std::path::PathBuf;
use support::RunArgs;
use testing::{part, program, repository};

const BINARY: &str = env!("CARGO_BIN_EXE_ch10_7");

#[test]
fn write_trains_once_and_a_seed_gives_the_same_story() {
    let folder = repository();
    let write = |args: &[&str]| {
        let write = ["write", "--steps", "10"];
        program(BINARY, folder.path()).args(write).args(args).run()
    };
    let args = ["the fox", "--temperature", "1", "--seed", "3"];
    let first = write(&args);
    assert!(first.stderr.contains("training"), "{}", first.stderr);
    let story = first.printed();
    assert!(story.starts_with("The fox"), "{story}");
    let again = write(&args);
    assert_eq!(again.stderr, "", "the model is saved");
    assert_eq!(again.printed(), story);
    let other = ["the fox", "--temperature", "1", "--seed", "4"];
    assert_ne!(write(&other).printed(), story);
    let cold =
        |seed| write(&["the fox", "--temperature", "0", "--seed", seed]).printed();
    assert_eq!(cold("1"), cold("2"), "nothing is drawn at temperature 0");
    let one = write(&["THE fox , the  owl", "--tokens", "1"]).printed();
    assert!(one.starts_with("The fox, the owl"), "{one}");
    assert!(one.split_whitespace().count() <= 5, "{one}");
    assert!(!write(&["--temperature", "9"]).printed().is_empty());
    std::fs::write(folder.path().join("bad"), b"no").expect("written");
    let why = write(&["the fox", "--model", "bad"]).error();
    assert!(why.contains("bad: not a model, or damaged; --model FILE"), "{why}");
}

#[test]
fn mistakes_end_in_one_line_before_anything_is_trained() {
    let folder = repository();
    let error = |args: &[&str]| program(BINARY, folder.path()).args(args).run().error();
    let why = error(&["write", "the zebra"]);
    assert!(why.contains("not in the stories") && why.contains("zebra"), "{why}");
    let long = "fox ".repeat(128);
    assert!(error(&["write", &long]).contains("128 words and marks"));
    for bad in ["-1", "NaN", "inf", "warm", ""] {
        let why = error(&["write", "the fox", "--temperature", bad]);
        assert!(why.contains("temperature"), "{why}");
    }
    error(&["write", "the fox", "--tokens", "0"]);
    error(&["write", "the fox", "--steps", "9"]);
    error(&["write", "the", "fox"]);
    error(&["reversal", "--steps", "9"]);
    error(&["beam", ""]);
    error(&["beam", "go .", "--width", "0"]);
    error(&["cache", "--runs", "0"]);
    error(&["--seed", "-1"]);
    assert!(!folder.path().join("target").exists(), "something was trained");
}

/// As in a checkout that is read-only: files stand where folders would be made.
#[test]
fn what_cannot_be_saved_is_said_and_the_story_told() {
    let folder = repository();
    for name in ["target", "book"] {
        std::fs::write(folder.path().join(name), "").expect("written");
    }
    let at = || program(BINARY, folder.path());
    let done = at().args(["write", "the fox", "--steps", "10"]).run();
    let note = "cannot write target/ch10_7/";
    assert!(done.stderr.lines().any(|line| line.starts_with(note)), "{}", done.stderr);
    assert!(done.printed().starts_with("The fox"));
    for command in ["norm", "cache"] {
        let why = at().args([command]).run().error();
        let out = "ch10_7: cannot write book/figures/ch10_7; --out DIR names another";
        assert!(why.starts_with(out), "{why}");
    }
}

#[test]
fn a_model_of_other_widths_or_heads_is_saved_under_another_name() {
    let book = file::<64, 4, 16, 128>();
    assert!(book.is_some() && book == file::<64, 4, 16, 128>());
    for other in [file::<64, 8, 8, 128>(), file::<32, 4, 8, 128>()] {
        assert_ne!(book, other);
    }
}

fn file<const M: usize, const H: usize, const D: usize, const FFN: usize>()
-> Option<PathBuf> {
    let job = Job::new(RunArgs::default(), JobArgs::default()).expect("is the book's");
    let setting: Setting<Transformer<M, H, D, FFN>> = Setting {
        config: String::new(),
        schedule: SCHEDULE,
        model: |dev, sizes| {
            Transformer::new(dev, sizes, LAYERS, DROPOUT, NormPosition::Post)
        },
    };
    job.file("ch10_7", &setting).path().map(PathBuf::from)
}

/// What is translated and how does not steer a terminal.
#[test]
fn what_the_sentences_hold_is_escaped() {
    let folder = repository();
    let pairs = "Go \u{1b}]0;x\u{7}.\tVa \u{1b}]0;x\u{7} !\n".repeat(4);
    std::fs::write(folder.path().join("pairs.tsv"), pairs).expect("written");
    let data = ["--data", "pairs.tsv", "--epochs", "60"];
    for more in [&[][..], &["beam", "Go."]] {
        let out = program(BINARY, folder.path()).args(data).args(more).run().printed();
        assert!(out.contains("\\u{1b}]0;x\\u{7} !"), "{more:?}: {out}");
        assert!(!out.replace('\n', "").contains(char::is_control), "{out:?}");
    }
}

/// The short commands of the side pages, small; and the default run's parts.
#[test]
fn the_commands_of_the_pages_run() {
    let folder = repository();
    let printed =
        |args: &[&str]| program(BINARY, folder.path()).args(args).run().printed();
    let all = printed(&["--epochs", "1"]);
    for heading in ["Shapes", "Training", "A translation", "All attentions"] {
        assert!(!part(&all, heading).is_empty(), "{heading}");
    }
    let beam =
        printed(&["--epochs", "1", "beam", "The red car is new.", "--width", "3"]);
    assert_eq!(beam.lines().count(), 3, "{beam}");
    assert!(printed(&["reversal", "--steps", "10"]).contains("parameters 9066"));
    let last = ["--seed", "18446744073709551615", "--out", "."];
    printed(&[&["reversal", "--steps", "10"][..], &last].concat());
    assert!(folder.path().join("reversal.svg").exists());
    let language = printed(&["language", "--steps", "10"]);
    assert!(language.contains("parameters               92365"), "{language}");
    let figures = folder.path().join("book/figures/ch10_7");
    for name in ["translation", "encoder", "decoder", "cross", "reversal", "causal"] {
        assert!(figures.join(format!("{name}.svg")).exists(), "{name}");
    }
}
