//! What the book builder makes of a page; and the real book has no faults.

use crate::common::{Tiny, real};
use book::{LIMIT, too_heavy, weights};

#[test]
fn formulas_become_mathml_and_code_is_left_alone() {
    let tiny = Tiny::new();
    tiny.page(
        "Here $x*y*z$ and `$a$`.\n\n$$\nf(x) = \\frac{1}{2} \\tag{1}\n$$\n\n\
         ```rust\n{{#listing ch10_3/src/lib.rs:one}}\n```\n",
    );
    assert_eq!(tiny.faults(), [""; 0]);
    let html = tiny.html("intro.html");
    assert!(html.contains("<math><mi>x</mi><mo"));
    assert!(html.contains("<code>$a$</code>"));
    assert!(html.contains("<div class=\"formula\"><math display=\"block\">"));
    assert!(html.contains("<mtext>(1)</mtext>"));
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

#[test]
fn the_book_has_no_faults_and_its_pages_are_light() {
    let pages = real();
    let heavy = too_heavy(pages);
    assert!(heavy.is_empty(), "{heavy:?}");
    // The measure itself: a page with formulas loads their font of 87 kB.
    let weights = weights(pages);
    let of = |name| weights.iter().find(|(page, _)| page == name).expect("a page").1;
    assert!((87_000..LIMIT).contains(&of("ch10_3.html")));
    assert!(of("introduction.html") < 87_000, "no formula, no font");
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
