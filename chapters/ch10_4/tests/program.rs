//! The program as a reader meets it: files, flags, mistakes.

use seq2seq::dataset::Dataset;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;
use testing::program;

const BINARY: &str = env!("CARGO_BIN_EXE_ch10_4");

const PAIRS: &str = "Go.\tVa !\tCC-BY\nI am hot.\tJ'ai chaud.\n\
                     I am here.\tJe suis ici.\nGo.\tVa !\n\
                     I am hot.\tJ'ai chaud.\nI am here.\tJe suis ici.\n";

/// A folder with the sentences above, that is a repository for the program.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("pairs.tsv"), PAIRS).expect("written");
    std::fs::write(folder.path().join("book.toml"), "").expect("written");
    std::fs::create_dir(folder.path().join("chapters")).expect("made");
    folder
}

fn run(folder: &Path, args: &[&str]) -> Output {
    program(BINARY, folder).args(args).command().output().expect("starts")
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

fn translate<'a>(sentence: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&DATA[..], more, &["translate", sentence]].concat()
}

#[test]
fn translate_trains_once_and_then_reads_the_model() {
    let folder = folder();
    let args = translate("I am hot.", &["--epochs", "60"]);
    let first = run(folder.path(), &args);
    assert!(first.status.success(), "{}", text(&first.stderr));
    let notes = text(&first.stderr);
    let trains = "no model for this setting and these sentences yet: training";
    assert!(notes.starts_with(trains), "{notes}");
    assert!(notes.contains("tokens/s") && notes.contains("s left"), "{notes}");
    let second = run(folder.path(), &args);
    let note = "the model in model.safetensors answers; another FILE trains anew\n";
    assert_eq!(text(&second.stderr), note);
    assert_eq!(text(&first.stdout), text(&second.stdout));
    assert_eq!(text(&second.stdout).lines().next(), Some("j'ai chaud ."));
}

/// What is saved without a name answers only for its own sentences, epochs and
/// seed.
#[test]
fn a_model_that_is_saved_answers_for_its_own_data_alone() {
    let folder = folder();
    let at = folder.path();
    std::fs::create_dir(at.join("other")).expect("made");
    let other = PAIRS.replace("Va !", "Vas-y !");
    std::fs::write(at.join("other/pairs.tsv"), other).expect("written");
    let go = |file: &str, more: &[&str]| {
        let args = ["--data", file, "--epochs", "60"];
        let out = run(at, &[&args[..], more, &["translate", "Go."]].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        let answer = text(&out.stdout).lines().next().map(String::from);
        (answer.expect("an answer"), !out.stderr.is_empty())
    };
    assert_eq!(go("pairs.tsv", &[]), ("va !".into(), true));
    assert_eq!(go("pairs.tsv", &[]), ("va !".into(), false));
    assert_eq!(go("other/pairs.tsv", &[]), ("vas-y !".into(), true));
    assert!(go("pairs.tsv", &["--seed", "18446744073709551615"]).1);
    assert!(go("pairs.tsv", &["--pairs", "4"]).1);
}

/// Neither what is read nor what is written steers a terminal.
#[test]
fn what_the_sentences_hold_is_escaped() {
    let folder = folder();
    let pairs = "Go \u{1b}]0;x\u{7}.\tVa \u{1b}]0;x\u{7} !\n".repeat(4);
    std::fs::write(folder.path().join("pairs.tsv"), pairs).expect("written");
    let data = ["--data", "pairs.tsv", "--epochs", "60", "--out", "."];
    for more in [&[][..], &["translate", "Go."], &["d2l", "--seeds", "1"]] {
        let out = run(folder.path(), &[&data[..], more].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        let out = text(&out.stdout);
        assert!(out.contains("\\u{1b}]0;x\\u{7} !"), "{more:?}: {out}");
        assert!(!out.replace('\n', "").contains(char::is_control), "{out:?}");
    }
}

#[test]
fn an_unknown_word_is_read_as_unknown() {
    let folder = folder();
    let out = run(folder.path(), &translate("I am Zoë.", &["--epochs", "1"]));
    let unknown = "not in the vocabulary, read as <unk>: zoë";
    assert_eq!(text(&out.stdout).lines().next(), Some(unknown));
    assert!(out.status.success());
}

#[test]
fn mistakes_are_one_line_each() {
    let folder = folder();
    let error = |args: &[&str]| error(folder.path(), args);
    let none = "ch10_4: there is no sentence to translate";
    assert_eq!(error(&translate(" ", &[])), none);
    let control = "ch10_4: a control character in the sentence";
    assert_eq!(error(&translate("go\n", &[])), control);
    assert_eq!(
        error(&translate("a b c d e f g h i j", &[])),
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
    let same = ["--data", "pairs.tsv", "--model", "pairs.tsv", "translate", "go"];
    assert!(error(&same).starts_with("ch10_4: pairs.tsv: not a model"), "{same:?}");
    assert!(error(&["--pairs", "2"]).contains("--data"));
    assert!(error(&["--epochs", "4294967295"]).contains("--epochs"));
    let d2l = run(folder.path(), &["d2l", "--data", "none.tsv"]);
    let d2l = text(&d2l.stderr);
    assert!(d2l.starts_with("ch10_4: cannot read none.tsv: "), "{d2l}");
    assert_eq!(d2l.lines().count(), 1, "{d2l}");
    let d2l = text(&run(folder.path(), &["d2l"]).stderr);
    assert_eq!(d2l, "ch10_4: d2l needs its sentences: --data FILE\n");
    assert!(error(&["translate"]).contains("<SENTENCE>"));
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
    assert!(out.contains("go .  (in the training)  right: va !\n"), "{out}");
    assert_eq!(out.matches("  seed ").count(), 12, "{out}");
}

/// Of three sentences one is to train with, one to validate, one is held out.
#[test]
fn sentences_of_the_reader_are_held_out() {
    let folder = folder();
    let data = ["--data", "pairs.tsv", "--epochs", "1", "--out", "."];
    for (what, rows) in [(&[][..], 1), (&["d2l"][..], 3)] {
        let args = [what, &data[..], &["--held-out", "1"]].concat();
        let out = run(folder.path(), &args);
        assert!(out.status.success(), "{}", text(&out.stderr));
        let out = text(&out.stdout);
        assert!(out.contains("\nSentences it was not trained with\n"), "{out}");
        assert_eq!(out.matches("held out").count(), rows, "{out}");
    }
    let out = run(folder.path(), &[&data[..], &["--held-out", "2"]].concat());
    let why = "ch10_4: pairs.tsv: of 3 sentences at most 1 can be held out\n";
    assert_eq!(text(&out.stderr), why);
}

/// What is compared is scored, however short the training, on pairs that are
/// held out; without any, nothing is trained.
#[test]
fn what_is_compared_is_scored() {
    let folder = folder();
    let compare = ["--epochs", "1", "--out", ".", "compare"];
    let out = run(folder.path(), &compare);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(folder.path().join("compare-bleu.svg").exists());
    let data = [&compare[..], &["--data", "pairs.tsv"]].concat();
    let out = run(folder.path(), &data);
    let why = "ch10_4: nothing is held out to compare by; \
               --held-out N holds out N sentences\n";
    assert!(!out.status.success());
    assert_eq!(text(&out.stderr), why);
}

/// An epoch is enough to see which sentences are evaluated: those of the
/// corpus that the model was not trained with, each once.
#[test]
fn the_default_run_evaluates_what_it_was_not_trained_with() {
    let folder = folder();
    let out = run(folder.path(), &["--epochs", "1", "--out", "."]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let out = text(&out.stdout);
    let data = Dataset::book();
    for (name, pairs) in
        [("validation", &data.validation), ("held out", &data.held_out)]
    {
        let sources: BTreeSet<_> = pairs.iter().map(|pair| &pair.source).collect();
        let line = out.lines().find(|line| line.starts_with(name)).expect(name);
        let count = line[name.len()..].split_whitespace().next();
        assert_eq!(count, Some(&sources.len().to_string()[..]), "{line}");
    }
    let first = data.held_out[0].source.join(" ");
    assert!(out.contains(&format!("  {first}\n")), "{out}");
    assert!(out.contains("parameters          126808\n"), "{out}");
    for figure in ["loss", "red-car", "black-cat", "at-me"] {
        let svg = std::fs::read_to_string(folder.path().join(format!("{figure}.svg")));
        assert!(svg.expect(figure).contains("<svg"));
    }
}

#[test]
fn a_model_that_does_not_fit_is_refused() {
    let folder = folder();
    let at = folder.path();
    let args = translate("Go.", &["--epochs", "1"]);
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

/// As in a checkout that is read-only: files stand where folders would be made.
#[test]
fn without_a_place_for_the_model_the_answer_is_given() {
    let folder = folder();
    for name in ["target", "book"] {
        std::fs::write(folder.path().join(name), "").expect("written");
    }
    let args = ["--data", "pairs.tsv", "--epochs", "60", "translate", "Go."];
    let out = run(folder.path(), &args);
    let stderr = text(&out.stderr);
    assert!(out.status.success(), "{stderr}");
    let note = "cannot write target/ch10_4/";
    assert!(stderr.lines().any(|line| line.starts_with(note)), "{stderr}");
    assert_eq!(text(&out.stdout).lines().next(), Some("va !"));
}

#[test]
fn a_model_that_cannot_be_saved_is_not_trained() {
    let folder = folder();
    let nowhere = "pairs.tsv/model"; // a folder that is a file
    let args = ["--data", "pairs.tsv", "--model", nowhere, "translate", "Go."];
    let out = run(folder.path(), &args);
    let stderr = text(&out.stderr);
    assert!(!out.status.success());
    let named = "cannot write pairs.tsv/model; --model FILE names another";
    assert!(stderr.contains(named), "{stderr}");
    assert!(!stderr.contains("tokens/s"), "it trained: {stderr}");
}
