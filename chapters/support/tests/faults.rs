//! A program with bad flags, broken streams, in the wrong folder.

use std::ffi::OsStr;
use std::fs;
use std::io::pipe;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::{TempDir, tempdir};

fn probe<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Command {
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
    fs::create_dir_all(folder.path().join("chapters/ch10_1")).expect("is made");
    folder
}

// --- Flags -------------------------------------------------------------------

#[test]
fn help_names_the_flags_and_what_the_program_does() {
    let folder = repository();
    let help = printed(folder.path(), &["--help"]);
    for wanted in ["Runs into walls", "--seed <N>", "[default: 7]", "--out <DIR>"] {
        assert!(help.contains(wanted), "{wanted} in {help}");
    }
    assert!(printed(folder.path(), &["train", "--help"]).contains("--epochs <N>"));
}

#[test]
fn flags_stand_before_or_after_a_subcommand() {
    let at = repository();
    let before = printed(at.path(), &["--seed", "5", "seeds"]);
    assert_eq!(before, "[5, 6, 7]\n");
    assert_eq!(before, printed(at.path(), &["seeds", "--seed", "5"]));
    printed(at.path(), &["train", "--out", "x"]);
}

#[test]
fn the_last_seed_is_a_seed() {
    let all = u64::MAX.to_string();
    let seeds = printed(repository().path(), &["seeds", "--seed", &all]);
    assert_eq!(seeds, "[18446744073709551615, 0, 1]\n");
}

#[test]
fn values_that_make_no_sense_are_one_line() {
    let folder = repository();
    for bad in ["0", "100001", "4294967295", "-1", "1.5", "x", ""] {
        let line = refused(folder.path(), &["train", &format!("--epochs={bad}")], 2);
        if !bad.is_empty() {
            let why = "it is a whole number from 1 to 100000";
            assert!(line.contains(why), "{line}");
            assert!(line.contains("'--epochs <N>'"), "{line}");
        }
        assert!(line.ends_with("; --help lists the flags"), "{line}");
    }
    for bad in ["NaN", "inf", "0", "-1", "1e9"] {
        let line = refused(folder.path(), &[&format!("--temperature={bad}")], 2);
        assert!(line.contains("it is a number from 0.01 to 100"), "{line}");
    }
    let seed = ["--seed", "18446744073709551616", "seeds"];
    assert!(refused(folder.path(), &seed, 2).contains("'--seed <N>'"));
    assert!(refused(folder.path(), &["--nope"], 2).contains("'--nope'"));
    assert!(refused(folder.path(), &["more"], 2).contains("'more'"));
}

#[cfg(unix)]
#[test]
fn arguments_and_surroundings_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let (folder, bad) = (repository(), OsStr::from_bytes(b"\xff\xfe"));
    let output = probe(folder.path(), &[OsStr::new("fail"), bad]).output();
    complaint(&output.expect("starts"), 2);
    let mut command = probe(folder.path(), &["seeds"]);
    let output = command.env("NONSENSE", bad).env(bad, "x").output();
    assert!(output.expect("starts").status.success());
    // Apple's file system refuses such names.
    if !cfg!(target_os = "linux") {
        return;
    }
    let model = folder.path().join(bad);
    let mut command = probe(folder.path(), &["train", "--model"]);
    let output = command.arg(&model).output().expect("starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(model.is_file(), "a name of any bytes is a name");
}

#[test]
fn what_steers_a_terminal_is_escaped() {
    let folder = repository();
    let fail = ["fail", "\u{1b}[31mred\nnext\u{9b}2J\u{202e}"];
    let line = refused(folder.path(), &fail, 1);
    assert_eq!(line, "\\u{1b}[31mred\\nnext\\u{9b}2J\\u{202e}");
    refused(folder.path(), &["--\u{1b}[2J"], 2);
    refused(folder.path(), &["train", "--data", "\u{7}\n"], 1);
    let data = folder.path().join("data.tsv");
    fs::write(&data, "go .\t\u{1b}]0;title\u{7}!\n").expect("is written");
    let shown = printed(folder.path(), &["train", "--data", "data.tsv"]);
    assert!(shown.contains("go .\\t\\u{1b}]0;title\\u{7}!\\n"), "{shown}");
    // Windows refuses such names.
    if cfg!(windows) {
        return;
    }
    let shown = printed(folder.path(), &["--out", "\u{1b}[2Jx"]);
    assert!(shown.contains("figure: \\u{1b}[2Jx/words.svg\n"), "{shown}");
    assert!(!shown.replace('\n', "").contains(char::is_control), "{shown:?}");
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
fn a_closed_pipe_ends_a_program_quietly() {
    let folder = repository();
    for arguments in [&["train"][..], &[], &["--help"]] {
        let mut command = probe(folder.path(), arguments);
        let output = command.stdout(closed()).output().expect("starts");
        let errors = text(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {errors}");
        let quiet =
            |line: &str| line.starts_with("...") || line.starts_with("no model");
        assert!(errors.lines().all(quiet), "{arguments:?}: {errors}");
    }
}

#[test]
fn closed_streams_do_not_cost_a_training() {
    let folder = repository();
    let mut command = probe(folder.path(), &["train", "--model", "model"]);
    let status = command.stdout(closed()).stderr(closed()).status();
    assert!(status.expect("starts").success());
    assert!(folder.path().join("model").is_file());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one_line_and_does_not_cost_a_training() {
    let full = || fs::File::options().write(true).open("/dev/full").expect("is there");
    let folder = repository();
    let train = ["train", "--model", "model"];
    let mut command = probe(folder.path(), &train);
    let status = command.stdout(full()).stderr(full()).status();
    assert_eq!(status.expect("starts").code(), Some(1));
    assert!(folder.path().join("model").is_file());
    for arguments in [&train[..], &["seeds"], &["--help"]] {
        let output = probe(folder.path(), arguments).stdout(full()).output();
        let line = complaint(&output.expect("starts"), 1);
        assert!(
            line.starts_with("cannot write to standard output: No space"),
            "{line}"
        );
    }
}

#[test]
fn progress_is_ten_lines_where_there_is_no_terminal() {
    let folder = repository();
    for epochs in ["10", "20", "137"] {
        let output = run(folder.path(), &["train", "--epochs", epochs]);
        let errors = text(&output.stderr);
        let lines = errors.lines().filter(|line| line.starts_with("... training: "));
        assert_eq!(lines.count(), 10, "{errors}");
        assert!(errors.contains("100 %  loss 0."), "{errors}");
    }
}

// --- Folders and models ------------------------------------------------------

#[test]
fn the_repository_is_the_one_that_the_program_is_started_in() {
    let folder = repository();
    let shown = printed(folder.path(), &[]);
    assert!(
        shown.contains("\nfigure: book/figures/support_probe/words.svg\n"),
        "{shown}"
    );
    let figures = folder.path().join("book/figures/support_probe");
    assert!(figures.join("words.svg").is_file());
    fs::remove_dir_all(&figures).expect("is removed");
    printed(&folder.path().join("chapters/ch10_1"), &[]);
    assert!(figures.join("words.svg").is_file());
    printed(folder.path(), &["--out", "elsewhere"]);
    assert!(folder.path().join("elsewhere/words.svg").is_file());
}

#[test]
fn outside_of_it_figures_need_a_folder_and_models_do_not() {
    let folder = tempdir().expect("a temporary folder");
    let line = refused(folder.path(), &[], 1);
    let why = "not inside the book's repository: --out DIR names a folder for figures";
    assert_eq!(line, why);
    printed(folder.path(), &["--out", "."]);
    assert!(folder.path().join("words.svg").is_file());
    fs::remove_file(folder.path().join("words.svg")).expect("is removed");
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
    assert!(errors.contains(".safetensors, the model is not saved: "), "{errors}");
    let line = refused(folder.path(), &[], 1);
    let out = "cannot write book/figures/support_probe; --out DIR names another folder";
    assert!(line.starts_with(out), "{line}");
}

#[test]
fn a_model_that_cannot_be_saved_where_it_is_to_be_is_not_trained() {
    let folder = repository();
    fs::write(folder.path().join("notes.txt"), "mine").expect("is written");
    let not_there = if cfg!(windows) { "cannot write" } else { "Not a directory" };
    let mut models =
        vec![("notes.txt/model", not_there), ("chapters", "cannot read chapters")];
    if cfg!(target_os = "linux") {
        models.push(("/dev/full", "is a device"));
    }
    for (model, why) in models {
        let line = refused(folder.path(), &["train", "--model", model], 1);
        assert!(line.contains(why) || line.contains("larger"), "{model}: {line}");
    }
    let same = ["train", "--data", "notes.txt", "--model", "notes.txt"];
    let line = refused(folder.path(), &same, 1);
    assert_eq!(line, "--data and --model are one file: notes.txt");
    let notes = fs::read_to_string(folder.path().join("notes.txt"));
    assert_eq!(notes.expect("is there"), "mine");
}

#[test]
fn a_saved_model_answers_for_its_own_data_and_settings_only() {
    let folder = repository();
    fs::create_dir(folder.path().join("a")).expect("is made");
    fs::create_dir(folder.path().join("b")).expect("is made");
    for (name, data) in [("a/y.tsv", "go .\tva !\n"), ("b/y.tsv", "go .\tcours !\n")] {
        fs::write(folder.path().join(name), data).expect("is written");
    }
    let trains = |arguments: &[&str]| {
        let output = run(folder.path(), arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        (text(&output.stderr).contains("no model yet: training"), text(&output.stdout))
    };
    let a = ["train", "--data", "a/y.tsv"];
    let (trained, first) = trains(&a);
    assert!(trained);
    assert_eq!(trains(&a), (false, first), "the same again");
    let (trained, second) = trains(&["train", "--data", "b/y.tsv"]);
    assert!(trained && second.contains("cours"), "{second}");
    let other = |flag, value| trains(&[&a[..], &[flag, value]].concat()).0;
    assert!(other("--epochs", "21"));
    assert!(other("--seed", "8"));
    assert!(!other("--seed", "7"), "the default");
    let models = fs::read_dir(folder.path().join("target/support_probe"));
    assert_eq!(models.expect("is there").count(), 4);
}

#[test]
fn a_record_names_its_settings_and_the_program_names_those_of_today() {
    let folder = repository();
    let record = printed(folder.path(), &["record"]);
    let named = record.strip_suffix("\nafter hours\n").expect("comes last");
    assert!(named.starts_with("# settings "), "{named}");
    let today = |more: &[&str]| {
        printed(folder.path(), &[&["record", "--print-settings"][..], more].concat())
    };
    assert_eq!(today(&[]).trim_end(), named, "and nothing else");
    assert_ne!(today(&["--epochs", "21"]).trim_end(), named);
    assert!(!printed(folder.path(), &["--help"]).contains("--print-settings"));
}
