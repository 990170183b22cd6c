//! What each directive of a page becomes.

use crate::common::Tiny;

const ENCODER: &str = "\
// ANCHOR: header
//! The encoder.
#![allow(dead_code)]

use crate::parts::{
    Left,
    Right,
};
mod parts;

/// How many.
pub const COUNT: usize = 3;
// ANCHOR_END: header

// ANCHOR: block
/// A block.
pub struct Block<const M: usize> {
    width: f32,
}
// ANCHOR_END: block

impl<const M: usize> Block<M>
where
    Left: Right,
{
    // ANCHOR: new
    /// A new one.
    pub fn new() -> Self {
        use std::f32::consts::PI;
        Block { width: PI }
    }
    // ANCHOR_END: new

    // ANCHOR: forward
    /// Attends to `x`.
    pub fn forward(&self, x: &str) -> f32 {
        // ANCHOR_IS_NO_MARK
        println!(\"{{#x}} {x}\");
        self.width * 2.0
    }
    // ANCHOR_END: forward
}

// ANCHOR: plain
fn plain() {
    if true {
        done();
    }
}
// ANCHOR_END: plain
";

/// Its plumbing is in no anchor, and an `impl` begins in one.
const LAYERS: &str = "\
//! Layers.

use b::c;
mod d;

// ANCHOR: a
struct A;

impl A {
    fn b() {}
    // ANCHOR_END: a

    // ANCHOR: c
    fn c() {}
}
// ANCHOR_END: c

// ANCHOR: e
fn e() {}
// ANCHOR_END: e
";

const MAIN: &str = "\
//! It.
mod demo;
fn main() {
    // ANCHOR: call
    let y = x;
    if y {
        f();
    }
    // ANCHOR_END: call
}
";

/// A tiny book whose first page has this text.
fn with(page: &str) -> Tiny {
    let tiny = Tiny::new();
    for (file, text) in
        [("encoder.rs", ENCODER), ("layers.rs", LAYERS), ("main.rs", MAIN)]
    {
        tiny.write(&format!("chapters/ch10_3/src/{file}"), text);
    }
    tiny.page(page);
    tiny
}

/// The page's blocks of code as text: dimmed lines in `~`, hidden ones in `#`.
#[track_caller]
fn shown(tiny: &Tiny) -> Vec<String> {
    assert_eq!(tiny.faults(), [""; 0]);
    let html = tiny.html("intro.html");
    let main = html.split("<main>").nth(1).expect("a page");
    let main = main.split("</main>").next().expect("its end");
    let blocks = main.split("<pre>").skip(1);
    let blocks = blocks.map(|block| block.split("</pre>").next().expect("closed"));
    blocks.map(text).collect()
}

fn text(block: &str) -> String {
    let block = block.replace("<span class=\"dim\">", "~");
    let block = block.replace("<span class=\"boring\">", "#");
    let tags = block.split('<').map(|part| part.rsplit('>').next().unwrap_or_default());
    let out = tags.collect::<String>();
    let out = out.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    out.replace("&#123;", "{").replace("&amp;", "&")
}

/// What stands above the blocks of a page.
fn labels(tiny: &Tiny) -> Vec<String> {
    let html = tiny.html("intro.html");
    let labels = html.split("<p class=\"file\">").skip(1);
    labels.map(|rest| text(rest.split("</p>").next().unwrap_or_default())).collect()
}

const FORWARD: &str = "~impl<const M: usize> Block<M>\n~where\n~    Left: Right,\n~{\n    \
                       /// Attends to `x`.\n    \
                       pub fn forward(&self, x: &str) -> f32 {\n        \
                       // ANCHOR_IS_NO_MARK\n        println!(\"{{#x}} {x}\");\n        \
                       self.width * 2.0\n    }\n~}";

#[test]
fn what_is_listed_is_shown_in_its_frame() {
    for (directives, expected) in [
        // Plumbing is hidden, in a function too.
        (
            &["listing ch10_3/src/encoder.rs:header"][..],
            "#//! The encoder.\n##![allow(dead_code)]\n#\n#use crate::parts::{\n\
             #    Left,\n#    Right,\n#};\n#mod parts;\n#\n\
             /// How many.\npub const COUNT: usize = 3;",
        ),
        (
            &["listing ch10_3/src/encoder.rs:new"],
            "~impl<const M: usize> Block<M>\n~where\n~    Left: Right,\n~{\n    \
             /// A new one.\n    pub fn new() -> Self {\n\
             #        use std::f32::consts::PI;\n        Block { width: PI }\n    }\n~}",
        ),
        // In no anchor it stands, hidden, before the first listing of its file.
        (
            &["listing ch10_3/src/layers.rs:e", "listing ch10_3/src/layers.rs:a"],
            "#//! Layers.\n#use b::c;\n#mod d;\n#\nfn e() {}\n\n\
             struct A;\n\nimpl A {\n    fn b() {}\n~}",
        ),
        // Methods of one impl share it.
        (
            &[
                "listing ch10_3/src/encoder.rs:block",
                "hidden ch10_3/src/encoder.rs:new",
                "listing ch10_3/src/encoder.rs:forward",
                "listing ch10_3/src/encoder.rs:plain",
            ],
            "/// A block.\npub struct Block<const M: usize> {\n    width: f32,\n}\n\n\
             ~impl<const M: usize> Block<M>\n~where\n~    Left: Right,\n~{\n\
             #    /// A new one.\n#    pub fn new() -> Self {\n\
             #        use std::f32::consts::PI;\n#        Block { width: PI }\n#    }\n#\n    \
             /// Attends to `x`.\n    pub fn forward(&self, x: &str) -> f32 {\n        \
             // ANCHOR_IS_NO_MARK\n        println!(\"{{#x}} {x}\");\n        \
             self.width * 2.0\n    }\n~}\n\n\
             fn plain() {\n    if true {\n        done();\n    }\n}",
        ),
        (
            &["listing ch10_3/src/layers.rs:a", "listing ch10_3/src/layers.rs:c"],
            "#//! Layers.\n#use b::c;\n#mod d;\n#\n\
             struct A;\n\nimpl A {\n    fn b() {}\n\n    fn c() {}\n}",
        ),
        // Statements move to the margin.
        (
            &["listing ch10_3/src/main.rs:call"],
            "#//! It.\n#mod demo;\n#\nlet y = x;\nif y {\n    f();\n}",
        ),
    ] {
        let lines = directives.iter().map(|one| format!("{{{{#{one}}}}}\n"));
        let tiny = with(&format!("```rust\n{}```", lines.collect::<String>()));
        assert_eq!(shown(&tiny), [expected], "{directives:?}");
        assert_eq!(labels(&tiny).len(), 1, "{directives:?}");
    }
}

#[test]
fn code_is_labelled_and_coloured_without_a_script() {
    let tiny = with(
        "```rust\n{{#listing ch10_3/src/lib.rs:one}}\n\
         {{#listing ch10_3/src/encoder.rs:forward}}\n```\n\n\
         ```rust\n{{#hidden ch10_3/src/encoder.rs:header}}\n\
         {{#listing ch10_3/src/main.rs:call}}\n```",
    );
    shown(&tiny);
    let [both, second] = &labels(&tiny)[..] else { panic!("two labels") };
    assert_eq!(both, "chapters/ch10_3/src/lib.rs, chapters/ch10_3/src/encoder.rs");
    assert_eq!(second, "chapters/ch10_3/src/main.rs", "what is hidden has none");
    let html = tiny.html("intro.html");
    for piece in [
        "<code class=\"language-rust hljs hide-boring\">",
        "<span class=\"d\">/// Attends to `x`.</span>",
        "<span class=\"k\">pub fn</span> <span class=\"f\">forward</span>(",
        "<span class=\"m\">println</span>!(<span class=\"s\">\"",
        "<span class=\"n\">2.0</span>",
        "<span class=\"t\">Block</span>&lt;M&gt;",
    ] {
        assert!(html.contains(piece), "{piece}");
    }
}

#[test]
fn errors_differences_outputs_and_commands() {
    let program = "fn main() {\n    let a = 1;\n    f(a, 9);\n}\n";
    let error = "error[E0308]: mismatched types\n --> a.rs\n";
    let all = "Speed\n-----\n2 ms\n\nSize\n----\n3 kB";
    let tiny = with(
        "```rust\n{{#listing ch10_3/compile_fail/01-nine.rs}}\n```\n\n\
         ```text\n{{#error ch10_3 01-nine}}\n```\n\n\
         ```diff\n{{#difference ch10_3 01-nine}}\n```\n\n\
         ```text\n{{#output ch10_3/cache Speed}}\n```\n\n\
         ```text\n{{#output ch10_3/cache Size}}\n```\n\n\
         ```text\n{{#output ch10_3/cache}}\n```\n\n\
         ```text\n{{#include ../../chapters/ch10_3/src/lib.rs:2:2}}\n```\n\n\
         ```text\n{{#include ../../chapters/ch10_3/examples/two.txt}}\n```\n\n\
         ```sh\ncargo run \\\n  -p ch10_3\n# why\ncargo test\n```",
    );
    for (file, text) in [
        ("compile_fail/01-nine.rs", format!("{program}// Right, line 3: f(a, 10);\n")),
        ("compile_fail/01-nine.stderr", error.to_string()),
        ("examples/two.txt", "$ cargo run -p ch10_3 --example two\nyes\n".to_string()),
        ("output/cache.txt", format!("$ cargo run -p ch10_3 -- cache\n\n{all}\n")),
    ] {
        tiny.write(&format!("chapters/ch10_3/{file}"), &text);
    }
    assert_eq!(
        shown(&tiny),
        [
            program.trim(),
            error.trim(),
            "- f(a, 9);\n+ f(a, 10);",
            "Speed\n-----\n2 ms",
            "Size\n----\n3 kB",
            all,
            "//! A chapter.",
            "yes",
            "cargo run \\\n  -p ch10_3\n# why\ncargo test",
        ]
    );
    let output = "Output of cargo run -p ch10_3 -- cache";
    assert_eq!(
        labels(&tiny),
        [
            "chapters/ch10_3/compile_fail/01-nine.rs",
            "rustc says",
            "What compiles: chapters/ch10_3/compile_fail/01-nine.rs",
            output,
            output,
            output,
            "chapters/ch10_3/src/lib.rs",
            "Output of cargo run -p ch10_3 --example two",
        ]
    );
    let html = tiny.html("intro.html");
    assert!(html.contains("<span class=\"del\">- f(a, 9);</span>"));
    assert!(html.contains("<span class=\"ins\">+ f(a, 10);</span>"));
    // A prompt is not copied.
    assert_eq!(html.matches("<span class=\"cmd\">").count(), 2);
}

#[test]
fn a_program_is_there_in_full() {
    let tiny = with("{{#program ch10_3}}");
    tiny.write("chapters/ch10_3/src/main.rs", "//! It.\nmod demo;\nfn main() {}\n");
    tiny.write("chapters/ch10_3/src/demo/flags.rs", "//! Flags.\n");
    tiny.write("chapters/ch10_3/src/task/game.rs", "//! A game.\n");
    assert_eq!(
        shown(&tiny),
        ["//! It.\nmod demo;\nfn main() {}", "//! Flags.", "//! A game."]
    );
    let html = tiny.html("intro.html");
    assert!(html.contains("<h2 id=\"main-rs\">"));
    assert!(html.contains("<code>demo/flags.rs</code>"));
}

#[test]
fn code_stays_whole_in_lists_and_quotations() {
    let listing = |indent: &str| {
        ["```rust", "{{#listing ch10_3/src/encoder.rs:forward}}", "```"]
            .map(|line| format!("{indent}{line}\n"))
            .concat()
    };
    let tiny =
        with(&format!("1. One\n\n{}\n> Two\n>\n{}", listing("   "), listing("> ")));
    assert_eq!(shown(&tiny), [FORWARD, FORWARD]);
}

/// An error with notes in the program and elsewhere, as rustc prints them.
const NINE: &str = "\
error[E0308]: mismatched types
  --> chapters/ch10_3/compile_fail/01-nine.rs:10:12
   |
10 |     é(one, nine);
   |     -      ^^^^ expected `8`, found `9`
   |
   = note: expected struct `Tensor<8>`
              found struct `Tensor<9>`
note: function defined here
  --> chapters/ch10_3/src/lib.rs
   |
   | pub fn eight<const N: usize>(
   |        ^^^^^
";

/// A page of questions, each with its choices.
fn asked(questions: &[(&str, &[&str])]) -> Tiny {
    let tiny = Tiny::new();
    let program =
        "fn main() {\n    é(one, nine);\n}\n// Right, line 2: é(one, eight);\n";
    tiny.write("chapters/ch10_3/compile_fail/01-nine.rs", program);
    tiny.write("chapters/ch10_3/compile_fail/01-nine.stderr", NINE);
    let page = questions.iter().map(|(record, choices)| {
        let choices = choices.iter();
        let list = choices.map(|one| format!("- [ ] {one}\\\n  Since $1 < 2$.\n"));
        let list = list.collect::<String>();
        format!("{{{{#question ch10_3 {record}}}}}\n\nWhat *is* it?\n\n{list}\n")
    });
    let fences = "```text\n{{#error ch10_3 01-nine}}\n```\n\n\
                  ```diff\n{{#difference ch10_3 01-nine}}\n```\n\nAfter it.";
    tiny.page(&(page.collect::<String>() + fences));
    assert_eq!(tiny.faults(), [""; 0]);
    tiny
}

#[test]
fn a_question_is_a_group_of_choices_and_a_fold() {
    let html = asked(&[("01-nine", &["`E0277`", "`E0308`"])]).html("intro.html");
    let (_, rest) = html.split_once("<fieldset").expect("a question");
    let (question, rest) = rest.split_once("</fieldset>").expect("its end");
    let id = "question-book-en-intro-1";
    let start = format!(
        " class=\"question\" aria-labelledby=\"{id}\">\
         <legend>Question</legend><div id=\"{id}\"><p>What <em>is</em> it?</p></div>\
         <ol><li><label><input type=\"radio\" name=\"{id}\"> <code>E0277</code></label></li>\
         <li><label><input type=\"radio\" name=\"{id}\"> <code>E0308</code></label></li></ol>\
         <details><summary>Answer</summary><ol><li><b>Wrong.</b> Since <math>"
    );
    let joined = question.replace('\n', "");
    assert!(joined.starts_with(&start), "{joined}");
    assert!(question.contains("rustc says") && question.contains("What compiles"));
    assert!(question.trim_end().ends_with("</details>"), "{question}");
    assert!(rest.contains("<p>After it.</p>"));
}

#[test]
fn a_short_error_ends_after_its_place() {
    let tiny = with("```text\n{{#error ch10_3 01-nine short}}\n```");
    tiny.write("chapters/ch10_3/compile_fail/01-nine.stderr", NINE);
    let [block] = shown(&tiny).try_into().expect("a block");
    let (seen, hidden) = block.split_once('#').expect("a fold");
    assert!(seen.ends_with("expected `8`, found `9`\n"), "{seen}");
    assert!(hidden.contains("= note") && hidden.contains("^^^^^"), "{hidden}");
}

#[test]
fn what_a_record_says_is_right() {
    let questions: [(&str, &[&str]); 11] = [
        ("01-nine", &["`eight`", "`E0308`"]),
        ("01-nine", &["`E0308`, at `one`", "`E0308`, at `nine`"]),
        ("01-nine", &["It compiles.", "`mismatched types`"]),
        ("01-nine", &["`mismatched`", "`nine`"]),
        ("01-nine", &["`one`", "`é(one,  nine);`"]),
        ("01-nine", &["`Tensor<8>`", "``expected `8`, found `9` ``"]),
        ("01-nine", &["`Tensor`", "`Tensor<9>`"]),
        ("01-nine", &["`é(one)`", "`é(one, eight);`"]),
        ("Additive attention > 2", &["`0.5000`", "`2.0000 <3.0000>`"]),
        ("Masked softmax > 0.5", &["`0.5`", "`0.5000`"]),
        ("Masked softmax > 0.5", &["`Masked softmax`", "`0.5000 0.5000`"]),
    ];
    let html = asked(&questions).html("intro.html");
    for ((_, choices), reasons) in
        questions.iter().zip(html.split("<summary>Answer").skip(1))
    {
        let right = reasons.split("<li><b>").nth(2).expect("two reasons");
        assert!(right.starts_with("Right."), "{choices:?}");
    }
}
