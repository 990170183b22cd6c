//! Programs with bad flags, broken streams, in the wrong folder: one line says what
//! is wrong, and no training is lost.

use crate::repository::{built, sections};
use std::ffi::OsString;
use std::fs;
use std::io::pipe;
use std::path::Path;
use std::process::Stdio;
use tempfile::{TempDir, tempdir};
use testing::{Program, program, repository};

/// The program of a section with its arguments.
fn start(name: &str, folder: &Path, arguments: &[&str]) -> Program {
    let path = &built()[&("bin".to_string(), name.to_string())];
    program(path, folder).args(arguments)
}

/// The line with which it refuses, without its name.
#[track_caller]
fn refused(name: &str, program: Program) -> String {
    let line = program.run().error();
    assert!(!line.contains(char::is_control), "{line:?}");
    let text = line.strip_prefix(&format!("{name}: "));
    text.unwrap_or_else(|| panic!("{line}")).to_string()
}

#[test]
fn a_bad_flag_is_one_line() {
    let folder = repository();
    for name in sections() {
        let line = refused(&name, start(&name, folder.path(), &["--nope"]));
        assert!(line.contains("'--nope'"), "{line}");
    }
    for (bad, why) in [
        ("--epochs=0", "'--epochs <N>': expected a whole number from 1 to 10000"),
        ("--epochs=1.5", "'--epochs <N>': expected a whole number from 1 to 10000"),
        ("--epochs=", "'--epochs <N>'"),
        ("--seed=18446744073709551616", "'--seed <N>'"),
        ("--\u{1b}[31m", "'--\\u{1b}[31m'"),
        ("more", "'more'"),
    ] {
        let line = refused("ch10_4", start("ch10_4", folder.path(), &[bad]));
        assert!(line.contains(why), "{line}");
        assert!(line.ends_with("; --help lists the flags"), "{line}");
    }
    #[cfg(unix)]
    {
        let no_text: OsString = std::os::unix::ffi::OsStringExt::from_vec(vec![0xff]);
        let program = start("ch10_4", folder.path(), &["translate"]).args([no_text]);
        refused("ch10_4", program);
    }
}

#[test]
fn help_lists_the_flags_that_are_for_readers() {
    let help = start("ch10_4", repository().path(), &["--help"]).run().printed();
    for wanted in ["--seed <N>", "[default: 0]", "--out <DIR>", "translate"] {
        assert!(help.contains(wanted), "{wanted} in {help}");
    }
    assert!(!help.contains("--print-settings"), "{help}");
}

/// A training that saves its model.
const TRAIN: [&str; 8] = [
    "translate",
    "Go.",
    "--data",
    "pairs.tsv",
    "--epochs",
    "100",
    "--model",
    "model.safetensors",
];

/// A repository with sentences to train with.
fn sentences() -> TempDir {
    let folder = repository();
    fs::write(folder.path().join("pairs.tsv"), "Go.\tVa !\n").expect("is written");
    folder
}

#[test]
fn closed_pipes_end_a_program_quietly_and_do_not_cost_a_training() {
    /// A pipe that nobody reads any more.
    fn closed() -> Stdio {
        pipe().expect("a pipe").1.into()
    }
    let folder = sentences();
    for arguments in [&["--help"][..], &TRAIN] {
        let mut command = start("ch10_4", folder.path(), arguments).command();
        let status = command.stdout(closed()).stderr(closed()).status();
        assert!(status.expect("starts").success(), "{arguments:?}");
    }
    assert!(folder.path().join("model.safetensors").is_file());
    let mut command = start("ch10_1", folder.path(), &[]).command();
    let output = command.stdout(closed()).output().expect("starts");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one_line_and_does_not_cost_a_training() {
    let full = || fs::File::options().write(true).open("/dev/full").expect("is there");
    let folder = sentences();
    let mut command = start("ch10_4", folder.path(), &TRAIN).command();
    let status = command.stdout(full()).stderr(full()).status().expect("starts");
    assert_eq!(status.code(), Some(1));
    assert!(folder.path().join("model.safetensors").is_file());
    for arguments in [&[][..], &["--help"]] {
        let mut command = start("ch10_1", folder.path(), arguments).command();
        let output = command.stdout(full()).output().expect("starts");
        let line = String::from_utf8_lossy(&output.stderr);
        let why = "ch10_1: cannot write to standard output: No space";
        assert!(line.starts_with(why) && line.lines().count() == 1, "{line}");
    }
}

#[test]
fn progress_is_ten_lines_where_there_is_no_terminal() {
    let done = start("ch10_4", sentences().path(), &TRAIN).run();
    let lines = done.stderr.lines().filter(|line| line.starts_with("... training: "));
    assert_eq!(lines.count(), 10, "{}", done.stderr);
    assert!(done.stderr.contains("100 %  loss "), "{}", done.stderr);
}

#[test]
fn figures_default_to_the_repository_and_honour_out() {
    let folder = repository();
    let (at, within) = (folder.path(), folder.path().join("chapters"));
    let figure = "identity.svg";
    start("ch10_1", &within, &[]).run().printed();
    assert!(at.join("book/figures/ch10_1").join(figure).is_file());
    start("ch10_1", at, &["--out", "elsewhere"]).run().printed();
    assert!(at.join("elsewhere").join(figure).is_file());
    let outside = tempdir().expect("a temporary folder");
    assert_eq!(
        refused("ch10_3", start("ch10_3", outside.path(), &[])),
        "not inside the book's repository: --out DIR names a folder for figures"
    );
    // A file where a folder would be made stops the superuser too.
    let under_a_file = ["--out", "book.toml/figures"];
    let line = refused("ch10_3", start("ch10_3", at, &under_a_file));
    let why = "cannot write book.toml/figures; --out DIR names another folder";
    assert!(line.starts_with(why), "{line}");
}

/// A figure that is committed is drawn by its own command alone.
#[test]
fn another_command_replaces_no_figure_of_the_book() {
    let folder = repository();
    let at = folder.path();
    let records = at.join("chapters/ch10_1");
    fs::create_dir(&records).expect("made");
    fs::write(records.join("output.txt"), "$ cargo run -p ch10_1\nx\n")
        .expect("written");
    let ours = at.join("book/figures/ch10_1/identity.svg");
    start("ch10_1", at, &["--seed", "1"]).run().printed();
    assert!(!ours.exists());
    assert!(at.join("target/figures/ch10_1/identity.svg").is_file());
    start("ch10_1", at, &[]).run().printed();
    assert!(ours.is_file(), "the recorded command draws it");
    start("ch10_1", at, &["--seed", "1", "--out", "."]).run().printed();
    assert!(at.join("identity.svg").is_file());
}
