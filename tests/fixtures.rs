//! The numbers from PyTorch in tests/fixtures: each file is used. The comparisons
//! themselves are in chapters/laws/tests.

use crate::repository::{files, read};

#[test]
fn every_fixture_is_used() {
    let tests = files("chapters", "rs");
    let tests: String = tests.iter().map(|file| read(file)).collect();
    for file in files("tests/fixtures", "json") {
        let name = file.rsplit('/').next().expect("has a name");
        let stem = format!("\"{}\"", name.trim_end_matches(".json"));
        assert!(
            tests.contains(name) || tests.contains(&stem),
            "{file}: no test names it"
        );
    }
}
