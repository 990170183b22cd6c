//! The folder of the pages: replaced as a whole, by good pages only, and no other.

use crate::common::Tiny;
use book::{Builder, Problem};
use std::fs;

fn publish(tiny: &Tiny) -> Vec<String> {
    let builder = Builder::open(tiny.root()).expect("it can be read");
    let faults = builder.publish().expect("it can be written");
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

#[test]
fn pages_are_replaced_as_a_whole() {
    let tiny = Tiny::new();
    assert_eq!(publish(&tiny), [""; 0]);
    tiny.write("target/book/old.html", "old");
    for _ in 0..2 {
        assert_eq!(publish(&tiny), [""; 0]);
        assert!(tiny.html("intro.html").contains("Intro"));
        assert!(!tiny.pages().join("old.html").exists());
        assert_eq!(names(&tiny, "target"), ["book", "book.lock"]);
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

    assert_eq!(names(&tiny, "target"), ["book", "book.lock"]);

    tiny.page("New words.");
    assert_eq!(publish(&tiny), [""; 0]);
    assert!(tiny.html("intro.html").contains("New words."));
    assert_eq!(names(&tiny, "target"), ["book", "book.lock"]);
}

/// Stock mdBook empties the folder that it is given.
#[test]
fn no_mistake_in_build_dir_empties_another_folder() {
    let tiny = Tiny::new();
    tiny.write("notes/mine.txt", "mine");
    for folder in ["notes", "chapters", ".", "book", "book/en", "book/en/built"] {
        let toml =
            format!("[book]\nsrc = \"book/en\"\n[build]\nbuild-dir = \"{folder}\"\n");
        tiny.write("book.toml", &toml);
        assert_eq!(publish(&tiny), [""; 0]);
        assert_eq!(names(&tiny, "target"), ["book", "book.lock"]);
    }
    assert_eq!(names(&tiny, "notes"), ["mine.txt"]);
    assert_eq!(names(&tiny, "book/en"), ["SUMMARY.md", "intro.md", "sub"]);
    assert_eq!(names(&tiny, "chapters"), ["ch10_3"]);
}

/// What a killed build leaves is removed by the next one.
#[test]
fn a_killed_build_loses_no_book_and_leaves_nothing() {
    let tiny = Tiny::new();
    assert_eq!(publish(&tiny), [""; 0]);
    let good = tiny.html("intro.html");
    // Killed between its two moves, and before the next book is good.
    let old = tiny.root().join("target/book.work/old");
    tiny.write("target/book.work/new/intro.html", "half of it");
    fs::rename(tiny.pages(), old).expect("was built");
    tiny.page("[nowhere](no.md)");
    assert_eq!(publish(&tiny).len(), 1);
    assert_eq!(tiny.html("intro.html"), good);
    assert_eq!(names(&tiny, "target"), ["book", "book.lock"]);
}

#[test]
fn builds_at_the_same_time_wait_for_one_another() {
    let tiny = Tiny::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(publish(&tiny), [""; 0]));
        }
    });
    assert!(tiny.html("intro.html").contains("Intro"));
    assert_eq!(names(&tiny, "target"), ["book", "book.lock"]);
}
