//! Each rule of the book finds a planted fault.

use crate::common::Tiny;

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

/// Asserts that the fault is found when `from` is `to` in the file at `path`.
#[track_caller]
fn planted(path: &str, from: &str, to: &str, fault: &str) {
    let tiny = section();
    let text = std::fs::read_to_string(tiny.root().join(path)).expect("a file");
    assert!(text.contains(from), "{path} has no {from:?}");
    tiny.write(path, &text.replacen(from, to, 1));
    let faults = tiny.faults();
    assert!(faults.iter().any(|found| found == fault), "{faults:#?}");
}

const LIB: &str = "chapters/ch10_3/src/lib.rs";
const PAGE: &str = "book/en/ch10_3.md";

#[test]
fn a_section_without_faults_has_none() {
    assert_eq!(section().faults(), [""; 0]);
}

#[test]
fn lines_in_no_anchor() {
    planted(
        LIB,
        "// ANCHOR_END: layer\n",
        "// ANCHOR_END: layer\nfn f() {}\n",
        &format!("{LIB}:11: this line is in no anchor"),
    );
    planted(
        LIB,
        "pub mod side;\n",
        "pub mod side;\n// ANCHOR_END: header\nuse side::two;\n// ANCHOR: more\n\
         fn f() {}\n// ANCHOR_END: more\n// ANCHOR: x\n",
        &format!("{LIB}:7: anchor more is on no page of ch10_3"),
    );
    planted(
        LIB,
        "impl Layer {\n",
        "/// One.\nimpl Layer {\n    /// Two.\n\n",
        &format!("{LIB}:12: this line is in no anchor"),
    );
}

#[test]
fn anchors_that_are_not_well_made() {
    let faults = [
        ("// ANCHOR_END: layer\n", "", "7: anchor layer is not closed"),
        (
            "// ANCHOR: layer",
            "// ANCHOR: a layer",
            "7: \"a layer\" is no name for an anchor",
        ),
        (
            "// ANCHOR_END: layer",
            "// ANCHOR_END: player",
            "10: anchor player ends where layer is open",
        ),
        (
            "// ANCHOR: forward",
            "// ANCHOR: layer",
            "13: a second anchor is called layer",
        ),
        ("// ANCHOR_END: header\n", "", "6: anchor layer begins inside of header"),
        ("// ANCHOR: layer\n", "", "9: anchor layer ends here and is not open"),
    ];
    for (from, to, fault) in faults {
        planted(LIB, from, to, &format!("{LIB}:{fault}"));
    }
}

#[test]
fn anchors_are_on_the_pages_of_their_section_once() {
    planted(
        PAGE,
        "{{#listing ch10_3/src/lib.rs:layer}}\n",
        "",
        &format!("{LIB}:7: anchor layer is on no page of ch10_3"),
    );
    planted(
        "book/en/ch10_3/side.md",
        "{{#listing ch10_3/src/side.rs}}\n",
        "{{#listing ch10_3/src/side.rs}}\n{{#listing ch10_3/src/lib.rs:layer}}\n",
        &format!(
            "{LIB}:7: anchor layer is shown 2 times: book/en/ch10_3.md:7, \
             book/en/ch10_3/side.md:7"
        ),
    );
    planted(
        "book/en/ch10_3/side.md",
        "{{#listing ch10_3/src/side.rs}}",
        "{{#listing ch10_3/compile_pass/01-nine.rs}}",
        "chapters/ch10_3/src/side.rs:3: from here to line 4 nothing is in an anchor",
    );
}

#[test]
fn a_program_has_its_page() {
    let program = "book/en/programs/ch10_3.md";
    planted(
        program,
        "{{#program ch10_3}}",
        "None.",
        &format!("{program}:1: {{{{#program ch10_3}}}} stands here once"),
    );
    planted(
        PAGE,
        "with [its program](programs/ch10_3.md).",
        "alone.",
        &format!("{PAGE}:1: no link leads to programs/ch10_3.md"),
    );
    planted(
        "book/en/SUMMARY.md",
        "- [Program](programs/ch10_3.md)\n",
        "",
        &format!(
            "{PAGE}:1: its program chapters/ch10_3/src/main.rs has no page \
             programs/ch10_3.md"
        ),
    );
}

#[test]
fn outputs_are_shown_once() {
    let output = "chapters/ch10_3/output.txt";
    planted(
        PAGE,
        "```text\n{{#output ch10_3 Masked softmax}}\n```\n",
        "",
        &format!("{output}:3: \"Masked softmax\" is on no page of ch10_3"),
    );
    planted(
        "book/en/ch10_3/side.md",
        "{{#output ch10_3/side}}",
        "{{#output ch10_3 Masked softmax}}",
        &format!(
            "{output}:3: \"Masked softmax\" is shown 2 times: book/en/ch10_3.md:12, \
             book/en/ch10_3/side.md:14"
        ),
    );
    planted(
        output,
        "Additive attention\n------------------",
        "Masked softmax\n--------------",
        &format!("{output}:7: \"Masked softmax\" is there twice"),
    );
    planted(
        output,
        "$ cargo run -p ch10_3",
        "$ cargo run -p ch10_3 -- all",
        &format!("{output}:1: does not begin with `$ cargo run -p ch10_3`"),
    );
    planted(
        output,
        "\nMasked",
        "Hello.\n\nMasked",
        &format!("{output}:2: something is printed before the first heading"),
    );
}

#[test]
fn long_runs_have_a_command_a_result_and_a_page() {
    let file = "chapters/ch10_3/recorded/long.txt";
    let tiny = section();
    tiny.write(file, "$ cargo run -p ch10_4 -- long\n# settings 0a0b0c0d\n");
    assert_eq!(
        tiny.faults(),
        [
            format!("{file}:1: does not begin with `$ cargo run -p ch10_3`"),
            format!("{file}:1: is on no page"),
            format!("{file}:1: says nothing"),
        ]
    );
    tiny.write(file, "$ T=1 cargo run -p ch10_3 -- long\n# settings 0a0b0c0d\n\nso\n");
    tiny.page("```text\n{{#include ../../chapters/ch10_3/recorded/long.txt}}\n```");
    assert_eq!(tiny.faults(), [""; 0]);
    assert!(!tiny.html("intro.html").contains("settings"));
}

#[test]
fn compile_errors_have_errors_right_lines_and_pages() {
    let wrong = "chapters/ch10_3/compile_fail/01-nine.rs";
    let fault = format!("{wrong}:1: does not end with `// Right, line 9: …`");
    planted(wrong, "f(8);", "f(9);", &fault);
    planted(wrong, "Right", "right", &fault);
    planted(wrong, "line 2", "line 9", &fault);
    planted(
        PAGE,
        "{{#listing ch10_3/compile_fail/01-nine.rs}}",
        "{{#listing ch10_3/src/main.rs}}",
        &format!("{wrong}:1: is on no page"),
    );
    planted(
        PAGE,
        "{{#error ch10_3 01-nine}}",
        "{{#output ch10_3 Masked softmax}}",
        "chapters/ch10_3/compile_fail/01-nine.stderr:1: is on no page",
    );
    for (file, fault) in [
        (
            "compile_fail/02-a.rs",
            "02-a.rs:1: chapters/ch10_3/compile_fail/02-a.stderr is not there",
        ),
        ("compile_fail/02-a.stderr", "02-a.stderr:1: is the error of no program"),
    ] {
        let tiny = section();
        tiny.write(&format!("chapters/ch10_3/{file}"), "fn main() {}\n");
        let fault = format!("chapters/ch10_3/compile_fail/{fault}");
        assert!(tiny.faults().contains(&fault), "{:#?}", tiny.faults());
    }
}

#[test]
fn exercises_have_answers_that_run() {
    let answers = "book/en/solutions/ch10_3.md";
    let example = "chapters/ch10_3/examples/exercise_10_3_1.rs";
    planted(
        PAGE,
        "#exercise-1",
        "#exercise-2",
        &format!("{answers}:3: exercise 1 is not asked on the pages of ch10_3"),
    );
    planted(
        PAGE,
        "#exercise-1)",
        "#exercise-2) [More](solutions/ch10_3.md#exercise-3)",
        &format!("{PAGE}:1: no link leads to exercise 1"),
    );
    planted(
        PAGE,
        " [Answer](solutions/ch10_3.md#exercise-1)",
        "",
        &format!("{example}:1: no page of ch10_3 asks this exercise"),
    );
    planted(
        answers,
        "{#exercise-1}",
        "{#exercise-one}",
        &format!("{answers}:1: no heading {{#exercise-1}}"),
    );
    planted(
        answers,
        "exercise_10_3_1.txt",
        "exercise_10_3_1.rs",
        "chapters/ch10_3/examples/exercise_10_3_1.txt:1: is not on \
         book/en/solutions/ch10_3.md",
    );
    planted(
        example,
        "assert_eq!(1, 1);",
        "// assert_eq!(1, 1);",
        &format!("{example}:1: asserts nothing"),
    );
}

#[test]
fn an_answer_may_take_minutes() {
    let tiny = section();
    let file = "chapters/ch10_3/examples/exercise_10_3_1.txt";
    let text = "$ cargo run -p ch10_3 --example exercise_10_3_1\nso\n";
    tiny.write(&file.replace("examples", "recorded"), text);
    std::fs::remove_file(tiny.root().join(file)).expect("was there");
    let answers =
        ANSWERS.replace("examples/exercise_10_3_1.txt", "recorded/exercise_10_3_1.txt");
    tiny.write("book/en/solutions/ch10_3.md", &answers);
    assert_eq!(tiny.faults(), [""; 0]);
}

#[test]
fn other_examples_are_on_a_page_with_their_output() {
    let tiny = section();
    let file = "chapters/ch10_3/examples/types.rs";
    tiny.write(file, "//! Types.\nfn main() {}\n");
    tiny.write(&file.replace(".rs", ".txt"), "$ cargo run\nso\n");
    tiny.write("chapters/ch10_3/examples/gone.txt", "$ cargo run\nso\n");
    assert_eq!(
        tiny.faults(),
        [
            "chapters/ch10_3/examples/gone.txt:1: is the output of no example",
            "chapters/ch10_3/examples/types.rs:1: it is on no page of the book",
            "chapters/ch10_3/examples/types.rs:1: its output \
             chapters/ch10_3/examples/types.txt is on no page",
        ]
    );
}

#[test]
fn figures_are_used_described_and_in_order() {
    let svg = "book/figures/ch10_3/a.svg";
    planted(
        PAGE,
        "Figure 10.3.1",
        "Figure 10.3.2",
        &format!("{PAGE}:15: Figure 10.3.2 should be Figure 10.3.1"),
    );
    planted(
        PAGE,
        "ch10_3/a.svg)\n\nFigure 10.3.1",
        "ch10_3/b.svg)\n\nFigure 10.3.2",
        &format!("{PAGE}:15: Figure 10.3.2 should be Figure 10.3.1"),
    );
    planted(
        PAGE,
        "A long description of what this figure shows",
        "Short",
        &format!("{PAGE}:15: Figure 10.3.1 is described in less than 40 characters"),
    );
    planted(
        PAGE,
        "```rust\n{{#listing ch10_3/compile_fail",
        "![A long description of what this figure shows](../figures/ch10_3/a.svg)\n\n\
         Figure 10.3.1: Again.\n\n```rust\n{{#listing ch10_3/compile_fail",
        &format!("{PAGE}:21: Figure 10.3.1 is on line 15 already"),
    );
    planted(
        svg,
        "stroke=\"currentColor\"",
        "stroke=\"#000000\"",
        &format!("{svg}:3: a fixed black or white is unseen in one of the themes"),
    );
    planted(
        svg,
        "stroke=\"currentColor\"",
        "id=\"b\"",
        &format!("{svg}:3: the id b does not begin with a"),
    );
    planted(
        svg,
        "<path ",
        "<path onclick=\"f()\" ",
        &format!("{svg}:3: onclick= runs a script"),
    );
    for (planted_in, fault) in [
        ("<SCRIPT></SCRIPT>", "<script> does not belong into a page"),
        ("<style>@import 'a.css';</style>", "<style> does not belong into a page"),
        (
            "<image HREF=\"https://a.example/b.png\"/>",
            "https://a.example/b.png is loaded from another host",
        ),
    ] {
        let path = format!("{planted_in}<path ");
        planted(svg, "<path ", &path, &format!("{svg}:3: {fault}"));
    }
    let tiny = section();
    tiny.write("book/diagrams/b.svg", "<svg width=\"9\" height=\"9\"/>\n");
    assert_eq!(tiny.faults(), ["book/diagrams/b.svg:1: is on no page"]);
}

#[test]
fn headings() {
    for (from, to, fault) in [
        ("## Exercises {#exercises}", "## Exercises", "27: \"Exercises\" has no {#id}"),
        (
            "{#exercises}",
            "{#Exercises}",
            "27: #Exercises has other signs than a-z, 0-9 and -",
        ),
        (
            "## Exercises",
            "### Exercises",
            "27: a heading of level 3 after one of level 1",
        ),
    ] {
        planted(PAGE, from, to, &format!("{PAGE}:{fault}"));
    }
    planted(
        "book/en/intro.md",
        "# Intro {#intro}\n",
        "",
        "book/en/intro.md:1: has no title",
    );
}

#[test]
fn the_contents_have_every_page_once() {
    let tiny = section();
    tiny.write("book/en/lost.md", "# Lost {#lost}\n");
    assert_eq!(tiny.faults(), ["book/en/lost.md:1: is not in SUMMARY.md"]);
    let tiny = Tiny::new();
    tiny.write("book/en/SUMMARY.md", "# Summary\n");
    let faults = tiny.faults();
    let fault = "book/en/SUMMARY.md:1: lists no page".to_string();
    assert!(faults.contains(&fault), "{faults:#?}");
}

#[test]
fn a_section_builds_on_earlier_ones() {
    let tiny = section();
    let summary = std::fs::read_to_string(tiny.root().join("book/en/SUMMARY.md"));
    let summary = summary.expect("a file") + "- [Next](ch10_4.md)\n";
    tiny.write("book/en/SUMMARY.md", &summary);
    let next = "# 10.4 Next {#next}\n\nRun `cargo run -p ch10_4`.\n";
    tiny.write("book/en/ch10_4.md", next);
    tiny.write(
        "chapters/ch10_4/Cargo.toml",
        "[dependencies]\nch10_3.workspace = true\n",
    );
    assert_eq!(tiny.faults(), [""; 0]);
    tiny.write(
        "chapters/ch10_3/Cargo.toml",
        "[dependencies]\nch10_4.workspace = true\n",
    );
    let fault = "chapters/ch10_3/Cargo.toml:2: depends on ch10_4, which comes later";
    assert_eq!(tiny.faults(), [fault]);
}
