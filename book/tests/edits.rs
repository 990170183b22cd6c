//! The edits that pages try: they fit their sources, and are recorded.

use book::Edit;
use std::fs;
use std::path::Path;

#[test]
fn edits_fit_their_sources_and_are_recorded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a root");
    let chapters = fs::read_dir(root.join("chapters")).expect("chapters");
    let folders =
        chapters.map(|chapter| chapter.expect("a chapter").path().join("edits"));
    let mut edits = 0;
    for folder in folders.filter(|folder| folder.is_dir()) {
        for file in fs::read_dir(folder).expect("edits") {
            let file = file.expect("an edit").path();
            if file.extension().is_none_or(|end| end != "diff") {
                continue;
            }
            let name = file.display();
            let read = |file: &Path| fs::read_to_string(file).expect("a text");
            let edit = Edit::parse(&read(&file)).expect("an edit");
            let edited = edit.apply(&read(&root.join(&edit.file)));
            assert!(edited.is_ok(), "{name}: {edited:?}");
            assert!(file.with_extension("txt").is_file(), "{name} is not recorded");
            edits += 1;
        }
    }
    assert!(edits > 0, "there are no edits");
}

#[test]
fn an_edit_takes_lines_out_that_are_there_once() {
    let edit =
        Edit::parse("$ cargo run -p a\n--- a.rs\n-two\n+three\n").expect("an edit");
    assert_eq!(edit.command, ["run", "-p", "a"]);
    assert_eq!(edit.apply("one\ntwo\n").expect("it fits"), "one\nthree\n");
    for source in ["one\n", "two\ntwo\n"] {
        let error = edit.apply(source).expect_err("it does not fit");
        assert!(error.to_string().contains("a.rs"), "{error}");
    }
    for text in ["", "cargo run\n--- a.rs\n-two\n", "$ cargo run\n--- a.rs\n+two\n"] {
        assert!(Edit::parse(text).is_err(), "{text:?}");
    }
}
