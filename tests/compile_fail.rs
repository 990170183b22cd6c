//! What the book says does not compile does not, with exactly the error that
//! the page shows; and the twin of each, one line apart, does.
//!
//! One chapter: `cargo test --test the_book as_shown -- trybuild=ch10_3`.
//! `TRYBUILD=overwrite` before it records the errors anew.

use crate::repository::{files, read};

#[test]
fn errors_are_as_shown_and_their_twins_compile() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("chapters/*/compile_fail/*.rs");
    // A case that must pass makes trybuild build, not only check: errors
    // that appear when code is generated (E0080) are found too.
    cases.pass("chapters/*/compile_pass/*.rs");
}

/// An error without a code, or a whole page of it, teaches nothing; and one
/// with a path of the machine that recorded it is found on no other.
#[test]
fn recorded_errors_are_short_and_of_no_one_machine() {
    for file in files("chapters", "stderr") {
        let text = read(&file);
        assert!(text.starts_with("error"), "{file} begins with no error");
        let lines = text.lines().count();
        assert!(lines <= 40, "{file}: {lines} lines");
        for path in ["/home/", "/root/", "/Users/", "/tmp/", ":\\"] {
            assert!(!text.contains(path), "{file} names {path}");
        }
        assert!(!text.contains("warning"), "{file} has a warning in it");
        // Where the sources of the standard library are installed, rustc quotes
        // them there.
        assert!(!text.contains("$RUST/"), "{file} points into the library");
    }
}
