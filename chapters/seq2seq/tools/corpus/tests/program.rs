//! The program that writes the corpus: where to, and over what.

use corpus::PAIRS;
use std::fs;
use testing::{program, repository};

const BINARY: &str = env!("CARGO_BIN_EXE_corpus");

#[test]
fn only_a_corpus_is_replaced() {
    let folder = repository();
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str| {
        program(BINARY, folder.path()).args(["--show", "0", "--out", name]).run()
    };
    fs::write(at("README.md"), "# Mine\n").expect("written");
    let why = write("README.md").error();
    let what = "corpus: cannot write README.md: it holds something else";
    assert!(why.starts_with(what), "{why}");
    assert_eq!(fs::read(at("README.md")).expect("is there"), b"# Mine\n");
    fs::write(at("pairs.tsv"), "Go.\tVa !\ttrain\n").expect("written");
    write("pairs.tsv").printed();
    assert_eq!(fs::read_to_string(at("pairs.tsv")).expect("is there"), PAIRS);
}

/// The file's own place is that of the repository that it is started in.
#[test]
fn its_place_is_in_the_repository_that_it_is_started_in() {
    let folder = repository();
    program(BINARY, &folder.path().join("chapters")).run().printed();
    let file = folder.path().join("chapters/seq2seq/data/pairs.tsv");
    assert_eq!(fs::read_to_string(file).expect("is there"), PAIRS);
    let elsewhere = tempfile::tempdir().expect("a folder");
    let why = program(BINARY, elsewhere.path()).run().error();
    assert_eq!(why, "corpus: not inside the book's repository: --out names a file");
}
