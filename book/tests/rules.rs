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

/// Changes of a line in a file of the section, each with a fault that it brings.
const PLANTED: &str = r#"
chapters/ch10_3/src/lib.rs
- // ANCHOR_END: layer
+ // ANCHOR_END: layer
+ fn f() {}
chapters/ch10_3/src/lib.rs:11: this line is in no anchor

chapters/ch10_3/src/lib.rs
- impl Layer {
+ /// A.
+ impl Layer {
chapters/ch10_3/src/lib.rs:12: this line is in no anchor

chapters/ch10_3/src/lib.rs
- // ANCHOR_END: layer
chapters/ch10_3/src/lib.rs:7: anchor layer is not closed

chapters/ch10_3/src/lib.rs
- // ANCHOR: layer
+ // ANCHOR: a layer
chapters/ch10_3/src/lib.rs:7: "a layer" is no name for an anchor

chapters/ch10_3/src/lib.rs
- // ANCHOR_END: layer
+ // ANCHOR_END: player
chapters/ch10_3/src/lib.rs:10: anchor player ends where layer is open

chapters/ch10_3/src/lib.rs
- // ANCHOR: forward
+ // ANCHOR: layer
chapters/ch10_3/src/lib.rs:13: a second anchor is called layer

chapters/ch10_3/src/lib.rs
- // ANCHOR_END: header
chapters/ch10_3/src/lib.rs:6: anchor layer begins inside of header

chapters/ch10_3/src/lib.rs
- // ANCHOR: layer
chapters/ch10_3/src/lib.rs:9: anchor layer ends here and is not open

book/en/ch10_3.md
- {{#listing ch10_3/src/lib.rs:layer}}
chapters/ch10_3/src/lib.rs:7: anchor layer is on no page of ch10_3

book/en/ch10_3/side.md
- {{#listing ch10_3/src/side.rs}}
+ {{#listing ch10_3/src/side.rs}}
+ {{#listing ch10_3/src/lib.rs:layer}}
chapters/ch10_3/src/lib.rs:7: anchor layer is shown 2 times: book/en/ch10_3.md:7, book/en/ch10_3/side.md:7

book/en/ch10_3/side.md
- {{#listing ch10_3/src/side.rs}}
+ {{#listing ch10_3/compile_fail/01-nine.rs}}
chapters/ch10_3/src/side.rs:3: from here to line 4 nothing is in an anchor

book/en/programs/ch10_3.md
- {{#program ch10_3}}
book/en/programs/ch10_3.md:1: {{#program ch10_3}} stands here once

book/en/ch10_3.md
- Run `cargo run -p ch10_3`, with [its program](programs/ch10_3.md).
book/en/ch10_3.md:1: no link leads to programs/ch10_3.md

book/en/SUMMARY.md
- - [Program](programs/ch10_3.md)
book/en/ch10_3.md:1: its program chapters/ch10_3/src/main.rs has no page programs/ch10_3.md

chapters/ch10_3/compile_fail/01-nine.rs
- // Right, line 2: f(8);
+ // Right, line 9: f(8);
chapters/ch10_3/compile_fail/01-nine.rs:1: does not end with `// Right, line 9: …`

book/en/ch10_3.md
- {{#listing ch10_3/compile_fail/01-nine.rs}}
chapters/ch10_3/compile_fail/01-nine.rs:1: is on no page

book/en/ch10_3.md
- {{#error ch10_3 01-nine}}
chapters/ch10_3/compile_fail/01-nine.stderr:1: is on no page

book/en/ch10_3.md
- {{#output ch10_3 Masked softmax}}
chapters/ch10_3/output.txt:3: "Masked softmax" is on no page of ch10_3

book/en/ch10_3/side.md
- {{#output ch10_3/side}}
+ {{#output ch10_3 Masked softmax}}
chapters/ch10_3/output.txt:3: "Masked softmax" is shown 2 times: book/en/ch10_3.md:12, book/en/ch10_3/side.md:14

chapters/ch10_3/output.txt
- Additive attention
- ------------------
+ Masked softmax
+ --------------
chapters/ch10_3/output.txt:7: "Masked softmax" is there twice

chapters/ch10_3/output.txt
- $ cargo run -p ch10_3
+ $ cargo run -p ch10_3 -- all
chapters/ch10_3/output.txt:1: does not begin with `$ cargo run -p ch10_3`

chapters/ch10_3/output.txt
- Masked softmax
+ Hello.
+ Masked softmax
chapters/ch10_3/output.txt:2: something is printed before the first heading

book/en/ch10_3.md
- 1. Why? [Answer](solutions/ch10_3.md#exercise-1)
+ 1. Why? [Answer](solutions/ch10_3.md#exercise-2)
book/en/solutions/ch10_3.md:3: exercise 1 is not asked on the pages of ch10_3

book/en/ch10_3.md
- 1. Why? [Answer](solutions/ch10_3.md#exercise-1)
+ 1. Why? [Answer](solutions/ch10_3.md#exercise-2)
book/en/ch10_3.md:1: no link leads to exercise 1

book/en/ch10_3.md
- 1. Why? [Answer](solutions/ch10_3.md#exercise-1)
chapters/ch10_3/examples/exercise_10_3_1.rs:1: no page of ch10_3 asks this exercise

book/en/solutions/ch10_3.md
- ## Exercise 1 {#exercise-1}
+ ## Exercise 1 {#exercise-one}
book/en/solutions/ch10_3.md:1: no heading {#exercise-1}

book/en/solutions/ch10_3.md
- {{#include ../../../chapters/ch10_3/examples/exercise_10_3_1.txt}}
chapters/ch10_3/examples/exercise_10_3_1.txt:1: is not on book/en/solutions/ch10_3.md

chapters/ch10_3/examples/exercise_10_3_1.rs
-     assert_eq!(1, 1);
chapters/ch10_3/examples/exercise_10_3_1.rs:1: asserts nothing

book/en/ch10_3.md
- Figure 10.3.1: It.
+ Figure 10.3.2: It.
book/en/ch10_3.md:15: Figure 10.3.2 should be Figure 10.3.1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <path d="M0 0h9" stroke="black"/>
book/figures/ch10_3/a.svg:3: a fixed black or white is unseen in one of the themes

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <path d="M0 0h9" id="b"/>
book/figures/ch10_3/a.svg:3: the id b does not begin with a

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <path d="M0 0h9" onclick="f()"/>
book/figures/ch10_3/a.svg:3: onclick= runs a script
"#;

#[test]
fn planted_faults_are_found() {
    for case in PLANTED.trim().split("\n\n") {
        let lines: Vec<&str> = case.lines().collect();
        let [path, change @ .., fault] = &lines[..] else { panic!("{case}") };
        let part = |sign: &str| {
            let lines = change.iter().filter_map(|line| line.strip_prefix(sign));
            lines.map(|line| format!("{line}\n")).collect::<String>()
        };
        let tiny = section();
        let text = fs::read_to_string(tiny.root().join(path)).expect("a file");
        assert!(text.contains(&part("- ")), "{case}");
        tiny.write(path, &text.replacen(&part("- "), &part("+ "), 1));
        let faults = tiny.faults();
        assert!(faults.iter().any(|found| found == fault), "{case}\n{faults:#?}");
    }
}

#[test]
fn a_section_without_faults_has_none() {
    assert_eq!(section().faults(), [""; 0]);
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
    tiny.write("book/en/solutions/ch10_3.md", &ANSWERS.replace(&beside, &long));
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
