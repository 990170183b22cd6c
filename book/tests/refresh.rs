//! What programs make is recorded by one command: in a workspace of one
//! chapter, one exercise and no dependency.

use book::refresh;
use std::fs;
use std::path::Path;

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    let folder = path.parent().expect("has a folder");
    fs::create_dir_all(folder).expect("a folder");
    fs::write(path, text).expect("writable");
}

fn read(root: &Path, name: &str) -> String {
    fs::read_to_string(root.join(name)).expect("is there")
}

fn prints(text: &str) -> String {
    format!("fn main() {{ println!(\"{text}\"); }}\n")
}

/// A root with tests/compile_fail.rs, and chapters/demo.
fn tiny() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let package = |name: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n\
             edition = \"2024\"\nautobins = {}\n",
            name == "demo"
        )
    };
    let workspace = "[workspace]\nmembers = [\"chapters/demo\"]\n";
    let root = folder.path();
    write(root, "Cargo.toml", &format!("{workspace}{}", package("tiny")));
    let test = "#[test]\nfn errors_are_as_shown() {}\n";
    write(root, "tests/compile_fail.rs", test);
    write(root, "chapters/demo/Cargo.toml", &package("demo"));
    write(root, "chapters/demo/src/main.rs", &prints("one"));
    write(root, "chapters/demo/examples/exercise_1.rs", &prints("two"));
    write(root, "chapters/support/src/lib.rs", "");
    folder
}

const OUTPUT: &str = "chapters/demo/output.txt";
const ANSWER: &str = "chapters/demo/examples/exercise_1.txt";

#[test]
fn outputs_are_recorded_with_their_commands() {
    let folder = tiny();
    let root = folder.path();
    refresh(root, &[], false).expect("all programs run");
    assert_eq!(read(root, OUTPUT), "$ cargo run -p demo\none\n");
    let answer = "$ cargo run -p demo --example exercise_1\ntwo\n";
    assert_eq!(read(root, ANSWER), answer);

    write(root, "chapters/demo/src/main.rs", &prints("three"));
    refresh(root, &["demo".to_string()], false).expect("all programs run");
    assert_eq!(read(root, OUTPUT), "$ cargo run -p demo\nthree\n");
}

#[test]
fn a_program_that_fails_leaves_what_was_recorded() {
    let folder = tiny();
    let root = folder.path();
    write(root, OUTPUT, "kept\n");
    let fails = "fn main() { println!(\"x\"); std::process::exit(1) }\n";
    write(root, "chapters/demo/src/main.rs", fails);
    let error = refresh(root, &[], false).expect_err("the program fails");
    assert_eq!(format!("{error:#}"), "`cargo run -p demo` failed");
    assert_eq!(read(root, OUTPUT), "kept\n");
}

#[test]
fn an_unknown_chapter_is_named_with_those_there_are() {
    let folder = tiny();
    let only = ["ch10_99".to_string()];
    let error = refresh(folder.path(), &only, false).expect_err("no such chapter");
    assert_eq!(format!("{error:#}"), "no chapter ch10_99; there are demo");
}
