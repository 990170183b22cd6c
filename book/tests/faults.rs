//! Each fault that a book can have is one line that names file and line.

use crate::common::Tiny;

/// Asserts that `text`, from line 5 of a page, is found to have exactly the
/// fault that `line` describes.
fn page_with(text: &str, line: &str) {
    let tiny = Tiny::new();
    tiny.page(text);
    assert_eq!(tiny.faults(), [format!("book/en/intro.md:{line}")]);
}

fn fence(body: &str) -> String {
    format!("```rust\n{body}\n```")
}

#[test]
fn a_book_without_faults_has_none() {
    assert_eq!(Tiny::new().faults(), [""; 0]);
}

#[test]
fn bad_formula() {
    page_with(
        "Two lines,\nthen $\\left( x$ of one.",
        "6: bad formula: Expected closing token \"\\right\", \
         but reached end of input.",
    );
    page_with("$$\nx\n= \\nosuch\n$$", "7: bad formula: Unknown command \"\\nosuch\".");
    page_with(
        "$$ \\nosuch \\tag{1} $$",
        "5: bad formula: Unknown command \"\\nosuch\".",
    );
}

#[test]
fn dollars_that_make_no_formula() {
    let line = "6: this $ makes no formula: no line of one begins with -, \
                + or =; the sign itself is \\$";
    page_with("It is\nhalf, $\\frac{1}{2, of one.", line);
    page_with("It costs\n5 $ there.", line);
    let tiny = Tiny::new();
    tiny.page("\n$$\nx = y\n- z.");
    assert_eq!(tiny.faults()[0], format!("book/en/intro.md:{line}"));
    tiny.page("It costs \\$5, `$x`.\n\n```sh\n$ ls\n```\n");
    assert_eq!(tiny.faults(), [""; 0]);
}

#[test]
fn missing_include() {
    let tiny = Tiny::new();
    tiny.page(&fence("{{#include ../../chapters/ch10_3/src/no.rs}}"));
    let [fault] = &tiny.faults()[..] else { panic!("one fault") };
    let start = "book/en/intro.md:6: cannot include \
                 chapters/ch10_3/src/no.rs: ";
    assert!(fault.starts_with(start), "{fault}");
    page_with(
        &fence("{{#include ../../../../../../../../../../etc/passwd}}"),
        "6: /etc/passwd is outside the book",
    );
}

#[test]
fn empty_code_block() {
    page_with("Text.\n\n```rust\n\n```", "7: empty code block");
    page_with("```\n```", "5: empty code block");
}

#[test]
fn output() {
    page_with(
        &fence("{{#output ch10_3 Masked sofmax}}"),
        "6: no heading \"Masked sofmax\" in chapters/ch10_3/output.txt",
    );
    page_with(
        "Text {{#output ch10_3 Masked softmax}} text.",
        "5: {{#output}} must be alone in a code block",
    );
    let tiny = Tiny::new();
    tiny.page(&fence("{{#output ch10_9 Masked softmax}}"));
    let [fault] = &tiny.faults()[..] else { panic!("one fault") };
    assert!(fault.contains(":6: cannot take output from chapters/ch10_9"));
}

#[test]
fn images() {
    let svg = "../figures/ch10_3/a.svg";
    let figure_with = |text: &str, line: &str| {
        let tiny = Tiny::with_figure();
        tiny.page(text);
        assert_eq!(tiny.faults(), [format!("book/en/intro.md:{line}")]);
    };
    figure_with(
        &format!("![]({svg})\n\nFigure 10.3.1: It."),
        &format!("5: {svg} has no alt text"),
    );
    page_with("Text\n<img src=\"data:,\">\n", "6: data:, has no alt text");
    let alt = "a description of forty characters or more";
    page_with(
        &format!("![{alt}](../figures/ch10_3/no.svg)\n\nFigure 10.3.1: It."),
        "5: there is no image ../figures/ch10_3/no.svg",
    );
    figure_with(
        &format!("![a]({svg})\n\nFigure: it."),
        "5: book/figures/ch10_3/a.svg has no caption \"Figure 10.1.1: …\" \
         under it",
    );
    figure_with(
        &format!("Text ![a]({svg})\n\nFigure 10.3.1: It."),
        "5: book/figures/ch10_3/a.svg must be alone in its paragraph",
    );
}

#[test]
fn warnings_of_mdbook() {
    page_with(
        "Text\n<b>bold.",
        "6: mdBook: unclosed HTML tag `<b>` found in `intro.md` while \
         exiting Paragraph HTML tags must be closed before exiting a \
         markdown element.",
    );
    page_with(
        "Text.\n\n[^note]: Of what?",
        "7: mdBook: footnote `note` in `intro.md` is defined but not \
         referenced",
    );
}

#[test]
fn all_faults_are_reported_each_once() {
    let tiny = Tiny::new();
    tiny.page("$\\nosuch$\n\n[a](no.md)\n\n```\n```\n\n$\\nor$");
    tiny.write("book/en/sub/one.md", "# One {#one}\n\n![](a.png)\n");
    assert_eq!(
        tiny.faults(),
        [
            "book/en/intro.md:5: bad formula: Unknown command \"\\nosuch\".",
            "book/en/intro.md:7: dead link no.md",
            "book/en/intro.md:9: empty code block",
            "book/en/intro.md:12: bad formula: Unknown command \"\\nor\".",
            "book/en/sub/one.md:3: a.png has no alt text",
            "book/en/sub/one.md:3: there is no image a.png",
        ]
    );
}

#[test]
fn code_that_does_not_come_from_files() {
    let line = "5: code and output come from files: {{#listing}}, {{#output}}, …";
    page_with("```rust\nlet x = 1;\n```", line);
    page_with("```text\nso\n{{#output ch10_3 Masked softmax}}\n```", line);
    let line =
        "5: a code block is rust, text, diff, toml, sh, console, python or latex";
    page_with("```\nx\n```", line);
    page_with("```js\nx\n```", line);
    page_with(
        "```rust\n{{#hidden ch10_3/src/lib.rs:one}}\n```",
        "5: nothing of this block is shown: it belongs into the block of another \
         listing (where a file's use and mod lines are by themselves)",
    );
    page_with(
        "```text\n{{#error ch10_3}}\n```",
        "6: {{#error}} takes a chapter and a name: ch10_3 01-what-is-wrong",
    );
    page_with(
        "```rust\n{{#listng ch10_3/src/lib.rs:one}}\n```",
        "6: unknown {{#listng}} in a code block",
    );
    page_with(
        "Text {{#program ch10_3}}",
        "5: {{#program}} must be alone in its paragraph",
    );
    page_with("{{#program ch10_3}}", "5: chapters/ch10_3 has no program");
    page_with(
        "{{#include ../../chapters/ch10_3/src/lib.rs}}",
        "5: {{#include}} must be alone in a code block",
    );
}

#[test]
fn the_same_figure_twice() {
    let tiny = Tiny::with_figure();
    let alt = "a description of forty characters or more";
    let figure = format!("![{alt}](../figures/ch10_3/a.svg)\n\nFigure 10.3.1: It.\n");
    tiny.page(&format!("{figure}\n{figure}"));
    let fault = "book/en/intro.md:11: Figure 10.3.1 is on line 5 already";
    assert_eq!(tiny.faults(), [fault]);
}

#[test]
fn questions() {
    let form = "after {{#question}} come a paragraph, and a list of 2 to 4 choices, \
                `- [ ] …`";
    let line = "Masked softmax > 0.5";
    let ask = |line: &str, rest: &str| {
        format!("{{{{#question ch10_3 {line}}}}}\n\nHow much?\n\n{rest}")
    };
    let [half, all] = ["- [ ] `0.5000`\\\n  It is.", "- [ ] `1.0000`\\\n  It is not."];
    let tiny = Tiny::new();
    tiny.page(&ask(line, &format!("{half}\n{all}")));
    assert_eq!(tiny.faults(), [""; 0]);
    let output = "chapters/ch10_3/output.txt";
    let of = format!("are what {output} says");
    let reason = "a choice ends its line with \\, and below it stands why it is right \
                  or wrong";
    for (record, list, fault) in [
        // No choice is right, or two are, or none says anything.
        (line, format!("{all}\n{all}"), format!("9: 0 choices, not one, {of}")),
        (line, format!("{half}\n{half}"), format!("9: 2 choices, not one, {of}")),
        (
            line,
            half.replace('`', "") + "\n" + all,
            format!("9: 0 choices, not one, {of}"),
        ),
        // The record was made anew, and says something else.
        (
            "Additive attention",
            format!("{half}\n{all}"),
            format!("9: 0 choices, not one, {of}"),
        ),
        (
            "Masked softmax > 0.6",
            format!("{half}\n{all}"),
            format!("5: no line of {output} begins with 0.6"),
        ),
        (
            "Mask",
            format!("{half}\n{all}"),
            format!("5: no heading \"Mask\" in {output}"),
        ),
        // By hand.
        (line, format!("{}\n{all}", half.replace("[ ]", "[x]")), format!("9: {form}")),
        (line, half.to_string(), format!("5: {form}")),
        (line, "It is a half.".to_string(), format!("9: {form}")),
        (line, format!("{half}\n- [ ] `1.0000`"), format!("11: {reason}")),
    ] {
        page_with(&ask(record, &list), &fault);
    }
    page_with(
        &format!("Now {}", ask(line, "")),
        "5: {{#question}} must be alone in its paragraph",
    );
}

#[test]
fn anchors_and_lines() {
    let lib = "ch10_3/src/lib.rs";
    page_with(
        &fence(&format!("{{{{#listing {lib}:onne}}}}")),
        "6: no anchor onne in chapters/ch10_3/src/lib.rs",
    );
    page_with(
        &fence(&format!("{{{{#include ../../chapters/{lib}:one}}}}")),
        "6: lines of chapters/ch10_3/src/lib.rs are named 6:11, not one",
    );
    page_with(
        &fence(&format!("{{{{#include ../../chapters/{lib}:4:4}}}}")),
        "6: chapters/ch10_3/src/lib.rs:4:4 includes nothing",
    );
}

#[test]
fn dead_links() {
    page_with("A\n[link](sub/no.md) to.", "6: dead link sub/no.md");
    page_with(
        "A\n[link](sub/one.md#three) to.",
        "6: dead link sub/one.md#three: no heading #three",
    );
    page_with("A [link](#three).", "5: dead link #three: no heading #three");
    page_with("A [*link*][to].\n\n[to]: no.md", "5: dead link no.md");
    page_with("| [a](no.md) |\n|---|\n| b |", "5: dead link no.md");
    page_with("Some <a href=\"sub/no.html\">link</a>.", "5: dead link sub/no.md");
    page_with("<p>\n<a href=\"#no\">a</a></p>", "6: dead link #no: no heading #no");
    page_with("An <img src=\"no.png\" alt=\"a\">", "5: dead link no.png");
    page_with("A\n[link](javascript:f()).", "6: dead link javascript:f()");
    let tiny = Tiny::new();
    tiny.write("book/en/404.md", "# Nothing {#nothing}\n\n[Intro](into.md)\n");
    assert_eq!(tiny.faults(), ["book/en/404.md:3: dead link into.md"]);
}

#[test]
fn links_that_lead_somewhere() {
    let tiny = Tiny::with_figure();
    let alt = "a description of forty characters or more";
    tiny.page(&format!(
        "[a](sub/one.md) [b](sub/one.md#two) [c](#intro) [d](#figure-10-3-1)\n\
         [e](https://example.org/x#y) [f](mailto:a@example.org) [g](#raw) [h](a.txt)\n\
         <a id=\"raw\" href=\"sub/one.html#one\">g</a>[^note] [i](sub/one.md#main-rs)\n\n\
         [^note]: Of [it](sub/one.md#one).\n\n\
         ![{alt}](../figures/ch10_3/a.svg)\n\nFigure 10.3.1: See [a](#figure-10-3-1)."
    ));
    tiny.write("book/en/a.txt", "");
    tiny.write("chapters/ch10_3/src/main.rs", "//! It.\nfn main() {}\n");
    tiny.write(
        "book/en/sub/one.md",
        "# One {#one}\n\n[a](../intro.md)\n\n## Two {#two}\n\n{{#program ch10_3}}\n",
    );
    assert_eq!(tiny.faults(), [""; 0]);
}

#[test]
fn ids_that_are_there_twice() {
    let fault = |id: &str, line: usize| format!("{line}: the id {id} is there twice");
    page_with("<p id=\"x\">a</p>\n\n<p id=\"x\">b</p>", &fault("x", 7));
    page_with("## A {#a}\n\n## B {#a}", &fault("a", 7));
    page_with("Text <b id=\"intro\">x</b>.", &fault("intro", 5));
}

#[test]
fn directives_left_over() {
    page_with("A {{#inclde a.rs}}", "5: unknown {{#inclde}}");
    page_with("A\n{{#include a.rs", "6: {{# is not closed by }} on its line");
    let line = "6: {{#include}} must be alone in a code block";
    page_with("A\n\\{{#include a.rs}}", line);
}

#[test]
fn pages_that_are_not_there() {
    for (path, start) in [
        ("three.md", "book/en/three.md: mdBook: failed to read chapter `three.md`"),
        ("../../../zz.md", "book/en/SUMMARY.md:5: mdBook: `../../../zz.md` in "),
        ("/etc/hostname", "book/en/SUMMARY.md:5: mdBook: `/etc/hostname` in "),
        ("sub/../../x.md", "book/en/SUMMARY.md:5: mdBook: `sub/../../x.md` in "),
    ] {
        let tiny = Tiny::new();
        tiny.write("book/x.md", "# X {#x}\n");
        tiny.write("zz.html", "mine");
        let summary = format!("# Summary\n\n[Intro](intro.md)\n\n- [Zz]({path})\n");
        tiny.write("book/en/SUMMARY.md", &summary);
        let [fault] = &tiny.faults()[..] else { panic!("one fault") };
        assert!(fault.starts_with(start), "{fault}");
        assert!(!tiny.root().join("book/en/three.md").exists());
        let mine = std::fs::read_to_string(tiny.root().join("zz.html"));
        assert_eq!(mine.expect("is there"), "mine");
    }
}

#[test]
fn configuration() {
    let tiny = Tiny::new();
    for (toml, part) in [
        ("[book]\ntitel = \"Tiny\"\n", "`titel`"),
        ("[output.html]\nfold-all = true\n", "`fold-all`"),
        ("[output.html]\ndefault-theme = \n", "line 2"),
    ] {
        tiny.write("book.toml", toml);
        let [fault] = &tiny.faults()[..] else { panic!("one fault") };
        assert!(fault.starts_with("book.toml: ") && fault.contains(part), "{fault}");
    }
}

#[test]
fn what_markdown_takes_for_text() {
    page_with(
        "Text\nof [a link][there].",
        "6: nothing defines the link [there]; a bracket is \\[",
    );
    page_with("Text of [it].", "5: nothing defines the link [it]; a bracket is \\[");
    page_with("Text[^a].", "5: nothing defines this footnote");
    page_with(
        "Text.\n\n    let x = 1;",
        "7: four spaces make this line code, and code comes from files: \
         {{#listing}}, {{#output}}, …",
    );
    let tiny = Tiny::new();
    tiny.page("[a][b], [b], [0, 1], \\[c], x[^d].\n\n[b]: sub/one.md\n\n[^d]: So.");
    assert_eq!(tiny.faults(), [""; 0]);
}

#[test]
fn scripts_and_other_hosts() {
    let image = "https://example.org/a.png";
    page_with(
        &format!("![a]({image})"),
        &format!("5: {image} is loaded from another host"),
    );
    for (html, fault) in [
        ("<SCRIPT>f()</SCRIPT>", "<script> does not belong into a page"),
        ("<style>p { color: red }</style>", "<style> does not belong into a page"),
        ("<p onclick=\"f()\">x</p>", "onclick= runs a script"),
        (
            "<p style=\"background: URL(//a.b/c)\">x</p>",
            "background: URL(//a.b/c) is loaded from another host",
        ),
        (
            "<svg><IMAGE HREF=\"https://a.b/c.png\"/></svg>",
            "https://a.b/c.png is loaded from another host",
        ),
    ] {
        page_with(&format!("Text.\n\n{html}"), &format!("7: {fault}"));
    }
}

#[test]
fn a_page_that_is_not_utf_8() {
    let tiny = Tiny::new();
    let path = tiny.root().join("book/en/sub/one.md");
    std::fs::write(path, b"# One {#one}\n\nA \xff.\n").expect("a file");
    let [fault] = &tiny.faults()[..] else { panic!("one fault") };
    assert!(fault.starts_with("book/en/sub/one.md: ") && fault.contains("UTF-8"));
}
