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

/// The page's blocks of code as text: dimmed lines in `~`, hidden ones in `#`.
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
    let mut out = String::new();
    let mut in_tag = false;
    for c in block.chars() {
        match c {
            '<' => in_tag = true,
            '>' => in_tag = false,
            c if !in_tag => out.push(c),
            _ => {}
        }
    }
    let out = out.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    out.replace("&#123;", "{").replace("&amp;", "&")
}

fn with(fence: &str) -> Tiny {
    let tiny = Tiny::new();
    tiny.write("chapters/ch10_3/src/encoder.rs", ENCODER);
    tiny.page(fence);
    tiny
}

fn rust(directives: &[&str]) -> Tiny {
    let lines: Vec<String> =
        directives.iter().map(|d| format!("{{{{#{d}}}}}\n")).collect();
    with(&format!("```rust\n{}```", lines.concat()))
}

#[test]
fn plumbing_is_hidden() {
    let tiny = rust(&["listing ch10_3/src/encoder.rs:header"]);
    let expected = "#//! The encoder.\n##![allow(dead_code)]\n#\n#use crate::parts::{\n\
                    #    Left,\n#    Right,\n#};\n#mod parts;\n#\n\
                    /// How many.\npub const COUNT: usize = 3;";
    assert_eq!(shown(&tiny), [expected]);
    let html = tiny.html("intro.html");
    assert!(html.contains("<code class=\"language-rust hljs hide-boring\">"));
    let label = "<p class=\"file\"><code>chapters/ch10_3/src/encoder.rs</code></p>";
    assert_eq!(html.matches(label).count(), 1);
}

#[test]
fn a_method_stands_in_its_dimmed_impl() {
    let tiny = rust(&["listing ch10_3/src/encoder.rs:forward"]);
    let expected = "~impl<const M: usize> Block<M>\n~where\n~    Left: Right,\n~{\n    \
                    /// Attends to `x`.\n    \
                    pub fn forward(&self, x: &str) -> f32 {\n        \
                    // ANCHOR_IS_NO_MARK\n        println!(\"{{#x}} {x}\");\n        \
                    self.width * 2.0\n    }\n~}";
    assert_eq!(shown(&tiny), [expected]);
}

#[test]
fn methods_of_one_impl_share_it() {
    let file = "ch10_3/src/encoder.rs";
    let tiny = rust(&[
        &format!("listing {file}:block"),
        &format!("hidden {file}:new"),
        &format!("listing {file}:forward"),
        &format!("listing {file}:plain"),
    ]);
    let blocks = shown(&tiny);
    let block = &blocks[0];
    assert_eq!(block.matches("~impl<const M: usize> Block<M>").count(), 1);
    assert_eq!(block.matches("\n~}").count(), 1);
    assert!(block.contains("    width: f32,\n}\n\n~impl"), "{block}");
    assert!(block.contains("~{\n#    /// A new one.\n#    pub fn new() -> Self {\n"));
    assert!(block.contains("#    }\n#\n    /// Attends"), "{block}");
    assert!(block.contains("    }\n~}\n\nfn plain() {"), "{block}");
    let label = "<p class=\"file\"><code>chapters/ch10_3/src/encoder.rs</code></p>";
    assert_eq!(tiny.html("intro.html").matches(label).count(), 1);
}

#[test]
fn plumbing_in_no_anchor_stands_before_the_first_listing() {
    let tiny = Tiny::new();
    tiny.write(
        "chapters/ch10_3/src/a.rs",
        "//! A.\n\nuse b::c;\nmod d;\n\n// ANCHOR: e\nfn e() {}\n// ANCHOR_END: e\n\n\
         // ANCHOR: f\nfn f() {}\n// ANCHOR_END: f\n",
    );
    tiny.page(
        "```rust\n{{#listing ch10_3/src/a.rs:f}}\n{{#listing ch10_3/src/a.rs:e}}\n```",
    );
    let expected = "#//! A.\n#use b::c;\n#mod d;\n#\nfn f() {}\n\nfn e() {}";
    assert_eq!(shown(&tiny), [expected]);
}

#[test]
fn a_use_inside_of_a_function_is_hidden_too() {
    let tiny = rust(&["listing ch10_3/src/encoder.rs:new"]);
    assert!(shown(&tiny)[0].contains("{\n#        use std::f32::consts::PI;\n"));
}

#[test]
fn two_files_have_two_labels() {
    let labels = |first: &str| {
        let tiny = rust(&[
            &format!("{first} ch10_3/src/lib.rs:one"),
            "listing ch10_3/src/encoder.rs:plain",
        ]);
        assert_eq!(shown(&tiny).len(), 1);
        let html = tiny.html("intro.html");
        let (_, rest) = html.split_once("<p class=\"file\">").expect("labels");
        rest.split_once("</p>").expect("their end").0.to_string()
    };
    let encoder = "<code>chapters/ch10_3/src/encoder.rs</code>";
    let both = format!("<code>chapters/ch10_3/src/lib.rs</code>, {encoder}");
    assert_eq!(labels("listing"), both);
    assert_eq!(labels("hidden"), encoder);
}

#[test]
fn statements_move_to_the_margin() {
    let tiny = Tiny::new();
    tiny.write(
        "chapters/ch10_3/src/main.rs",
        "fn main() {\n    // ANCHOR: call\n    let y = x;\n    if y {\n        \
         f();\n    }\n    // ANCHOR_END: call\n}\n",
    );
    tiny.page("```rust\n{{#listing ch10_3/src/main.rs:call}}\n```");
    assert_eq!(shown(&tiny), ["let y = x;\nif y {\n    f();\n}"]);
}

#[test]
fn an_impl_that_begins_in_an_anchor_is_closed() {
    let tiny = Tiny::new();
    tiny.write(
        "chapters/ch10_3/src/a.rs",
        "// ANCHOR: a\nstruct A;\n\nimpl A {\n    fn b() {}\n    // ANCHOR_END: a\n\n\
         \x20   // ANCHOR: c\n    fn c() {}\n}\n// ANCHOR_END: c\n",
    );
    tiny.page("```rust\n{{#listing ch10_3/src/a.rs:a}}\n```");
    assert_eq!(shown(&tiny), ["struct A;\n\nimpl A {\n    fn b() {}\n~}"]);
    tiny.page(
        "```rust\n{{#listing ch10_3/src/a.rs:a}}\n{{#listing ch10_3/src/a.rs:c}}\n```",
    );
    let whole = "struct A;\n\nimpl A {\n    fn b() {}\n\n    fn c() {}\n}";
    assert_eq!(shown(&tiny), [whole]);
}

#[test]
fn code_has_colours_without_a_script() {
    let tiny = rust(&["listing ch10_3/src/encoder.rs:forward"]);
    assert_eq!(tiny.faults(), [""; 0]);
    let html = tiny.html("intro.html");
    for piece in [
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
fn errors_and_differences() {
    let tiny = Tiny::new();
    let folder = "chapters/ch10_3";
    let program = "fn main() {\n    let a = 1;\n    f(a, 9);\n}\n";
    let with_right = format!("{program}// Right, line 3: f(a, 10);\n");
    tiny.write(&format!("{folder}/compile_fail/01-nine.rs"), &with_right);
    let error = "error[E0308]: mismatched types\n --> a.rs\n";
    tiny.write(&format!("{folder}/compile_fail/01-nine.stderr"), error);
    tiny.page(
        "```rust\n{{#listing ch10_3/compile_fail/01-nine.rs}}\n```\n\n\
         ```text\n{{#error ch10_3 01-nine}}\n```\n\n\
         ```diff\n{{#difference ch10_3 01-nine}}\n```",
    );
    assert_eq!(shown(&tiny), [program.trim(), error.trim(), "- f(a, 9);\n+ f(a, 10);"]);
    let html = tiny.html("intro.html");
    assert!(html.contains("<p class=\"file\">rustc says</p>"));
    assert!(html.contains("<span class=\"del\">- f(a, 9);</span>"));
    assert!(html.contains("<span class=\"ins\">+ f(a, 10);</span>"));
}

#[test]
fn outputs_of_other_commands() {
    let tiny = Tiny::new();
    tiny.write(
        "chapters/ch10_3/output/cache.txt",
        "$ cargo run -p ch10_3 -- cache\n\nSpeed\n-----\n2 ms\n\nSize\n----\n3 kB\n",
    );
    tiny.page(
        "```text\n{{#output ch10_3/cache Size}}\n```\n\n\
         ```text\n{{#output ch10_3/cache}}\n```",
    );
    let all = "Speed\n-----\n2 ms\n\nSize\n----\n3 kB";
    assert_eq!(shown(&tiny), ["Size\n----\n3 kB", all]);
    let label = "Output of <code>cargo run -p ch10_3 -- cache</code>";
    assert_eq!(tiny.html("intro.html").matches(label).count(), 2);
}

#[test]
fn a_program_is_there_in_full() {
    let tiny = Tiny::new();
    tiny.write("chapters/ch10_3/src/main.rs", "//! It.\nmod demo;\nfn main() {}\n");
    tiny.write("chapters/ch10_3/src/demo/flags.rs", "//! Flags.\n");
    tiny.write("chapters/ch10_3/src/task/game.rs", "//! A game.\n");
    tiny.page("{{#program ch10_3}}");
    assert_eq!(
        shown(&tiny),
        ["//! It.\nmod demo;\nfn main() {}", "//! Flags.", "//! A game."]
    );
    let html = tiny.html("intro.html");
    assert!(html.contains("<h2 id=\"main-rs\">"));
    assert!(html.contains("<code>demo/flags.rs</code>"));
    assert!(!html.contains("costs"), "the library is no part of the program");
}

#[test]
fn commands_have_a_prompt_that_is_not_copied() {
    let tiny = with(
        "```sh\ncargo run \\\n  -p ch10_3\n# why\ncargo test\n```\n\n\
         ```console\n$ ls\na.txt\n```",
    );
    assert_eq!(
        shown(&tiny),
        ["cargo run \\\n  -p ch10_3\n# why\ncargo test", "ls\na.txt"]
    );
    let html = tiny.html("intro.html");
    assert_eq!(html.matches("<span class=\"cmd\">").count(), 3);
    assert!(html.contains("<span class=\"cmd\">ls</span>\na.txt"));
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
    let blocks = shown(&tiny);
    assert_eq!(blocks.len(), 2);
    assert_eq!(blocks[0], blocks[1]);
    assert!(blocks[0].ends_with("        self.width * 2.0\n    }\n~}"));
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

fn question(record: &str, choices: &[&str]) -> Tiny {
    let tiny = Tiny::new();
    let program =
        "fn main() {\n    é(one, nine);\n}\n// Right, line 2: é(one, eight);\n";
    tiny.write("chapters/ch10_3/compile_fail/01-nine.rs", program);
    tiny.write("chapters/ch10_3/compile_fail/01-nine.stderr", NINE);
    let choices: Vec<String> = choices
        .iter()
        .map(|one| format!("- [ ] {one}\\\n  Since $1 < 2$.\n"))
        .collect();
    let choices = choices.concat();
    tiny.page(&format!("{{{{#question {record}}}}}\n\nWhat *is* it?\n\n{choices}"));
    tiny
}

/// The places of the choices that are right.
fn right(tiny: &Tiny) -> Vec<usize> {
    assert_eq!(tiny.faults(), [""; 0]);
    let html = tiny.html("intro.html");
    let (_, reasons) = html.split_once("<details>").expect("a fold");
    let reasons = reasons.split("<li><b>").skip(1).enumerate();
    reasons.filter(|(_, text)| text.starts_with("Right.")).map(|(at, _)| at).collect()
}

#[test]
fn a_question_is_a_group_of_choices_and_a_fold() {
    let tiny = question("ch10_3 01-nine", &["`E0277`", "`E0308`"]);
    let fences = "```text\n{{#error ch10_3 01-nine}}\n```\n\n\
                  ```diff\n{{#difference ch10_3 01-nine}}\n```\n\nAfter it.";
    let page = std::fs::read_to_string(tiny.root().join("book/en/intro.md"));
    tiny.write("book/en/intro.md", &format!("{}\n{fences}\n", page.expect("a page")));
    assert_eq!(right(&tiny), [1]);
    let html = tiny.html("intro.html");
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
fn what_a_record_says() {
    for says in [
        "`E0308`",
        "`mismatched types`",
        "`nine`",
        "`é(one,  nine);`",
        "``expected `8`, found `9` ``",
        "`Tensor<9>`",
        "`é(one, eight);`",
        "`E0308`, at `nine`",
    ] {
        let wrong = ["`eight`", "`E0308`, at `one`", "It compiles."];
        let tiny = question("ch10_3 01-nine", &[wrong[0], says, wrong[1], wrong[2]]);
        assert_eq!(right(&tiny), [1], "{says}");
    }
    for (record, says, wrong) in [
        ("ch10_3 Additive attention", "`2.0000 <3.0000>`", "`0.5000`"),
        ("ch10_3 Masked softmax > 0.5", "`0.5000`", "`0.5`"),
        ("ch10_3 Masked softmax > 0.5", "`0.5000 0.5000`", "`Masked softmax`"),
    ] {
        assert_eq!(right(&question(record, &[wrong, says])), [1], "{says}");
    }
}
