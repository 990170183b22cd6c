//! Each fault that a book can have is one line that names file and line.

use crate::common::Tiny;
#[cfg(unix)]
use std::process::Command;

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
fn anchors() {
    let lib = "../../chapters/ch10_3/src/lib.rs";
    page_with(
        &fence(&format!("{{{{#include {lib}:onne}}}}")),
        "6: no anchor onne in chapters/ch10_3/src/lib.rs",
    );
    page_with(
        &fence(&format!("{{{{#include {lib}:open}}}}")),
        "6: anchor open is not closed in chapters/ch10_3/src/lib.rs",
    );
    page_with(
        &fence(&format!("{{{{#include {lib}:nothing}}}}")),
        "6: chapters/ch10_3/src/lib.rs:nothing includes nothing",
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
fn dead_links() {
    page_with("A\n[link](sub/no.md) to.", "6: dead link sub/no.md");
    page_with(
        "A\n[link](sub/one.md#three) to.",
        "6: dead link sub/one.md#three: no heading #three",
    );
    page_with("A [link](#three).", "5: dead link #three: no heading #three");
    page_with("Some <a href=\"sub/no.html\">link</a>.", "5: dead link sub/no.md");
    page_with("An <img src=\"no.png\" alt=\"a\">", "5: dead link no.png");
}

#[test]
fn links_that_lead_somewhere() {
    let tiny = Tiny::new();
    tiny.page(
        "[a](sub/one.md) [b](sub/one.md#two) [c](#intro) [d](index.html)\n\
         [e](https://example.org/x#y) [f](mailto:a@example.org)\n\
         <a href=\"sub/one.html#one\">g</a>",
    );
    tiny.write(
        "book/en/sub/one.md",
        "# One {#one}\n\n[a](../intro.md)\n\n## Two {#two}\n",
    );
    assert_eq!(tiny.faults(), [""; 0]);
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
fn directives_left_over() {
    page_with("A {{#inclde a.rs}}", "5: unknown {{#inclde}}");
    page_with("A\n{{#include a.rs", "6: {{# is not closed by }} on its line");
    page_with("A\n\\{{#include a.rs}}", "6: {{#include a.rs}} is left in the page");
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
fn other_hosts_and_ids() {
    page_with(
        "![a](https://example.org/a.png)",
        "5: https://example.org/a.png is loaded from another host",
    );
    page_with("<p id=\"x\">a</p>\n\n<p id=\"x\">b</p>", "5: the id x is there twice");
}

#[test]
fn pages_that_are_missing() {
    let tiny = Tiny::new();
    let summary = "# Summary\n\n[Intro](intro.md)\n\n- [One](sub/one.md)\n\
                   - [Three](three.md)\n";
    tiny.write("book/en/SUMMARY.md", summary);
    let fault = "book/en/SUMMARY.md:6: there is no page three.md";
    assert_eq!(tiny.faults(), [fault]);
    assert!(!tiny.root().join("book/en/three.md").exists());
}

#[test]
fn pages_outside_of_the_book() {
    for path in ["../../../zz.md", "/etc/hostname", "sub/../../x.md"] {
        let tiny = Tiny::new();
        tiny.write("zz.md", "# Zz {#zz}\n");
        tiny.write("book/x.md", "# X {#x}\n");
        tiny.write("zz.html", "mine");
        let summary = format!(
            "# Summary\n\n[Intro](intro.md)\n\n- [Zz]({path})\n- [One](sub/one.md)\n"
        );
        tiny.write("book/en/SUMMARY.md", &summary);
        let faults = tiny.faults();
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        let start = format!("book/en/SUMMARY.md:5: {path} is not a path below ");
        assert!(fault.starts_with(&start), "{fault}");
        let mine = std::fs::read_to_string(tiny.root().join("zz.html"));
        assert_eq!(mine.expect("is there"), "mine");
    }
}

#[test]
fn configuration() {
    let tiny = Tiny::new();
    let with = |head: &str, tail: &str| {
        let toml = format!(
            "[book]\nsrc = \"book/en\"\n{head}\n[build]\n\
             build-dir = \"target/book\"\n[output.html]\n{tail}\n"
        );
        tiny.write("book.toml", &toml);
        let faults = tiny.faults();
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(!faults[0].contains('\n'));
        faults[0].clone()
    };
    let fault = with("titel = \"Tiny\"", "");
    assert!(fault.starts_with("book.toml:3: unknown field `titel`"), "{fault}");
    let fault = with("", "fold-all = true");
    assert!(
        fault.starts_with("book.toml:7: ") && fault.contains("`fold-all`"),
        "{fault}"
    );
    let fault = with("", "default-theme = ");
    assert!(fault.starts_with("book.toml:7: "), "{fault}");
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

#[cfg(unix)]
#[test]
fn a_link_out_of_the_repository() {
    let outside = tempfile::tempdir().expect("a folder");
    let secret = outside.path().join("secret.rs");
    std::fs::write(&secret, "fn secret() {}\n").expect("a file");
    let tiny = Tiny::new();
    let link = tiny.root().join("chapters/ch10_3/src/link.rs");
    std::os::unix::fs::symlink(&secret, &link).expect("a link");
    tiny.page(&fence("{{#listing ch10_3/src/link.rs}}"));
    let fault = format!("book/en/intro.md:6: {} is outside the book", link.display());
    assert_eq!(tiny.faults(), [fault]);
    // A page may not be one either, nor what no reading of it ends.
    let tiny = Tiny::new();
    let link = tiny.root().join("book/en/sub/link.md");
    std::os::unix::fs::symlink(&secret, &link).expect("a link");
    let fault = format!("book/en/sub/link.md: {} is outside the book", link.display());
    assert_eq!(tiny.faults(), [fault]);
    std::fs::remove_file(&link).expect("can be removed");
    let pipe = Command::new("mkfifo").arg(&link).status().expect("mkfifo");
    assert!(pipe.success());
    let fault = "book/en/sub/link.md: this is no file that can be read";
    assert_eq!(tiny.faults(), [fault]);
}

#[test]
fn code_by_four_spaces() {
    page_with(
        "Text.\n\n    let x = 1;",
        "7: four spaces make this line code, and code comes from files: \
         {{#listing}}, {{#output}}, …",
    );
}

#[test]
fn links_and_notes_that_nothing_defines() {
    page_with(
        "Text\nof [a link][there].",
        "6: nothing defines the link [there]; a bracket is \\[",
    );
    page_with("Text of [it].", "5: nothing defines the link [it]; a bracket is \\[");
    page_with("Text[^a].", "5: nothing defines footnote a");
    let tiny = Tiny::new();
    tiny.page("[a][b], [b], [0, 1], \\[c], x[^d].\n\n[b]: sub/one.md\n\n[^d]: So.");
    assert_eq!(tiny.faults(), [""; 0]);
}

#[test]
fn scripts_and_other_hosts() {
    for (html, fault) in [
        ("<script>f()</script>", "<script> does not belong into a page"),
        ("<object data=\"a\"></object>", "<object> does not belong into a page"),
        ("<style>p { color: red }</style>", "<style> does not belong into a page"),
        ("<p onclick=\"f()\">x</p>", "onclick= runs a script"),
        ("<SCRIPT>f()</SCRIPT>", "<script> does not belong into a page"),
        (
            "<p style=\"background: URL(//a.b/c)\">x</p>",
            "background: URL(//a.b/c) is loaded from another host",
        ),
        (
            "<svg><IMAGE HREF=\"https://a.b/c.png\"/></svg>",
            "https://a.b/c.png is loaded from another host",
        ),
        (
            "<a href=\" java&#115;cript:f()\">x</a>",
            "a link to javascript: does not belong into a page",
        ),
    ] {
        page_with(&format!("Text.\n\n{html}"), &format!("7: {fault}"));
    }
    page_with(
        "A\n[link](javascript:f()).",
        "6: a link to javascript: does not belong into a page",
    );
}

#[test]
fn formulas_that_no_stack_can_hold() {
    let tiny = Tiny::new();
    tiny.page("$\\text{é} = \\{ü\\} \\cdot \\alpha_{\\beta^{γ}}$");
    assert_eq!(tiny.faults(), [""; 0]);
    let nested = |open: &str, close: &str| {
        let text = format!("${}x{}$", open.repeat(5_000), close.repeat(5_000));
        let tiny = Tiny::new();
        tiny.page(&text);
        let faults = tiny.faults();
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        assert!(
            fault.starts_with("book/en/intro.md:5: bad formula: it is "),
            "{fault}"
        );
    };
    nested("{", "}");
    nested("\\sqrt", "");
    page_with(
        &format!("${}x{}$", "{".repeat(60), "}".repeat(60)),
        "5: bad formula: it is nested too deep",
    );
    page_with(
        &format!("${}x$", "\\sqrt ".repeat(60)),
        "5: bad formula: it is nested too deep",
    );
}

#[test]
fn a_page_that_is_not_utf_8() {
    for page in ["book/en/sub/one.md", "book/en/SUMMARY.md"] {
        let tiny = Tiny::new();
        let path = tiny.root().join(page);
        std::fs::write(path, b"# One {#one}\n\nA \xff.\n").expect("a file");
        assert_eq!(tiny.faults(), [format!("{page}:3: this is not UTF-8")]);
    }
}

/// What is included is shown as it is, and includes nothing itself.
#[test]
fn pages_that_include_themselves() {
    let tiny = Tiny::new();
    let include = |page: &str| format!("```text\n{{{{#include {page}}}}}\n```");
    let is_shown_once = |shown: &str| {
        assert_eq!(tiny.faults(), [""; 0]);
        assert_eq!(tiny.html("intro.html").matches(shown).count(), 1);
    };
    tiny.page(&include("intro.md"));
    is_shown_once("{{#include intro.md}}");
    tiny.page(&include("sub/one.md"));
    let one = format!("# One {{#one}}\n\n{}\n", include("../intro.md"));
    tiny.write("book/en/sub/one.md", &one);
    is_shown_once("{{#include ../intro.md}}");
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
