//! What the book says does not compile does not, with exactly the error that
//! the page shows; and it does with the line that its file names as right.
//!
//! One chapter: `cargo test --test the_book as_shown -- trybuild=ch10_3`.
//! `TRYBUILD=overwrite` before it records the errors again.

use crate::repository::{files, read};
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn errors_are_as_shown_and_the_right_lines_compile() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("chapters/*/compile_fail/*.rs");
    // A case that must pass makes trybuild build, not only check: errors
    // that appear when code is generated (E0080) are found too.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile_pass");
    std::fs::create_dir_all(&folder).expect("is ours");
    for (chapter, program) in put_right() {
        let file = folder.join(format!("{chapter}.rs"));
        std::fs::write(&file, program).expect("is ours");
        cases.pass(file);
    }
}

/// For each chapter, one program of what does not compile there, put right.
fn put_right() -> BTreeMap<String, String> {
    let mut programs: BTreeMap<String, (String, String)> = BTreeMap::new();
    let all = files("chapters", "rs").into_iter();
    for file in all.filter(|file| file.contains("/compile_fail/")) {
        let text = read(&file);
        let mut lines: Vec<&str> = text.lines().collect();
        let (at, right) = lines
            .pop()
            .and_then(|line| line.strip_prefix("// Right, line ")?.split_once(": "))
            .unwrap_or_else(|| {
                panic!("{file} does not end with `// Right, line 9: …`")
            });
        lines[at.parse::<usize>().expect("a line") - 1] = right;
        let parts: Vec<&str> = file.split(['/', '.']).collect();
        let name = format!("case_{}", parts[3].replace('-', "_"));
        let body = lines.join("\n").replace("fn main() {", "pub fn main() {");
        let (modules, calls) = programs.entry(parts[1].to_string()).or_default();
        *modules += &format!("mod {name} {{\n{body}\n}}\n");
        *calls += &format!("    {name}::main();\n");
    }
    let whole = |(modules, calls)| format!("{modules}fn main() {{\n{calls}}}\n");
    programs.into_iter().map(|(chapter, parts)| (chapter, whole(parts))).collect()
}
