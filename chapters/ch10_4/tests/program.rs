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
    [&["translate", sentence], &DATA[..], more].concat()
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
    assert_eq!(second.stderr, "using the model in model.safetensors\n");
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
        let args = ["translate", "Go.", "--data", file, "--epochs", "60"];
        let out = run(&folder, &[&args[..], more].concat());
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
    let data = ["--data", "pairs.tsv", "--epochs", "60"];
    for more in [&["--out", "."][..], &["translate", "Go."], &["d2l", "--seeds", "1"]] {
        let (command, rest) = more.split_at(if more[0] == "--out" { 0 } else { 1 });
        let out = run(&folder, &[command, &data[..], rest].concat()).printed();
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
    let same = ["translate", "go", "--data", "pairs.tsv", "--model", "pairs.tsv"];
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
        let data = &data[..if rows == 1 { 6 } else { 4 }];
        let args = [what, data, &["--held-out", "1"]].concat();
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
    let compare = ["compare", "--epochs", "1", "--out", "."];
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

/// A model answers for what it was trained with alone: its sentences, its flags,
/// and the code that trained it, comments and white space apart.
#[test]
fn a_model_answers_for_what_made_it_alone() {
    let folder = folder();
    let at = folder.path();
    // The library that trained it, as its sources are found.
    let library = at.join("chapters/ch10_4/src/lib.rs");
    std::fs::create_dir_all(library.parent().expect("has one")).expect("made");
    let code = |text: &str| std::fs::write(&library, text).expect("written");
    code("pub fn f(x: f32) -> f32 { x + 1.0 }\n");
    let args = translate("Go.", &["--epochs", "2"]);
    run(&folder, &args).printed();
    let bytes = || std::fs::read(at.join("model.safetensors")).expect("is there");
    let first = bytes();
    let refused = |args: &[&str]| run(&folder, args).error();

    code("// a note\npub fn f( x: f32, ) -> f32 {\n    /* so */ x + 1.0 }\n");
    run(&folder, &args).printed();
    code("pub fn f(x: f32) -> f32 { x + 2.0 }\n");
    let why = "ch10_4: model.safetensors: trained by other code than that of today; \
               --replace trains it again, another FILE keeps it";
    assert_eq!(refused(&args), why);
    code("pub fn f(x: f32) -> f32 { x + 1.0 }\n");

    // Asked without its flags: the message names them.
    let flags = "by `--data pairs.tsv --epochs 2`: ask for the same, or give another \
                 FILE";
    let bare = ["translate", "Go.", "--model", "model.safetensors"];
    let why = refused(&bare);
    assert!(why.ends_with(flags), "{why}");
    let why = refused(&translate("Go.", &["--epochs", "3"]));
    assert!(why.ends_with(flags), "{why}");
    let why = refused(&translate("Go.", &["--epochs", "2", "--seed", "1"]));
    assert!(why.ends_with(flags), "{why}");

    // A run that trains replaces no model without being asked.
    let again = [&DATA[..], &["--epochs", "3", "--out", "."]].concat();
    let why = refused(&again);
    assert!(why.starts_with("ch10_4: there is a model in model.safetensors"), "{why}");
    assert_eq!(bytes(), first, "is as it was");
    run(&folder, &[&again[..], &["--replace"]].concat()).printed();
    assert_ne!(bytes(), first, "is replaced");
    let why = refused(&["--epochs", "1", "--replace"]);
    assert!(why.contains("--model"), "{why}");

    let model = at.join("model.safetensors");
    std::fs::write(&model, &first[..first.len() / 2]).expect("written");
    assert_eq!(
        refused(&args),
        "ch10_4: model.safetensors: not a model, or damaged; \
         --model FILE names another"
    );
}

/// A training that is killed goes on where it was left, to the same bytes as one
/// that is not.
#[test]
fn a_training_that_is_killed_goes_on() {
    let (killed, whole) = (folder(), folder());
    let args = [&DATA[..], &["--epochs", "400", "--out", ".", "--keep-every", "0"]];
    let args = args.concat();
    let kept = |folder: &TempDir| {
        let files = std::fs::read_dir(folder.path()).expect("is there");
        let names = files.map(|file| file.expect("is listed").file_name());
        names.map(|name| name.into_string().expect("text")).find(|name| {
            name.starts_with("model.safetensors.") && name.ends_with(".training")
        })
    };
    let program = program(env!("CARGO_BIN_EXE_ch10_4"), killed.path()).args(&args);
    let null = std::process::Stdio::null;
    let mut command = program.command();
    let mut child = command.stdout(null()).stderr(null()).spawn().expect("is started");
    while kept(&killed).is_none() {
        let ended = child.try_wait().expect("is a child");
        assert!(ended.is_none(), "it keeps no training");
        std::thread::yield_now();
    }
    child.kill().expect("is stopped");
    child.wait().expect("is stopped");
    assert!(!killed.path().join("model.safetensors").exists(), "was too fast");
    // Another training does not take it for its own.
    let other = run(&killed, &[&args[..], &["--seed", "1"]].concat());
    assert!(!other.stderr.contains("going on"), "{}", other.stderr);
    std::fs::remove_file(killed.path().join("model.safetensors")).expect("saved");

    let resumed = run(&killed, &args);
    assert!(resumed.stderr.contains("going on after epoch"), "{}", resumed.stderr);
    let not_left = run(&whole, &args);
    assert!(!not_left.stderr.contains("going on"), "{}", not_left.stderr);
    assert_eq!(resumed.printed(), not_left.printed());
    let bytes =
        |folder: &TempDir| std::fs::read(folder.path().join("model.safetensors"));
    assert!(bytes(&killed).expect("saved") == bytes(&whole).expect("saved"));
    assert_eq!(kept(&killed), None, "is removed at the end");
}

/// What a model cannot learn of a reader's sentences is said before it trains, a
/// line each.
#[test]
fn sentences_that_cannot_be_learned_are_named() {
    let folder = folder();
    let notes = |pairs: &str| {
        std::fs::write(folder.path().join("own.tsv"), pairs).expect("written");
        let args = ["translate", "a", "--data", "own.tsv", "--epochs", "1"];
        let done = run(&folder, &args);
        let notes = done.stderr.lines().filter(|line| line.starts_with("own.tsv: "));
        let notes: Vec<String> = notes.map(String::from).collect();
        done.printed();
        notes
    };
    let cut = "a b c d e f g h i j\tA B\n".repeat(3) + "a b\tA B\n";
    assert_eq!(
        notes(&cut),
        ["own.tsv: 3 of 4 pairs have a sentence of more than 9 tokens, which is cut \
          there: shorten it, or raise STEPS in chapters/seq2seq/src/train.rs"]
    );
    let chinese = "the boy\t男孩画树。\nthe boy\t女孩看书。\nthe boy\t我们回家\n";
    assert_eq!(
        notes(chinese),
        [
            "own.tsv: 3 of 3 sentences such as `男孩画树。` are one token each: put a \
             space between their words, or between all their characters",
            "own.tsv: 3 of 3 translations to train with are all <unk>, since none of \
             their words occurs twice: add sentences that share words"
        ]
    );
    let spaced = "the boy\t男 孩 画 树 。\nthe boy\t男 孩 看 书 。\n".repeat(2);
    assert_eq!(notes(&spaced), [""; 0]);
}

/// With sentences of a reader's own, these are shown and drawn, and no figure of
/// the book is replaced.
#[test]
fn what_is_shown_is_of_the_readers_sentences() {
    let folder = folder();
    let at = folder.path();
    let own = "der ofen ist warm .\tle four est chaud .\n\
               der apfel ist rot .\tla pomme est rouge .\n\
               der ofen ist rot .\tle four est rouge .\n";
    std::fs::write(at.join("own.tsv"), own).expect("written");
    // A repository that has the records of the book.
    let chapter = at.join("chapters/ch10_4");
    std::fs::create_dir_all(&chapter).expect("made");
    std::fs::write(chapter.join("output.txt"), "$ cargo run -p ch10_4\n")
        .expect("written");
    let args = ["--data", "own.tsv", "--held-out", "1", "--epochs", "1"];
    let out = run(&folder, &args).printed();
    assert!(!out.contains("voiture") && !out.contains("English"), "{out}");
    let held_out = ["ofen ist warm", "apfel ist rot", "ofen ist rot"];
    let shown = out.split("\nAlignments\n").nth(1).expect("is printed");
    assert!(shown.contains("attends to"), "{out}");
    assert!(held_out.iter().any(|words| out.contains(words)), "{out}");
    let figures = at.join("target/figures/ch10_4");
    assert!(figures.join("own-1.svg").is_file(), "{out}");
    assert!(!at.join("book").exists(), "nothing of the book is written over");
    // As is none by another number of epochs.
    run(&folder, &["--epochs", "1"]).printed();
    assert!(!at.join("book").exists());
    assert!(figures.join("red-car.svg").is_file());
}

/// As in a checkout that is read-only: files stand where folders would be made.
#[test]
fn without_a_place_for_the_model_the_answer_is_given() {
    let folder = folder();
    for name in ["target", "book"] {
        std::fs::write(folder.path().join(name), "").expect("written");
    }
    let args = ["translate", "Go.", "--data", "pairs.tsv", "--epochs", "60"];
    let out = run(&folder, &args);
    let note = "cannot write target/ch10_4/";
    assert!(out.stderr.lines().any(|line| line.starts_with(note)), "{}", out.stderr);
    assert_eq!(answer(out), "va !");
}

#[test]
fn a_model_that_cannot_be_saved_is_not_trained() {
    let folder = folder();
    let nowhere = "pairs.tsv/model"; // a folder that is a file
    let args = ["translate", "Go.", "--data", "pairs.tsv", "--model", nowhere];
    let Finished { status, stderr, .. } = run(&folder, &args);
    assert!(!status.success());
    let named = "cannot write pairs.tsv/model; --model FILE names another";
    assert!(stderr.contains(named), "{stderr}");
    assert!(!stderr.contains("tokens/s"), "it trained: {stderr}");
}
