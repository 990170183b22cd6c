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
const PLANTED: &str = r##"
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
- // ANCHOR_END: layer
+ // ANCHOR_END: player
chapters/ch10_3/src/lib.rs:10: anchor player ends here and is not open

chapters/ch10_3/src/lib.rs
- // ANCHOR: forward
+ // ANCHOR: layer
chapters/ch10_3/src/lib.rs:13: a second anchor is called layer

chapters/ch10_3/src/lib.rs
- // ANCHOR_END: header
chapters/ch10_3/src/lib.rs:1: anchor header is not closed

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
chapters/ch10_3/src/lib.rs:7: anchor layer is shown 2 times: book/en/ch10_3.md:5, book/en/ch10_3/side.md:7

book/en/ch10_3/side.md
- {{#listing ch10_3/src/side.rs}}
+ {{#listing ch10_3/compile_fail/01-nine.rs}}
chapters/ch10_3/src/side.rs:3: this line is in no anchor

book/en/programs/ch10_3.md
- {{#program ch10_3}}
chapters/ch10_3/src/main.rs:1: the program is on no page of the book

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
chapters/ch10_3/output.txt:3: "Masked softmax" is shown 2 times: book/en/ch10_3.md:10, book/en/ch10_3/side.md:14

chapters/ch10_3/output.txt
- Additive attention
- ------------------
+ Masked softmax
+ --------------
chapters/ch10_3/output.txt:7: "Masked softmax" is there twice

chapters/ch10_3/output.txt
- Masked softmax
+ Hello.
+ Masked softmax
chapters/ch10_3/output.txt:2: something is printed before the first heading

book/en/ch10_3.md
- 1. Why? [Answer](solutions/ch10_3.md#exercise-1)
+ 1. Why? [Answer](solutions/ch10_3.md#exercise-2)
book/en/solutions/ch10_3.md:3: exercise 1 is not asked on the pages of ch10_3

book/en/solutions/ch10_3.md
- ## Exercise 1 {#exercise-1}
+ ## Exercise 2 {#exercise-2}
book/en/solutions/ch10_3.md:3: exercise 2 should be exercise 1

book/en/solutions/ch10_3.md
- ## Exercise 1 {#exercise-1}
+ ## Exercise 2 {#exercise-2}
book/en/solutions/ch10_3.md:3: no example answers exercise 2

book/en/solutions/ch10_3.md
- ## Exercise 1 {#exercise-1}
+ ## Exercise 1 {#one}
chapters/ch10_3/examples/exercise_10_3_1.rs:1: answers no exercise of book/en/solutions/ch10_3.md

book/en/solutions/ch10_3.md
- {{#include ../../../chapters/ch10_3/examples/exercise_10_3_1.txt}}
chapters/ch10_3/examples/exercise_10_3_1.txt:1: is on no page

book/en/ch10_3.md
- Figure 10.3.1: It.
+ Figure 10.3.2: It.
book/en/ch10_3.md:13: Figure 10.3.2 should be Figure 10.3.1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <path d="M0 0h9" stroke="black"/>
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: a fixed black or white is invisible in one of the themes at 3:1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <SCRIPT></SCRIPT>
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: <SCRIPT> is not allowed in a figure at 3:1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <path d="M0 0h9" onclick="f()"/>
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: onclick= is not allowed in a figure at 3:1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <path fill="url(https://a.example/b.svg#c)"/>
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: fill= is not allowed in a figure at 3:1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <path ONLOAD="f()"/>
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: ONLOAD= is not allowed in a figure at 3:1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <path style="position: fixed"/>
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: style= is not allowed in a figure at 3:1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <path href="#a"/>
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: href= is not allowed in a figure at 3:1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <path xml:base="a"/>
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: base= is not allowed in a figure at 3:1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <path fill="url(http:\2f\2f a.example/b.svg#c)"/>
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: fill= is not allowed in a figure at 3:1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <path fill="u\72l(b.svg#c)"/>
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: fill= is not allowed in a figure at 3:1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <path fill="URL(b.svg#c)"/>
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: fill= is not allowed in a figure at 3:1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <path clip-path="url(#a) url(b.svg#c)"/>
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: clip-path= is not allowed in a figure at 3:1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <!--> <script>f()</script> -->
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: only elements and text are allowed in a figure at 3:1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <?x > <script>f()</script> ?>
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: only elements and text are allowed in a figure at 3:1

book/figures/ch10_3/a.svg
- <path d="M0 0h9" stroke="currentColor"/>
+ <title><![CDATA[<script>f()</script>]]></title>
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: only elements and text are allowed in a figure at 3:8

chapters/ch10_3/output.txt
- Masked softmax
- --------------
+ Masked softmax
+ -------------
book/en/ch10_3.md:10: no lines and no heading "Masked softmax" in chapters/ch10_3/output.txt

chapters/ch10_3/output.txt
- Masked softmax
- --------------
+ Masked softmax
+ ---------------
book/en/ch10_3.md:10: no lines and no heading "Masked softmax" in chapters/ch10_3/output.txt

book/figures/ch10_3/a.svg
- <svg xmlns="http://www.w3.org/2000/svg" width="680" height="9" viewBox="0 0 680 9">
+ <svg xmlns="http://www.w3.org/2000/svg" width="NaN" height="9" viewBox="0 0 680 9">
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: it has no width

book/figures/ch10_3/a.svg
- <svg xmlns="http://www.w3.org/2000/svg" width="680" height="9" viewBox="0 0 680 9">
+ <svg xmlns="http://www.w3.org/2000/svg" width="-5" height="9" viewBox="0 0 680 9">
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: it has no width

book/figures/ch10_3/a.svg
- <svg xmlns="http://www.w3.org/2000/svg" width="680" height="9" viewBox="0 0 680 9">
+ <svg xmlns="http://www.w3.org/2000/svg" width="inf" height="9" viewBox="0 0 680 9">
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: it has no width

book/figures/ch10_3/a.svg
- <svg xmlns="http://www.w3.org/2000/svg" width="680" height="9" viewBox="0 0 680 9">
+ <svg xmlns="http://www.w3.org/2000/svg" width="0" height="9" viewBox="0 0 680 9">
book/en/ch10_3.md:13: cannot show book/figures/ch10_3/a.svg: it has no width
"##;

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
    for file in ["compile_fail/02-a.rs", "examples/types.rs", "recorded/long.txt"] {
        tiny.write(&format!("chapters/ch10_3/{file}"), "fn main() {}\n");
    }
    tiny.write("book/diagrams/b.svg", "<svg width=\"9\" height=\"9\"/>\n");
    assert_eq!(
        tiny.faults(),
        [
            "book/diagrams/b.svg:1: is on no page",
            "chapters/ch10_3/compile_fail/02-a.rs:1: is on no page",
            "chapters/ch10_3/compile_fail/02-a.stderr:1: is on no page",
            "chapters/ch10_3/examples/types.rs:1: is on no page",
            "chapters/ch10_3/examples/types.txt:1: is on no page",
            "chapters/ch10_3/recorded/long.txt:1: is on no page",
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
