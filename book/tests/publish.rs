//! The folder of the pages: replaced as a whole, by good pages only, and only
//! if it is ours.

use crate::common::Tiny;
use book::{Builder, MARK, Problem};
use std::fs;

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
