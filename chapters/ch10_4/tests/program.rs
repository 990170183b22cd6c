//! The program as a reader meets it: files, flags, mistakes.

use seq2seq::dataset::Dataset;
use std::collections::BTreeSet;
use tempfile::TempDir;
use testing::{Finished, program, repository};

const PAIRS: &str = "Go.\tVa !\tCC-BY\nI am hot.\tJ'ai chaud.\n\
                     I am here.\tJe suis ici.\nGo.\tVa !\n\
                     I am hot.\tJ'ai chaud.\nI am here.\tJe suis ici.\n";

/// A repository for the program, with the sentences above.
fn folder() -> TempDir {
    let folder = repository();
    std::fs::write(folder.path().join("pairs.tsv"), PAIRS).expect("written");
    folder
}

fn run(folder: &TempDir, args: &[&str]) -> Finished {
    program(env!("CARGO_BIN_EXE_ch10_4"), folder.path()).args(args).run()
}

const DATA: [&str; 4] = ["--data", "pairs.tsv", "--model", "model.safetensors"];

fn translate<'a>(sentence: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&DATA[..], more, &["translate", sentence]].concat()
}

/// The first line of what is printed.
fn answer(run: Finished) -> String {
    run.printed().lines().next().expect("an answer").to_string()
}

#[test]
fn translate_trains_once_and_then_reads_the_model() {
    let folder = folder();
    let args = translate("I am hot.", &["--epochs", "60"]);
    let first = run(&folder, &args);
    let trains = "no model for this setting and these sentences yet: training";
    let notes = &first.stderr;
    assert!(notes.starts_with(trains), "{notes}");
    assert!(notes.contains("tokens/s") && notes.contains("s left"), "{notes}");
    let second = run(&folder, &args);
    let note = "the model in model.safetensors answers; another FILE trains anew\n";
    assert_eq!(second.stderr, note);
    assert_eq!(first.printed(), second.stdout);
    assert_eq!(answer(second), "j'ai chaud .");
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
        let out = run(&folder, &[&args[..], more, &["translate", "Go."]].concat());
        let trained = !out.stderr.is_empty();
        (answer(out), trained)
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
        let out = run(&folder, &[&data[..], more].concat()).printed();
        assert!(out.contains("\\u{1b}]0;x\\u{7} !"), "{more:?}: {out}");
        assert!(!out.replace('\n', "").contains(char::is_control), "{out:?}");
    }
}

#[test]
fn an_unknown_word_is_read_as_unknown() {
    let folder = folder();
    let out = run(&folder, &translate("I am Zoë.", &["--epochs", "1"]));
    assert_eq!(answer(out), "not in the vocabulary, read as <unk>: zoë");
}

#[test]
fn mistakes_are_one_line_each() {
    let folder = folder();
    let error = |args: &[&str]| run(&folder, args).error();
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
    let d2l = run(&folder, &["d2l", "--data", "none.tsv"]).stderr;
    assert!(d2l.starts_with("ch10_4: cannot read none.tsv: "), "{d2l}");
    assert_eq!(d2l.lines().count(), 1, "{d2l}");
    let d2l = run(&folder, &["d2l"]).stderr;
    assert_eq!(d2l, "ch10_4: d2l needs its sentences: --data FILE\n");
    assert!(error(&["translate"]).contains("<SENTENCE>"));
    assert!(error(&["--what"]).contains("--help lists the flags"));
}

/// Three seeds, an epoch each, on six pairs of three sentences.
#[test]
fn the_setting_of_d2l_takes_a_file_of_the_reader() {
    let folder = folder();
    let args = ["d2l", "--data", "pairs.tsv", "--epochs", "1"];
    let out = run(&folder, &args).printed();
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
        let out = run(&folder, &args).printed();
        assert!(out.contains("\nSentences it was not trained with\n"), "{out}");
        assert_eq!(out.matches("held out").count(), rows, "{out}");
    }
    let why = run(&folder, &[&data[..], &["--held-out", "2"]].concat()).error();
    assert_eq!(why, "ch10_4: pairs.tsv: of 3 sentences at most 1 can be held out");
}

/// What is compared is scored, however short the training, on pairs that are
/// held out; without any, nothing is trained.
#[test]
fn what_is_compared_is_scored() {
    let folder = folder();
    let compare = ["--epochs", "1", "--out", ".", "compare"];
    run(&folder, &compare).printed();
    assert!(folder.path().join("compare-bleu.svg").exists());
    let data = [&compare[..], &["--data", "pairs.tsv"]].concat();
    let why = "ch10_4: nothing is held out to compare by; \
               --held-out N holds out N sentences\n";
    let out = run(&folder, &data);
    assert!(!out.status.success());
    assert_eq!(out.stderr, why);
}

/// An epoch is enough to see which sentences are evaluated: those of the
/// corpus that the model was not trained with, each once.
#[test]
fn the_default_run_evaluates_what_it_was_not_trained_with() {
    let folder = folder();
    let out = run(&folder, &["--epochs", "1", "--out", "."]).printed();
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
    run(&folder, &args).printed();
    std::fs::write(at.join("other.tsv"), "A a\tB b\n").expect("written");
    let other = ["--data", "other.tsv", "--model", "model.safetensors"];
    let other = [&other[..], &["translate", "A"]].concat();
    assert_eq!(
        run(&folder, &other).error(),
        "ch10_4: model.safetensors: trained with another vocabulary; \
         --model FILE names another"
    );
    let model = at.join("model.safetensors");
    let bytes = std::fs::read(&model).expect("is there");
    std::fs::write(&model, &bytes[..bytes.len() / 2]).expect("written");
    assert_eq!(
        run(&folder, &args).error(),
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
    let out = run(&folder, &args);
    let note = "cannot write target/ch10_4/";
    assert!(out.stderr.lines().any(|line| line.starts_with(note)), "{}", out.stderr);
    assert_eq!(answer(out), "va !");
}

#[test]
fn a_model_that_cannot_be_saved_is_not_trained() {
    let folder = folder();
    let nowhere = "pairs.tsv/model"; // a folder that is a file
    let args = ["--data", "pairs.tsv", "--model", nowhere, "translate", "Go."];
    let Finished { status, stderr, .. } = run(&folder, &args);
    assert!(!status.success());
    let named = "cannot write pairs.tsv/model; --model FILE names another";
    assert!(stderr.contains(named), "{stderr}");
    assert!(!stderr.contains("tokens/s"), "it trained: {stderr}");
}
