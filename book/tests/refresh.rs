//! What programs make is recorded by one command: in a workspace of one
//! chapter, one exercise and no dependency.

use book::{accept, refresh};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

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

/// A root with a test called as_shown, and chapters/demo.
fn tiny() -> TempDir {
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
    write(root, "book.toml", "");
    write(root, "Cargo.toml", &format!("{workspace}{}", package("tiny")));
    write(root, "tests/the_book.rs", "#[test]\nfn errors_are_as_shown() {}\n");
    write(root, "chapters/demo/Cargo.toml", &package("demo"));
    write(root, "chapters/demo/src/main.rs", &prints("one"));
    write(root, "chapters/demo/examples/exercise_1.rs", &prints("two"));
    write(root, "chapters/support/src/lib.rs", "");
    folder
}

const OUTPUT: &str = "chapters/demo/output.txt";
const ANSWER: &str = "chapters/demo/examples/exercise_1.txt";
const SIDE: &str = "chapters/demo/output/side.txt";
const LONG: &str = "chapters/demo/recorded/long.txt";
const FIGURE: &str = "book/figures/demo/a.svg";

/// A program that draws a figure, counts its runs in the current folder, and
/// prints its arguments.
const DRAWS: &str = r#"fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let runs = std::fs::read_to_string("runs").unwrap_or_default() + "|";
    std::fs::write("runs", &runs).unwrap();
    std::fs::create_dir_all("book/figures/demo").unwrap();
    std::fs::write("book/figures/demo/a.svg", &runs).unwrap();
    println!("{words:?} run {} {:?}", runs.len(), std::env::var("DEMO"));
    println!("figure: book/figures/demo/a.svg");
}
"#;

/// One after the other: where `CARGO_TARGET_DIR` is set, all programs are built in
/// one folder.
#[test]
fn what_programs_print_and_draw_is_recorded() {
    let tests = [outputs, side_pages_and_long_runs, accepted, what_cannot_be_recorded];
    for test in tests {
        test(tiny().path());
    }
}

fn outputs(root: &Path) {
    refresh(root, &[], false).expect("all programs run");
    assert_eq!(read(root, OUTPUT), "$ cargo run -p demo\none\n");
    let answer = "$ cargo run -p demo --example exercise_1\ntwo\n";
    assert_eq!(read(root, ANSWER), answer);

    write(root, "chapters/demo/src/main.rs", &prints("three"));
    refresh(root, &["demo".to_string()], false).expect("all programs run");
    assert_eq!(read(root, OUTPUT), "$ cargo run -p demo\nthree\n");
}

/// The commands of side pages run after the default run, in one folder that
/// is not the repository; the long ones only if they are asked for.
fn side_pages_and_long_runs(root: &Path) {
    write(root, "chapters/demo/src/main.rs", DRAWS);
    write(root, SIDE, "$ DEMO=1 cargo run -p demo -- \"two words\" --x\nold\n");
    let long = "$ cargo run -p demo -- long\nold\n";
    write(root, LONG, long);
    refresh(root, &[], false).expect("all programs run");
    let side = "$ DEMO=1 cargo run -p demo -- \"two words\" --x\n\
                [\"two words\", \"--x\"] run 2 Ok(\"1\")\n";
    assert!(read(root, SIDE).starts_with(side), "{}", read(root, SIDE));
    assert_eq!(read(root, LONG), long);
    assert_eq!(read(root, FIGURE), "||");
    assert!(!root.join("runs").exists());

    refresh(root, &[], true).expect("all programs run");
    let text = read(root, LONG);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "$ cargo run -p demo -- long");
    assert!(lines[1].starts_with("[\"long\"] run 3 "), "{text}");

    // What is not ours to give away is left as it was recorded.
    let other = "$ cargo run -p demo -- --data fra.txt\nrecorded elsewhere\n";
    write(root, LONG, other);
    refresh(root, &[], true).expect("all programs run");
    assert_eq!(read(root, LONG), other);
}

/// Nothing is run but for its settings, and no other line changes.
fn accepted(root: &Path) {
    let program = r##"fn main() {
    println!("# settings {}, mechanism b", std::env::args().count());
    assert_eq!(std::env::args().last().as_deref(), Some("--print-settings"));
}
"##;
    write(root, "chapters/demo/src/main.rs", program);
    write(root, LONG, "$ cargo run -p demo -- long\n# settings 9\n\nx\n# settings 9\n");
    let other = LONG.replace("long.txt", "other.txt");
    write(root, &other, "$ cargo run -p demo\nhas none\n");
    accept(root, &["demo".to_string()]).expect("all programs run");
    let long = "$ cargo run -p demo -- long\n# settings 3, mechanism b\n\nx\n";
    assert_eq!(read(root, LONG), long);
    let text = "$ cargo run -p demo\n# settings 2, mechanism b\nhas none\n";
    assert_eq!(read(root, &other), text);
    accept(root, &[]).expect("all programs run");
    assert_eq!(read(root, LONG), long, "twice is once");
    write(root, "chapters/demo/src/main.rs", &prints("no settings"));
    let why = format!("{:#}", accept(root, &[]).expect_err("has no settings"));
    assert!(why.ends_with("prints no line `# settings …`"), "{why}");
    fs::remove_dir_all(root.join("chapters/demo/recorded")).expect("is there");
}

fn what_cannot_be_recorded(root: &Path) {
    let error = |only: &[String]| {
        format!("{:#}", refresh(root, only, false).expect_err("something is wrong"))
    };
    let other = error(&["ch10_99".to_string()]);
    assert_eq!(other, "no chapter ch10_99; there are demo");

    // A program that fails leaves what was recorded.
    write(root, OUTPUT, "as it was\n");
    let fails = "fn main() { println!(\"x\"); std::process::exit(1) }\n";
    write(root, "chapters/demo/src/main.rs", fails);
    assert_eq!(error(&[]), "`cargo run -p demo` failed");
    assert_eq!(read(root, OUTPUT), "as it was\n");

    write(root, SIDE, "$ cargo run -p other");
    let wrong = format!("{SIDE}: the first line is not `$ cargo run -p demo …`");
    assert_eq!(error(&[]), wrong);
}
