//! Each rule that makes page and code one finds a planted fault.

use crate::common::Tiny;
use std::fs;

const LIBRARY: &str = "\
// ANCHOR: header
//! A section.

pub mod side;
// ANCHOR_END: header

// ANCHOR: layer
/// A layer.
pub struct Layer;
// ANCHOR_END: layer

impl Layer {
    // ANCHOR: forward
    /// Goes forward.
    pub fn forward(&self) {}
    // ANCHOR_END: forward
}
";

const MAIN: &str = "\
# 10.3 Scores {#scores}

Run `cargo run -p ch10_3`, with [its program](programs/ch10_3.md).

```rust
{{#hidden ch10_3/src/lib.rs:header}}
{{#listing ch10_3/src/lib.rs:layer}}
{{#listing ch10_3/src/lib.rs:forward}}
```

```text
{{#output ch10_3 Masked softmax}}
```

![A long description of what this figure shows](../figures/ch10_3/a.svg)

Figure 10.3.1: It.

```rust
{{#listing ch10_3/compile_fail/01-nine.rs}}
```

```text
{{#error ch10_3 01-nine}}
```

## Exercises {#exercises}

1. Why? [Answer](solutions/ch10_3.md#exercise-1)
";

const SIDE: &str = "\
# A side page {#side}

More of it, with **one** term.

```rust
{{#listing ch10_3/src/side.rs}}
```

```text
{{#output ch10_3 Additive attention}}
```

```text
{{#output ch10_3/side}}
```
";

const ANSWERS: &str = "\
# Answers to 10.3 {#answers}

## Exercise 1 {#exercise-1}

```rust
{{#include ../../../chapters/ch10_3/examples/exercise_10_3_1.rs}}
```

```text
{{#include ../../../chapters/ch10_3/examples/exercise_10_3_1.txt}}
```
";

/// A tiny book with one section in which nothing is wrong.
fn section() -> Tiny {
    let tiny = Tiny::with_figure();
    for (path, text) in [
        ("book/en/ch10_3.md", MAIN),
        ("book/en/ch10_3/side.md", SIDE),
        ("book/en/solutions/ch10_3.md", ANSWERS),
        (
            "book/en/programs/ch10_3.md",
            "# The program {#program}\n\nAll of it.\n\n{{#program ch10_3}}\n",
        ),
        (
            "book/en/SUMMARY.md",
            "# Summary\n\n[Intro](intro.md)\n\n- [One](sub/one.md)\n\
             - [Scores](ch10_3.md)\n  - [Side](ch10_3/side.md)\n\
             - [Program](programs/ch10_3.md)\n- [Answers](solutions/ch10_3.md)\n",
        ),
        ("chapters/ch10_3/Cargo.toml", "[dependencies]\ndfdx.workspace = true\n"),
        ("chapters/ch10_3/src/lib.rs", LIBRARY),
        ("chapters/ch10_3/src/side.rs", "//! Beside.\n\n/// Two.\npub fn two() {}\n"),
        ("chapters/ch10_3/src/main.rs", "//! The demo.\n\nfn main() {}\n"),
        (
            "chapters/ch10_3/output/side.txt",
            "$ cargo run -p ch10_3 -- side\n\nTwo lines\nof it.\n",
        ),
        (
            "chapters/ch10_3/compile_fail/01-nine.rs",
            "fn main() {\n    f(9);\n}\n// Right, line 2: f(8);\n",
        ),
        ("chapters/ch10_3/compile_fail/01-nine.stderr", "error: nine\n"),
        (
            "chapters/ch10_3/examples/exercise_10_3_1.rs",
            "//! Why.\nfn main() {\n    assert_eq!(1, 1);\n}\n",
        ),
        (
            "chapters/ch10_3/examples/exercise_10_3_1.txt",
            "$ cargo run -p ch10_3 --example exercise_10_3_1\nso\n",
        ),
    ] {
        tiny.write(path, text);
    }
    tiny
}

const LIB: &str = "chapters/ch10_3/src/lib.rs";
const PAGE: &str = "book/en/ch10_3.md";
const SIDE_PAGE: &str = "book/en/ch10_3/side.md";
const ANSWERS_PAGE: &str = "book/en/solutions/ch10_3.md";

/// Asserts for each row that in the file the second stands, and that the fault is
/// found if the third stands in its place.
#[track_caller]
fn planted(rows: &[(&str, &str, &str, &str)]) {
    for (path, from, to, fault) in rows {
        let tiny = section();
        let text = fs::read_to_string(tiny.root().join(path)).expect("a file");
        assert!(text.contains(from), "{path} has no {from:?}");
        tiny.write(path, &text.replacen(from, to, 1));
        let faults = tiny.faults();
        assert!(faults.iter().any(|found| found == fault), "{fault}: {faults:#?}");
    }
}

#[test]
fn a_section_without_faults_has_none() {
    assert_eq!(section().faults(), [""; 0]);
}

#[test]
fn anchors_are_well_made() {
    for (from, to, fault) in [
        ("_END: layer\n", "_END: layer\nfn f() {}\n", "11: this line is in no anchor"),
        ("impl Layer {\n", "/// A.\nimpl Layer {\n", "12: this line is in no anchor"),
        ("// ANCHOR_END: layer\n", "", "7: anchor layer is not closed"),
        ("OR: layer", "OR: a layer", "7: \"a layer\" is no name for an anchor"),
        ("_END: layer", "_END: player", "10: anchor player ends where layer is open"),
        ("OR: forward", "OR: layer", "13: a second anchor is called layer"),
        ("// ANCHOR_END: header\n", "", "6: anchor layer begins inside of header"),
        ("// ANCHOR: layer\n", "", "9: anchor layer ends here and is not open"),
    ] {
        planted(&[(LIB, from, to, &format!("{LIB}:{fault}"))]);
    }
}

#[test]
fn code_is_on_the_pages_of_its_section_once() {
    planted(&[
        (
            PAGE,
            "{{#listing ch10_3/src/lib.rs:layer}}\n",
            "",
            "chapters/ch10_3/src/lib.rs:7: anchor layer is on no page of ch10_3",
        ),
        (
            SIDE_PAGE,
            "{{#listing ch10_3/src/side.rs}}\n",
            "{{#listing ch10_3/src/side.rs}}\n{{#listing ch10_3/src/lib.rs:layer}}\n",
            "chapters/ch10_3/src/lib.rs:7: anchor layer is shown 2 times: \
             book/en/ch10_3.md:7, book/en/ch10_3/side.md:7",
        ),
        (
            SIDE_PAGE,
            "{{#listing ch10_3/src/side.rs}}",
            "{{#listing ch10_3/compile_pass/01-nine.rs}}",
            "chapters/ch10_3/src/side.rs:3: from here to line 4 nothing is in an anchor",
        ),
        // The program.
        (
            "book/en/programs/ch10_3.md",
            "{{#program ch10_3}}",
            "None.",
            "book/en/programs/ch10_3.md:1: {{#program ch10_3}} stands here once",
        ),
        (
            PAGE,
            "with [its program](programs/ch10_3.md).",
            "alone.",
            "book/en/ch10_3.md:1: no link leads to programs/ch10_3.md",
        ),
        (
            "book/en/SUMMARY.md",
            "- [Program](programs/ch10_3.md)\n",
            "",
            "book/en/ch10_3.md:1: its program chapters/ch10_3/src/main.rs has no page \
             programs/ch10_3.md",
        ),
        // Errors of the compiler.
        (
            "chapters/ch10_3/compile_fail/01-nine.rs",
            "line 2",
            "line 9",
            "chapters/ch10_3/compile_fail/01-nine.rs:1: does not end with \
             `// Right, line 9: …`",
        ),
        (
            PAGE,
            "{{#listing ch10_3/compile_fail/01-nine.rs}}",
            "{{#listing ch10_3/src/main.rs}}",
            "chapters/ch10_3/compile_fail/01-nine.rs:1: is on no page",
        ),
        (
            PAGE,
            "{{#error ch10_3 01-nine}}",
            "{{#output ch10_3 Masked softmax}}",
            "chapters/ch10_3/compile_fail/01-nine.stderr:1: is on no page",
        ),
    ]);
}

#[test]
fn outputs_are_shown_once() {
    let output = "chapters/ch10_3/output.txt";
    planted(&[
        (
            PAGE,
            "```text\n{{#output ch10_3 Masked softmax}}\n```\n",
            "",
            "chapters/ch10_3/output.txt:3: \"Masked softmax\" is on no page of ch10_3",
        ),
        (
            SIDE_PAGE,
            "{{#output ch10_3/side}}",
            "{{#output ch10_3 Masked softmax}}",
            "chapters/ch10_3/output.txt:3: \"Masked softmax\" is shown 2 times: \
             book/en/ch10_3.md:12, book/en/ch10_3/side.md:14",
        ),
        (
            output,
            "Additive attention\n------------------",
            "Masked softmax\n--------------",
            "chapters/ch10_3/output.txt:7: \"Masked softmax\" is there twice",
        ),
        (
            output,
            "$ cargo run -p ch10_3",
            "$ cargo run -p ch10_3 -- all",
            "chapters/ch10_3/output.txt:1: does not begin with `$ cargo run -p ch10_3`",
        ),
        (
            output,
            "\nMasked",
            "Hello.\n\nMasked",
            "chapters/ch10_3/output.txt:2: something is printed before the first heading",
        ),
    ]);
}

#[test]
fn exercises_have_answers_that_run() {
    planted(&[
        (
            PAGE,
            "#exercise-1",
            "#exercise-2",
            "book/en/solutions/ch10_3.md:3: exercise 1 is not asked on the pages of ch10_3",
        ),
        (
            PAGE,
            "#exercise-1)",
            "#exercise-2) [More](solutions/ch10_3.md#exercise-3)",
            "book/en/ch10_3.md:1: no link leads to exercise 1",
        ),
        (
            PAGE,
            " [Answer](solutions/ch10_3.md#exercise-1)",
            "",
            "chapters/ch10_3/examples/exercise_10_3_1.rs:1: no page of ch10_3 asks this \
             exercise",
        ),
        (
            ANSWERS_PAGE,
            "{#exercise-1}",
            "{#exercise-one}",
            "book/en/solutions/ch10_3.md:1: no heading {#exercise-1}",
        ),
        (
            ANSWERS_PAGE,
            "exercise_10_3_1.txt",
            "exercise_10_3_1.rs",
            "chapters/ch10_3/examples/exercise_10_3_1.txt:1: is not on \
             book/en/solutions/ch10_3.md",
        ),
        (
            "chapters/ch10_3/examples/exercise_10_3_1.rs",
            "assert_eq!(1, 1);",
            "// assert_eq!(1, 1);",
            "chapters/ch10_3/examples/exercise_10_3_1.rs:1: asserts nothing",
        ),
    ]);
}

#[test]
fn figures_are_in_order_and_fit_into_pages() {
    let svg = "book/figures/ch10_3/a.svg";
    planted(&[
        (
            PAGE,
            "Figure 10.3.1",
            "Figure 10.3.2",
            "book/en/ch10_3.md:15: Figure 10.3.2 should be Figure 10.3.1",
        ),
        (
            svg,
            "stroke=\"currentColor\"",
            "stroke=\"#000000\"",
            "book/figures/ch10_3/a.svg:3: a fixed black or white is unseen in one of the \
             themes",
        ),
        (
            svg,
            "stroke=\"currentColor\"",
            "id=\"b\"",
            "book/figures/ch10_3/a.svg:3: the id b does not begin with a",
        ),
        (
            svg,
            "<path ",
            "<path onclick=\"f()\" ",
            "book/figures/ch10_3/a.svg:3: onclick= runs a script",
        ),
    ]);
}

#[test]
fn what_a_chapter_has_is_shown() {
    let tiny = section();
    for file in [
        "compile_fail/02-a.rs",
        "compile_fail/03-a.stderr",
        "examples/gone.txt",
        "examples/types.rs",
        "examples/types.txt",
    ] {
        tiny.write(&format!("chapters/ch10_3/{file}"), "fn main() {}\n");
    }
    let long = "$ cargo run -p ch10_4 -- long\n# settings 0a0b0c0d\n";
    tiny.write("chapters/ch10_3/recorded/long.txt", long);
    tiny.write("book/diagrams/b.svg", "<svg width=\"9\" height=\"9\"/>\n");
    assert_eq!(
        tiny.faults(),
        [
            "book/diagrams/b.svg:1: is on no page",
            "chapters/ch10_3/compile_fail/02-a.rs:1: \
             chapters/ch10_3/compile_fail/02-a.stderr is not there",
            "chapters/ch10_3/compile_fail/02-a.rs:1: does not end with \
             `// Right, line 9: …`",
            "chapters/ch10_3/compile_fail/02-a.rs:1: is on no page",
            "chapters/ch10_3/compile_fail/02-a.stderr:1: is on no page",
            "chapters/ch10_3/compile_fail/03-a.stderr:1: is the error of no program",
            "chapters/ch10_3/examples/gone.txt:1: is the output of no example",
            "chapters/ch10_3/examples/types.rs:1: it is on no page of the book",
            "chapters/ch10_3/examples/types.rs:1: its output \
             chapters/ch10_3/examples/types.txt is on no page",
            "chapters/ch10_3/recorded/long.txt:1: does not begin with \
             `$ cargo run -p ch10_3`",
            "chapters/ch10_3/recorded/long.txt:1: is on no page",
            "chapters/ch10_3/recorded/long.txt:1: says nothing",
        ]
    );
}

/// Of an answer too. The settings in a record are for the tests.
#[test]
fn a_run_of_minutes_is_recorded_elsewhere() {
    let tiny = section();
    let record = "chapters/ch10_3/recorded/long.txt";
    tiny.write(
        record,
        "$ T=1 cargo run -p ch10_3 -- long\n# settings 0a0b0c0d\n\nso\n",
    );
    tiny.page(&format!("```text\n{{{{#include ../../{record}}}}}\n```"));
    let [beside, long] = ["examples", "recorded"]
        .map(|folder| format!("chapters/ch10_3/{folder}/exercise_10_3_1.txt"));
    let of = |path: &str| tiny.root().join(path);
    fs::rename(of(&beside), of(&long)).expect("is there");
    tiny.write(ANSWERS_PAGE, &ANSWERS.replace(&beside, &long));
    assert_eq!(tiny.faults(), [""; 0]);
    assert!(!tiny.html("intro.html").contains("settings"));
}

#[test]
fn a_section_builds_on_earlier_ones() {
    let tiny = section();
    let summary = fs::read_to_string(tiny.root().join("book/en/SUMMARY.md"));
    let summary = summary.expect("a file") + "- [Next](ch10_4.md)\n";
    tiny.write("book/en/SUMMARY.md", &summary);
    let next = "# 10.4 Next {#next}\n\nRun `cargo run -p ch10_4`.\n";
    tiny.write("book/en/ch10_4.md", next);
    for [of, on] in [["ch10_3", "ch10_4"], ["ch10_4", "ch10_3"]] {
        let toml = format!("[dependencies]\n{on}.workspace = true\n");
        tiny.write(&format!("chapters/{of}/Cargo.toml"), &toml);
    }
    let fault = "chapters/ch10_3/Cargo.toml:2: depends on ch10_4, which comes later";
    assert_eq!(tiny.faults(), [fault]);
}
