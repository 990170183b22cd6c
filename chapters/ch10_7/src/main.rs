//! The telling run of section 10.7.
fn main() {}
