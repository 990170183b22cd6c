//! What the book says does not compile does not, with exactly the error that
//! the page shows; and the twin of each, one line apart, does.
//!
//! `TRYBUILD=overwrite cargo test --test compile_fail` records the errors anew.

#[test]
fn errors_are_as_shown_and_their_twins_compile() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("chapters/*/compile_fail/*.rs");
    // A case that must pass makes trybuild build, not only check: errors
    // that appear when code is generated (E0080) are found too.
    cases.pass("chapters/*/compile_pass/*.rs");
}
