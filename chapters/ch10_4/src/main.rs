//! Section 10.4: the program.
fn main() {}
