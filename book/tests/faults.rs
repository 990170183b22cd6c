//! Each fault that a page can have is one line that names file and line.

use crate::common::Tiny;
use book::Problem;
use std::fs;
use std::path::Path;

const FIGURE: &str = "![a description of forty characters or more]\
                      (../figures/ch10_3/a.svg)\n\nFigure 10.3.1: It.\n";

/// Asserts that a book with a page for each of the texts, which begin in line 5,
/// has the fault beside each (its beginning is enough), and no other.
#[track_caller]
fn found(cases: &[(&str, &str)]) {
    let tiny = Tiny::with_figure();
    tiny.page(FIGURE);
    let mut summary =
        "# Summary\n\n[Intro](intro.md)\n\n- [One](sub/one.md)\n".to_string();
    for (n, (text, _)) in cases.iter().enumerate() {
        let page = format!("# Page {{#page}}\n\nText.\n\n{text}\n");
        tiny.write(&format!("book/en/{n:03}.md"), &page);
        summary += &format!("- [Page]({n:03}.md)\n");
    }
    tiny.write("book/en/SUMMARY.md", &summary);
    let faults = tiny.faults();
    for (n, ((text, fault), found)) in cases.iter().zip(&faults).enumerate() {
        let fault = format!("book/en/{n:03}.md:{fault}");
        assert!(found.starts_with(&fault), "{text}\n{fault}\n{found}");
    }
    assert_eq!(faults.len(), cases.len(), "{faults:#?}");
}

#[test]
fn text() {
    let html = "the HTML of a page is <details> and <summary>; a < is \\<";
    found(&[
        // Formulas.
        (
            "Two lines,\nthen $\\left( x$ of one.",
            "6: bad formula: Expected closing token \"\\right\", \
             but reached end of input.",
        ),
        ("$$\nx\n= \\nosuch\n$$", "7: bad formula: Unknown command \"\\nosuch\"."),
        (
            "It is\nhalf, $\\frac{1}{2, of one.",
            "6: this $ makes no formula: no line of one begins with -, + or =; \
             the sign itself is \\$",
        ),
        ("$$\nx = y\n- z.", "5: this $ makes no formula"),
        // Headings and ids.
        ("## Two", "5: this heading has no {#id}"),
        ("## A {#a}\n\n## B {#a}", "7: the id a is there twice"),
        // Links.
        ("A\n[link](sub/no.md) to.", "6: dead link sub/no.md"),
        ("A [link](sub/one.md#six).", "5: dead link sub/one.md#six: no heading #six"),
        ("A [link](#three).", "5: dead link #three: no heading #three"),
        ("A [link](javascript:f()).", "5: dead link javascript:f()"),
        // HTML.
        ("Text.\n\n<SCRIPT>f()</SCRIPT>", &format!("7: {html}")),
        ("An <img src=\"https://a.b/c.png\" alt=\"a\">", &format!("5: {html}")),
        ("A Rank2<i>, not in code.</i>", &format!("5: {html}")),
        (
            "<details open><summary>Answer</summary>\n\n</details>",
            &format!("5: {html}"),
        ),
        // What mdBook warns of.
        (
            "Text\n<summary>bold.",
            "6: mdBook: unclosed HTML tag `<summary>` found in `014.md`",
        ),
    ]);
}

#[test]
fn figures() {
    let alt = "a description of forty characters or more";
    found(&[
        (
            &FIGURE.replace(alt, "Short"),
            "5: book/figures/ch10_3/a.svg is described in less than 40 characters",
        ),
        (
            &FIGURE.replace("a.svg", "no.svg"),
            "5: cannot show book/figures/ch10_3/no.svg: cannot read ",
        ),
        (
            &FIGURE.replace("Figure 10.3.1", "Figure"),
            "5: book/figures/ch10_3/a.svg has no caption \"Figure 10.1.1: …\" under it",
        ),
        (
            &format!("Text {FIGURE}"),
            "5: book/figures/ch10_3/a.svg must be alone in its paragraph",
        ),
        (&format!("{FIGURE}\n{FIGURE}"), "9: the id figure-10-3-1 is there twice"),
    ]);
}

#[test]
fn code() {
    let lib = "ch10_3/src/lib.rs";
    let include = |path: &str| format!("```rust\n{{{{#include {path}}}}}\n```");
    found(&[
        (
            "```rust\nlet x = 1;\n```",
            "5: code and output come from files: {{#listing}}, {{#output}}, …",
        ),
        (
            "Text.\n\n    let x = 1;",
            "7: four spaces make this line code, and code comes from files: \
             {{#listing}}, {{#output}}, …",
        ),
        ("```js\nx\n```", "5: a code block is rust, text, diff, sh or python"),
        (
            &format!("```rust\n{{{{#hidden {lib}:one}}}}\n```"),
            "5: every line of this block is hidden; put it in the block of another \
             listing",
        ),
        (
            &format!("```rust\n{{{{#listing {lib}:onne}}}}\n```"),
            "6: no anchor onne in chapters/ch10_3/src/lib.rs",
        ),
        (
            &include(&format!("../../chapters/{lib}:one")),
            "6: no lines and no heading \"one\" in chapters/ch10_3/src/lib.rs",
        ),
        (
            &include(&format!("../../chapters/{lib}:4:4")),
            "6: nothing of chapters/ch10_3/src/lib.rs is included",
        ),
        (
            &include("../../chapters/ch10_3/src/no.rs"),
            "6: cannot read chapters/ch10_3/src/no.rs: ",
        ),
        (
            &include("/etc/hosts"),
            "6: cannot read /etc/hosts: it is outside of the repository",
        ),
        (
            &include("../../chapters"),
            "6: cannot read chapters: it is not a regular file",
        ),
        (
            "```text\n{{#output ch10_3 Masked sofmax}}\n```",
            "6: no lines and no heading \"Masked sofmax\" in chapters/ch10_3/output.txt",
        ),
        (
            "```text\n{{#output ch10_9 Masked softmax}}\n```",
            "6: cannot read chapters/ch10_9/output.txt",
        ),
        ("{{#program ch10_3}}", "5: chapters/ch10_3 has no program"),
        // Directives in the wrong place, and such as there are not.
        (
            "Text {{#output ch10_3 A}}.",
            "5: {{#output}} is unknown, or not alone in a code block",
        ),
        ("Text {{#program ch10_3}}", "5: {{#program}} must be alone in its paragraph"),
        ("```rust\n{{#listng a.rs}}\n```", "6: unknown {{#listng}} in a code block"),
        ("A\n{{#include a.rs", "6: {{# is not closed by }} on its line"),
    ]);
}

#[test]
fn questions() {
    let form = "after {{#question}} come a paragraph, and a list of 2 to 4 choices, \
                `- [ ] …`";
    let ask = |line: &str, list: &str| {
        format!(
            "{{{{#question ch10_3 Masked softmax > {line}}}}}\n\nHow much?\n\n{list}"
        )
    };
    let [half, all] = ["- [ ] `0.5000`\\\n  It is.", "- [ ] `1.0000`\\\n  It is not."];
    let both = format!("{half}\n{all}");
    let says = "choices, not one, are what chapters/ch10_3/output.txt says";
    found(&[
        // No choice is right, or two are, or none says anything.
        (&ask("0.5", &format!("{all}\n{all}")), &format!("9: 0 {says}")),
        (&ask("0.5", &format!("{half}\n{half}")), &format!("9: 2 {says}")),
        (&ask("0.5", &both.replace('`', "")), &format!("9: 0 {says}")),
        (
            &ask("0.6", &both),
            "5: no line of chapters/ch10_3/output.txt begins with 0.6",
        ),
        // By hand.
        (&ask("0.5", &both.replace("[ ]", "[x]")), &format!("9: {form}")),
        (&ask("0.5", half), &format!("5: {form}")),
        (&ask("0.5", "It is a half."), &format!("9: {form}")),
        (
            &ask("0.5", &format!("{half}\n- [ ] `1.0000`")),
            "11: a choice ends its line with \\, and below it stands why it is right \
             or wrong",
        ),
    ]);
}

#[test]
fn what_is_right_is_no_fault() {
    let tiny = Tiny::with_figure();
    tiny.page(&format!(
        "[a](sub/one.md) [b](sub/one.md#two) [c](#intro) [d](#figure-10-3-1)\n\
         [e](https://example.org/x#y) [f](mailto:a@example.org)\n\
         [i](sub/one.md#main-rs), \\$5, `$x`\n\n\
         {FIGURE}See [a](#figure-10-3-1).\n\n\
         ```sh\n$ ls\n```"
    ));
    tiny.write("chapters/ch10_3/src/main.rs", "//! It.\nfn main() {}\n");
    tiny.write(
        "book/en/sub/one.md",
        "# One {#one}\n\n[a](../intro.md)\n\n## Two {#two}\n\n{{#program ch10_3}}\n",
    );
    assert_eq!(tiny.faults(), [""; 0]);
}

#[test]
fn all_faults_of_a_page_are_named_once() {
    let tiny = Tiny::new();
    tiny.page("$\\nosuch$\n\n[a](no.md)\n\n```\n```\n\n$\\nor$");
    tiny.write("book/en/sub/one.md", "![](a.png)\n");
    tiny.write("book/en/404.md", "# Nothing {#nothing}\n\n[Intro](into.md)\n");
    tiny.write("book/en/lost.md", "# Lost {#lost}\n");
    assert_eq!(
        tiny.faults(),
        [
            "book/en/404.md:3: dead link into.md",
            "book/en/intro.md:5: bad formula: Unknown command \"\\nosuch\".",
            "book/en/intro.md:7: dead link no.md",
            "book/en/intro.md:9: a code block is rust, text, diff, sh or python",
            "book/en/intro.md:12: bad formula: Unknown command \"\\nor\".",
            "book/en/lost.md:1: is not in SUMMARY.md",
            "book/en/sub/one.md:1: book/en/sub/a.png is described in less than 40 characters",
            "book/en/sub/one.md:1: has no title",
        ]
    );
}

#[test]
fn pages_that_are_not_there() {
    for (path, start) in [
        ("three.md", "book/en/three.md: mdBook: failed to read chapter `three.md`"),
        ("../../../zz.md", "book/en/SUMMARY.md:5: `../../../zz.md` would "),
        ("/etc/hostname", "book/en/SUMMARY.md:5: `/etc/hostname` would "),
        ("sub/../../x.md", "book/en/SUMMARY.md:5: `sub/../../x.md` would "),
    ] {
        let tiny = Tiny::new();
        tiny.write("zz.html", "mine");
        let summary = format!("# Summary\n\n[Intro](intro.md)\n\n- [Zz]({path})\n");
        tiny.write("book/en/SUMMARY.md", &summary);
        let [fault] = &tiny.faults()[..] else { panic!("one fault") };
        assert!(fault.starts_with(start), "{fault}");
        assert!(!tiny.root().join("book/en/three.md").exists());
        let mine = fs::read_to_string(tiny.root().join("zz.html"));
        assert_eq!(mine.expect("is there"), "mine");
    }
}

#[test]
fn what_cannot_be_read() {
    for (path, bytes, part) in [
        ("book.toml", &b"[book]\ntitel = \"Tiny\"\n"[..], "`titel`"),
        ("book.toml", b"[output.html]\nfold-all = true\n", "`fold-all`"),
        ("book.toml", b"[output.html]\ndefault-theme = \n", "line 2"),
        ("book/en/sub/one.md", b"# One {#one}\n\nA \xff.\n", "UTF-8"),
    ] {
        let tiny = Tiny::new();
        fs::write(tiny.root().join(path), bytes).expect("a file");
        let [fault] = &tiny.faults()[..] else { panic!("one fault") };
        let names = fault.starts_with(&format!("{path}: "));
        assert!(names && fault.contains(part), "{fault}");
    }
}

#[test]
fn corrections_that_correct_nothing() {
    for (right, is_right) in [
        ("// Right, line 2: f(8);", true),
        ("// Right, line 2: f(9);", false),
        ("// Right, line 0: f(8);", false),
        ("// Right, line 4: f(8);", false),
        ("// Right, line 5: f(8);", false),
        ("// right, line 2: f(8);", false),
    ] {
        let tiny = Tiny::new();
        let file = "chapters/ch10_3/compile_fail/01-nine.rs";
        tiny.write(file, &format!("fn main() {{\n    f(9);\n}}\n{right}\n"));
        tiny.page("```diff\n{{#difference ch10_3 01-nine}}\n```");
        let fault = format!(
            "book/en/intro.md:6: {file} does not end with `// Right, line 9: …`"
        );
        let expected = if is_right { vec![] } else { vec![fault] };
        assert_eq!(tiny.faults(), expected, "{right}");
    }
}

/// Nothing outside of the repository is read, and nothing outside of the folder of the
/// pages is written.
#[test]
fn paths_that_lead_outside() {
    let outside = tempfile::tempdir().expect("a folder");
    let mine = outside.path().join("mine.css");
    fs::write(&mine, "mine").expect("a file");
    let [mine_name, folder] = [&mine, outside.path()].map(|path| path.display());
    let written = "would be written outside of the folder of the pages";
    let outside = "it is outside of the repository";
    for (line, fault) in [
        (
            format!("additional-css = [\"{mine_name}\"]"),
            format!("`{mine_name}` {written}"),
        ),
        ("additional-js = [\"../a.js\"]".into(), format!("`../a.js` {written}")),
        (format!("theme = \"{folder}\""), format!("{folder}: {outside}")),
        (
            "redirect = { \"/../../zz.html\" = \"intro.html\" }".into(),
            format!("`../../zz.html` {written}"),
        ),
        (
            "git-repository-url = \"javascript:f()\"".into(),
            "git-repository-url is not an address on the web".into(),
        ),
    ] {
        let tiny = Tiny::new();
        let path = tiny.root().join("book.toml");
        let toml = fs::read_to_string(path).expect("a file");
        tiny.write("book.toml", &format!("{toml}{line}\n"));
        let faults = tiny.faults();
        assert!(faults.contains(&format!("book.toml: {fault}")), "{faults:#?}");
        assert!(!tiny.pages().exists());
        assert_eq!(fs::read_to_string(&mine).expect("is there"), "mine");
    }
}

/// A page is a regular file of the repository: to read a pipe would take forever.
#[cfg(unix)]
#[test]
fn sources_that_are_no_files() {
    use std::os::unix::fs::symlink;
    use std::process::Command;
    type Plant = fn(&Path);
    let plant: [(&str, Plant, &str); 5] = [
        (
            "intro.md",
            |page| symlink("/etc/hosts", page).expect("a link"),
            "it is outside of the repository",
        ),
        (
            "pictures",
            |page| symlink("/etc", page).expect("a link"),
            "it is outside of the repository",
        ),
        (
            "loop",
            |page| symlink(".", page).expect("a link"),
            "it is not a regular file",
        ),
        (
            "intro.md",
            |page| {
                let made = Command::new("mkfifo").arg(page).status();
                assert!(made.expect("mkfifo runs").success());
            },
            "it is not a regular file",
        ),
        ("SUMMARY.md", |page| fs::write(page, "").expect("a file"), "lists no page"),
    ];
    for (name, plant, fault) in plant {
        let tiny = Tiny::new();
        let path = tiny.root().join("book/en").join(name);
        fs::remove_file(&path).ok();
        plant(&path);
        assert_eq!(tiny.faults(), [format!("book/en/{name}: {fault}")]);
    }
    // A link inside of the repository is as good as a file.
    let tiny = Tiny::new();
    let path = tiny.root().join("book/en/intro.md");
    fs::rename(&path, tiny.root().join("text.md")).expect("is there");
    symlink("../../text.md", &path).expect("a link");
    assert_eq!(tiny.faults(), [""; 0]);
}

/// mdBook quotes all of a page that it cannot read.
#[test]
fn a_long_message_is_cut() {
    let fault = Problem::new("a.md", 3, "words ".repeat(2_000)).to_string();
    assert!(fault.starts_with("a.md:3: words words"), "{fault}");
    assert!(fault.ends_with(" …") && fault.chars().count() < 600, "{fault}");
}
