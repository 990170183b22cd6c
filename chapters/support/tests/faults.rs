//! A program with bad flags, broken streams, in the wrong folder.

use std::ffi::OsStr;
use std::fs;
use std::io::pipe;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::{TempDir, tempdir};

fn probe(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_support_probe"));
    command.current_dir(folder).args(arguments);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    probe(folder, arguments).output().expect("starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("is UTF-8")
}

/// What a run prints that ends well.
#[track_caller]
fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The one line of a run that fails with this exit code, without the name of
/// the program.
#[track_caller]
fn complaint(output: &Output, code: i32) -> String {
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(!errors.trim_end().contains(char::is_control), "{errors:?}");
    let line = errors.trim_end().strip_prefix("support_probe: ");
    line.unwrap_or_else(|| panic!("{errors}")).to_string()
}

#[track_caller]
fn refused(folder: &Path, arguments: &[&str], code: i32) -> String {
    complaint(&run(folder, arguments), code)
}

/// A folder that is the repository of a book.
fn repository() -> TempDir {
    let folder = tempdir().expect("a temporary folder");
    fs::write(folder.path().join("book.toml"), "").expect("is written");
    fs::create_dir(folder.path().join("chapters")).expect("is made");
    folder
}

// --- Flags -------------------------------------------------------------------

#[test]
fn flags_stand_before_or_after_a_subcommand_and_in_the_help() {
    let folder = repository();
    let before = printed(folder.path(), &["--seed", "18446744073709551615", "seeds"]);
    assert_eq!(before, "[18446744073709551615, 0, 1]\n");
    let after = printed(folder.path(), &["seeds", "--seed", "18446744073709551615"]);
    assert_eq!(before, after);
    let help = printed(folder.path(), &["--help"]);
    for wanted in ["Runs into walls", "--seed <N>", "[default: 7]", "--out <DIR>"] {
        assert!(help.contains(wanted), "{wanted} in {help}");
    }
    assert!(!help.contains("--print-settings"));
}

#[test]
fn what_makes_no_sense_is_one_line() {
    let folder = repository();
    for (bad, why) in [
        ("--epochs=0", "'--epochs <N>': it is a whole number from 1 to 100000"),
        ("--epochs=1.5", "'--epochs <N>': it is a whole number from 1 to 100000"),
        ("--epochs=", "'--epochs <N>'"),
        ("--temperature=NaN", "it is a number from 0.01 to 100"),
        ("--seed=18446744073709551616", "'--seed <N>'"),
        ("--nope", "'--nope'"),
        ("more", "'more'"),
    ] {
        let line = refused(folder.path(), &[bad], 2);
        assert!(line.contains(why), "{line}");
        assert!(line.ends_with("; --help lists the flags"), "{line}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let mut command = probe(folder.path(), &["fail"]);
        let output = command.arg(OsStr::from_bytes(b"\xff\xfe")).output();
        complaint(&output.expect("starts"), 2);
    }
}

#[test]
fn what_steers_a_terminal_is_escaped() {
    let fail = ["fail", "\u{1b}[31mred\nnext\u{9b}2J\u{202e}"];
    let line = refused(repository().path(), &fail, 1);
    assert_eq!(line, "\\u{1b}[31mred\\nnext\\u{9b}2J\\u{202e}");
    assert_eq!(support::printable("« Où ? »  ok"), "« Où ? »  ok");
}

#[test]
fn a_mistake_of_the_program_is_one_line() {
    let line = refused(repository().path(), &["panic"], 101);
    assert_eq!(line, "a mistake of this program, please report: a b c");
}

// --- Streams -----------------------------------------------------------------

/// A pipe that nobody reads any more.
fn closed() -> Stdio {
    let (reader, writer) = pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

#[test]
fn closed_pipes_end_a_program_quietly_and_do_not_cost_a_training() {
    let folder = repository();
    for arguments in [&["--help"][..], &["train", "--model", "model"]] {
        let mut command = probe(folder.path(), arguments);
        let status = command.stdout(closed()).stderr(closed()).status();
        assert!(status.expect("starts").success(), "{arguments:?}");
    }
    assert!(folder.path().join("model").is_file());
    let seeds = probe(folder.path(), &["seeds"]).stdout(closed()).output();
    assert_eq!(text(&seeds.expect("starts").stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one_line_and_does_not_cost_a_training() {
    let full = || fs::File::options().write(true).open("/dev/full").expect("is there");
    let folder = repository();
    let train = ["train", "--model", "model"];
    let status = probe(folder.path(), &train).stdout(full()).stderr(full()).status();
    assert_eq!(status.expect("starts").code(), Some(1));
    assert!(folder.path().join("model").is_file());
    for arguments in [&["seeds"], &["--help"]] {
        let output = probe(folder.path(), arguments).stdout(full()).output();
        let line = complaint(&output.expect("starts"), 1);
        let why = "cannot write to standard output: No space";
        assert!(line.starts_with(why), "{line}");
    }
}

#[test]
fn progress_is_ten_lines_where_there_is_no_terminal() {
    let output = run(repository().path(), &["train", "--epochs", "137"]);
    let errors = text(&output.stderr);
    let lines = errors.lines().filter(|line| line.starts_with("... training: "));
    assert_eq!(lines.count(), 10, "{errors}");
    assert!(errors.contains("100 %  loss 0."), "{errors}");
}

// --- Folders and models ------------------------------------------------------

#[test]
fn the_repository_is_the_one_that_the_program_is_started_in() {
    let folder = repository();
    let figure = "figure: book/figures/support_probe/map.svg\n";
    assert_eq!(printed(folder.path(), &[]), figure);
    let file = folder.path().join("book/figures/support_probe/map.svg");
    fs::remove_file(&file).expect("is there");
    printed(&folder.path().join("chapters"), &[]);
    assert!(file.is_file());
    printed(folder.path(), &["--out", "elsewhere"]);
    assert!(folder.path().join("elsewhere/map.svg").is_file());
}

#[test]
fn outside_of_it_figures_need_a_folder_and_models_do_not() {
    let folder = tempdir().expect("a temporary folder");
    let line = refused(folder.path(), &[], 1);
    let why = "not inside the book's repository: --out DIR names a folder for figures";
    assert_eq!(line, why);
    assert!(printed(folder.path(), &["train"]).contains("Model\n-----\n"));
}

/// As in a checkout that is read-only: a file stands where a folder would be
/// made, which stops the superuser too.
#[test]
fn what_cannot_be_saved_is_said_and_the_answer_given() {
    let folder = repository();
    fs::write(folder.path().join("target"), "").expect("is written");
    fs::write(folder.path().join("book"), "").expect("is written");
    let output = run(folder.path(), &["train"]);
    let errors = text(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(text(&output.stdout).contains("Model"));
    let path = "cannot write target/support_probe/";
    assert!(errors.lines().any(|line| line.starts_with(path)), "{errors}");
    let line = refused(folder.path(), &[], 1);
    let out = "cannot write book/figures/support_probe; --out DIR names another folder";
    assert!(line.starts_with(out), "{line}");
}

#[test]
fn a_model_that_cannot_be_saved_where_it_is_to_be_is_not_trained() {
    let folder = repository();
    for model in ["book.toml/model", "chapters"] {
        // One line: nothing of a training.
        let line = refused(folder.path(), &["train", "--model", model], 1);
        assert!(line.contains(model), "{line}");
    }
}

#[test]
fn a_saved_model_answers_for_its_own_settings_only() {
    let folder = repository();
    let trains = |more: &[&str]| {
        let output = run(folder.path(), &[&["train"], more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stderr).contains("no model yet: training")
    };
    assert!(trains(&[]));
    assert!(!trains(&["--seed", "7"]), "the default");
    assert!(trains(&["--epochs", "21"]));
    assert!(trains(&["--seed", "8"]));
}

#[test]
fn a_record_names_its_settings_and_the_program_names_those_of_today() {
    let folder = repository();
    let record = printed(folder.path(), &["record"]);
    let named = record.strip_suffix("after hours\n").expect("comes last");
    assert!(named.starts_with("# settings "), "{named}");
    let today = |more: &[&str]| {
        printed(folder.path(), &[&["record", "--print-settings"][..], more].concat())
    };
    assert_eq!(today(&[]), named, "and nothing else");
    assert_ne!(today(&["--epochs", "21"]), named);
}
