//! The folder of the pages: replaced as a whole, by good pages only, and only
//! if it is ours.

use crate::common::Tiny;
use book::{Builder, MARK, Problem};
use std::fs;
use std::process::{Command, Stdio};

fn publish(tiny: &Tiny) -> Vec<String> {
    let builder = Builder::open(tiny.root()).expect("it can be read");
    let faults = builder.publish(|_| Vec::new()).expect("it can be written");
    faults.iter().map(Problem::to_string).collect()
}

/// The names in a folder of a book, sorted.
fn names(tiny: &Tiny, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(tiny.root().join(folder)).expect("a folder");
    let names = entries.map(|entry| entry.expect("readable").file_name());
    let mut names: Vec<String> =
        names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn build_in(tiny: &Tiny, folder: &str) {
    let toml =
        format!("[book]\nsrc = \"book/en\"\n[build]\nbuild-dir = \"{folder}\"\n");
    tiny.write("book.toml", &toml);
}

#[test]
fn pages_are_replaced_as_a_whole() {
    let tiny = Tiny::new();
    assert_eq!(publish(&tiny), [""; 0]);
    tiny.write("target/book/old.html", "old");
    for _ in 0..2 {
        assert_eq!(publish(&tiny), [""; 0]);
        assert!(tiny.html("intro.html").contains("Intro"));
        assert!(!tiny.pages().join("old.html").exists());
        assert!(tiny.pages().join(MARK).is_file());
        assert_eq!(names(&tiny, "target"), ["book"]);
    }
}

#[test]
fn a_book_with_a_fault_leaves_the_last_good_one() {
    let tiny = Tiny::new();
    assert_eq!(publish(&tiny), [""; 0]);
    let good = tiny.html("intro.html");
    tiny.page("New words, [nowhere](no.md).");
    assert_eq!(publish(&tiny).len(), 1);
    assert_eq!(tiny.html("intro.html"), good);

    // What only a later check finds counts as much.
    tiny.page("New words.");
    let builder = Builder::open(tiny.root()).expect("it can be read");
    let heavy = |_: &std::path::Path| vec![Problem::new("intro.html", 0, "heavy")];
    let faults = builder.publish(heavy).expect("it can be written");
    assert_eq!(faults[0].to_string(), "intro.html: heavy");
    assert_eq!(tiny.html("intro.html"), good);
    assert_eq!(publish(&tiny), [""; 0]);
    assert!(tiny.html("intro.html").contains("New words."));
    assert_eq!(names(&tiny, "target"), ["book"]);
}

#[test]
fn a_missing_style_leaves_the_last_good_one() {
    let tiny = Tiny::new();
    assert_eq!(publish(&tiny), [""; 0]);
    let good = tiny.html("intro.html");
    let toml = std::fs::read_to_string(tiny.root().join("book.toml"));
    let style = "[output.html]\nadditional-css = [\"no.css\"]\n";
    tiny.write("book.toml", &toml.expect("a file").replace("[output.html]\n", style));
    let faults = publish(&tiny);
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    assert!(fault.starts_with("book.toml: ") && fault.contains("no.css"), "{fault}");
    assert_eq!(tiny.html("intro.html"), good);
}

#[test]
fn a_folder_of_others_is_left_as_it_is() {
    let tiny = Tiny::new();
    tiny.write("notes/mine.txt", "mine");
    for folder in ["notes", "chapters", "."] {
        build_in(&tiny, folder);
        let faults = publish(&tiny);
        assert_eq!(faults.len(), 1, "{folder}: {faults:?}");
        assert!(faults[0].starts_with("book.toml: build-dir "), "{faults:?}");
        assert_eq!(tiny.faults().len(), 0, "elsewhere it can be built");
    }
    assert_eq!(names(&tiny, "notes"), ["mine.txt"]);
    assert!(tiny.root().join("chapters/ch10_3/src/lib.rs").is_file());
    let builder = Builder::open(tiny.root()).expect("it can be read");
    let faults = builder.build(&tiny.root().join("notes"));
    assert!(faults[0].to_string().contains("did not make"), "{faults:?}");
    assert_eq!(names(&tiny, "notes"), ["mine.txt"]);

    // An empty one is nobody's.
    fs::create_dir(tiny.root().join("empty")).expect("a folder");
    build_in(&tiny, "empty");
    assert_eq!(publish(&tiny), [""; 0]);
    assert!(tiny.root().join("empty/intro.html").is_file());
}

#[test]
fn the_folder_that_a_variable_names_is_no_exception() {
    let tiny = Tiny::new();
    tiny.write("notes/mine.txt", "mine");
    let output = Command::new(env!("CARGO_BIN_EXE_book"))
        .arg("build")
        .current_dir(tiny.root())
        .env("MDBOOK_BUILD__BUILD_DIR", tiny.root().join("notes"))
        .output()
        .expect("the program runs");
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("did not make"), "{text}");
    assert_eq!(names(&tiny, "notes"), ["mine.txt"]);
}

#[cfg(unix)]
#[test]
fn a_link_is_not_replaced() {
    let tiny = Tiny::new();
    tiny.write("notes/mine.txt", "mine");
    tiny.write("target/x", "");
    let link = tiny.pages();
    std::os::unix::fs::symlink(tiny.root().join("notes"), link).expect("a link");
    let faults = publish(&tiny);
    assert!(faults[0].ends_with("is a link; name a folder"), "{faults:?}");
    assert_eq!(names(&tiny, "notes"), ["mine.txt"]);
}

#[test]
fn the_sources_are_never_overwritten() {
    let tiny = Tiny::new();
    for folder in ["book", "book/en", "book/en/built"] {
        build_in(&tiny, folder);
        let faults = publish(&tiny);
        assert_eq!(faults.len(), 1);
        let fault = "book.toml: build-dir would overwrite the sources";
        assert!(faults[0].starts_with(fault));
        assert!(tiny.root().join("book/en/intro.md").exists());
    }
}

#[test]
fn what_a_killed_build_left_goes_and_nothing_else() {
    let tiny = Tiny::new();
    tiny.write("target/.attention-compiled-dead/new/page.html", "half");
    tiny.write("target/.attention-compiled-young/new/page.html", "half");
    tiny.write("target/.other-dead/lock", "");
    let day = std::time::SystemTime::now() - std::time::Duration::from_secs(86_400);
    for folder in [".attention-compiled-dead", ".other-dead"] {
        let folder = fs::File::open(tiny.root().join("target").join(folder));
        folder.expect("is there").set_modified(day).expect("is ours");
    }
    assert_eq!(publish(&tiny), [""; 0]);
    assert_eq!(
        names(&tiny, "target"),
        [".attention-compiled-young", ".other-dead", "book"]
    );
}

/// However many build at a time: the pages are whole.
#[test]
fn builds_at_the_same_time_leave_whole_pages() {
    let tiny = Tiny::new();
    let book = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
        command.arg("build").current_dir(tiny.root());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("the program runs")
    };
    assert_eq!(publish(&tiny), [""; 0]);
    let whole = names(&tiny, "target/book");
    for _ in 0..2 {
        let some: Vec<_> = (0..3).map(|_| book()).collect();
        for mut one in some {
            assert!(one.wait().expect("ends").success());
        }
        assert_eq!(names(&tiny, "target/book"), whole);
    }
}
