//! What the book builder makes of a page; and the real book has no faults.

use crate::common::{Tiny, real};
use flate2::Compression;
use flate2::read::GzEncoder;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{copy, sink};
use std::path::Path;

#[test]
fn formulas_become_mathml_and_code_is_left_alone() {
    let tiny = Tiny::new();
    tiny.page(
        "Here $x*y*z$ and `$a$`.\n\n$$\nf(x) = \\frac{1}{2}\n$$\n\n\
         ```rust\n{{#listing ch10_3/src/lib.rs:one}}\n```\n",
    );
    assert_eq!(tiny.faults(), [""; 0]);
    let html = tiny.html("intro.html");
    assert!(html.contains("<math><mi>x</mi><mo"));
    assert!(html.contains("<code>$a$</code>"));
    assert!(html.contains("<div class=\"formula\"><math display=\"block\">"));
    assert!(html.contains("costs $1 or $2"));
    assert!(!html.contains("ANCHOR"));
}

#[test]
fn long_formulas_in_a_line_can_be_broken() {
    let tiny = Tiny::new();
    tiny.page(
        "Here $0.3 \\cdot 2.2 + 0.1 \\cdot (-0.6 + 1) = -0.6 + 3 \\cdot 4$ \
         and $a + b = c$.",
    );
    assert_eq!(tiny.faults(), [""; 0]);
    let html = tiny.html("intro.html");
    assert!(html.contains("<mo>=</mo></math><wbr><math><mo"));
    assert!(html.contains("−</mo><mn>0.6</mn><mo>+</mo></math><wbr>"));
    assert_eq!(html.matches("</math><wbr><math>").count(), 3);
    assert!(html.contains("<mi>b</mi><mo>=</mo><mi>c</mi></math>"));
}

#[test]
fn figures_are_inline_and_described() {
    let tiny = Tiny::with_figure();
    tiny.page(
        "![A \"line\" of $x$, which goes from the left to the right](../figures/ch10_3/a.svg)\n\n\
         Figure 10.3.1: See $x$ in [One](sub/one.md).\n\nText.",
    );
    assert_eq!(tiny.faults(), [""; 0]);
    let html = tiny.html("intro.html");
    let start = html.find("<figure").expect("a figure");
    let end = html.find("</figure>").expect("its end");
    let figure = &html[start..end];
    assert!(figure.starts_with("<figure class=\"plot\" id=\"figure-10-3-1\">"));
    assert!(figure.contains("role=\"img\""));
    assert!(figure.contains("of x"));
    assert!(figure.contains("M0 0h9"));
    assert!(figure.contains("Figure 10.3.1: See <math>"));
    assert!(figure.contains("href=\"sub/one.html\""));
    assert!(!figure.contains("Text."));
    assert!(!figure.contains("\n\n<path"));
}

/// On a phone a figure shrinks until its smallest text has 10 pixels; a larger one
/// scrolls, at the width at which that text has 12.
#[test]
fn figures_have_a_least_width() {
    for (size, view, least) in [
        ("", 680, None),
        ("30", 680, None),
        ("20", 680, None),
        ("19", 680, Some(429)),
        ("16", 680, Some(510)),
        ("12", 680, Some(680)),
        ("6", 680, Some(680)),
        ("32px", 1360, Some(510)),
        ("10", 340, None),
        ("8", 340, Some(510)),
    ] {
        let tiny = Tiny::with_figure();
        let text = match size {
            "" => String::new(),
            _ => format!("<g font-size=\"{size}\"><text>a</text></g>"),
        };
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"680\"";
        let svg = format!("{svg} viewBox=\"0 0 {view} 9\">{text}</svg>");
        tiny.write("book/figures/ch10_3/a.svg", &svg);
        let alt = "a description of forty characters or more";
        tiny.page(&format!("![{alt}](../figures/ch10_3/a.svg)\n\nFigure 10.3.1: It."));
        assert_eq!(tiny.faults(), [""; 0]);
        let html = tiny.html("intro.html");
        let found = html.split_once("min-width: ").map(|(_, rest)| {
            let (width, _) = rest.split_once("px").expect("a width");
            width.parse::<usize>().expect("a number")
        });
        assert_eq!(found, least, "font size {size} of {view}");
    }
}

/// A bold term leads to its section; a bold beginning of a paragraph does not.
#[test]
fn the_search_knows_what_is_defined() {
    let tiny = Tiny::new();
    let path = tiny.root().join("book.toml");
    let toml = fs::read_to_string(path).expect("a file");
    let with_search = toml.replace("search.enable = false", "search.enable = true");
    tiny.write("book.toml", &with_search);
    tiny.write("book/en/SUMMARY.md", "# Summary\n\n- [Scores](ch10_3.md)\n");
    for page in ["intro.md", "sub/one.md"] {
        fs::remove_file(tiny.root().join("book/en").join(page)).expect("is there");
    }
    let bold = ["A term", "Note.", "Note:", "Why?", "对。", "注：", "吗？"]
        .map(|text| format!("**{text}** Text.\n\n"));
    let page = format!("# Scores {{#scores}}\n\n## Two {{#two}}\n\n{}", bold.concat());
    tiny.write("book/en/ch10_3.md", &page);
    tiny.write("chapters/ch10_3/output.txt", "$ cargo run -p ch10_3\n");
    tiny.faults();
    let names = fs::read_dir(tiny.pages()).expect("a folder");
    let mut names = names.map(|entry| entry.expect("readable").path());
    let index = names.find(|path| path.to_string_lossy().contains("searchindex"));
    let index = fs::read_to_string(index.expect("an index")).expect("is text");
    let (_, defined) = index.split_once("search.defined = ").expect("definitions");
    assert_eq!(defined.trim(), "[[\"A term\",\"ch10_3.html#two\"]];");
}

/// All that a page makes a browser load on a first visit: itself, and the styles,
/// scripts, fonts and images that it names.
fn loads(page: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(page).expect("a page");
    let mut found = BTreeSet::from([page.display().to_string()]);
    for tag in text.split('<').filter_map(|part| part.split('>').next()) {
        let key = if tag.starts_with("link ") { " href=\"" } else { " src=\"" };
        let address = tag.split(key).nth(1).and_then(|rest| rest.split('"').next());
        let file = address.map(|address| page.with_file_name(address));
        let file = file.filter(|file| file.is_file());
        found.extend(file.map(|file| file.display().to_string()));
    }
    found
}

#[test]
fn the_book_has_no_faults_and_its_pages_are_light() {
    // Compressed, as they travel.
    let mut weights: HashMap<String, u64> = HashMap::new();
    let mut weigh = |file: String| {
        *weights.entry(file).or_insert_with_key(|file| {
            let data = fs::File::open(file).expect("a file");
            let mut packed = GzEncoder::new(data, Compression::default());
            copy(&mut packed, &mut sink()).expect("packed")
        })
    };
    let mut weight =
        |page: &Path| -> u64 { loads(page).into_iter().map(&mut weigh).sum() };
    let summary = Path::new(env!("CARGO_MANIFEST_DIR")).join("en/SUMMARY.md");
    let summary = fs::read_to_string(summary).expect("a file");
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split_once(".md)"));
    for (name, _) in links {
        for edition in ["", "zh/"] {
            let page = real().join(format!("{edition}{name}.html"));
            let bytes = weight(&page);
            assert!(bytes <= 300_000, "{}: {bytes} bytes", page.display());
        }
    }
    // The measure itself: a page with formulas loads their font of 87 kB.
    assert!(weight(&real().join("ch10_3.html")) > 87_000);
    assert!(weight(&real().join("introduction.html")) < 87_000, "no font");
}

/// From each page to the other language and back.
#[test]
fn links_to_the_other_language_lead_to_its_page() {
    let language = |page: &Path| {
        let text = fs::read_to_string(page).expect("a page");
        let (_, rest) = text.split_once("<a class=\"language\"").expect("a link");
        let (_, rest) = rest.split_once(" href=\"").expect("an address");
        let (to, _) = rest.split_once('"').expect("its end");
        page.parent().expect("a folder").join(to).canonicalize().expect("a page")
    };
    let real = real().canonicalize().expect("is built");
    for name in ["introduction.html", "ch10_2/kernels.html", "solutions/ch10_3.html"] {
        let [english, chinese] = [real.join(name), real.join("zh").join(name)];
        assert_eq!(language(&english), chinese);
        assert_eq!(language(&chinese), english);
    }
    assert_eq!(language(&real.join("404.html")), real.join("zh/index.html"));
}

#[test]
fn pages_say_what_they_are_about_and_wait_for_nothing() {
    let tiny = Tiny::new();
    let long = "word ".repeat(40);
    tiny.write(
        "book/en/intro.md",
        &format!("# Intro {{#intro}}\n\nWhat *it* \"is\". {long}\n\nMore.\n"),
    );
    tiny.write("book/en/sub/one.md", &format!("# One {{#one}}\n\n{long}\n\n$x$\n"));
    assert_eq!(tiny.faults(), [""; 0]);
    let (intro, one) = (tiny.html("intro.html"), tiny.html("sub/one.html"));
    assert!(intro.contains("<meta name=\"description\" content=\"What it “is”.\">"));
    let words = "word ".repeat(32);
    let description = format!("content=\"{} …\">", words.trim_end());
    assert!(one.contains(&description));
    for page in [&intro, &one] {
        assert!(!page.contains("<script src="));
        assert!(page.contains("<script defer src="));
        assert!(page.contains("<body>\n<a class=\"skip\" href=\"#mdbook-content\">"));
    }
}
