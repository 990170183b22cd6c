//! A book with an address: what a published one has more than a local one.

use crate::common::Tiny;
use std::fs;
use std::process::Command;

const REPOSITORY: &str = "https://code.example/we/book";

fn build(tiny: &Tiny, address: bool) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
    command.arg("build").current_dir(tiny.root());
    if address {
        command
            .env("BOOK_URL", "https://we.example/book")
            .env("BOOK_REPOSITORY", REPOSITORY)
            .env("BOOK_COMMIT", "abc123");
    }
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    tiny.html("sub/one.html")
}

fn with_listing() -> Tiny {
    let tiny = Tiny::with_figure();
    let alt = "a description of forty characters or more";
    let page = format!(
        "# One {{#one}}\n\nText of one.\n\n## Two {{#two}}\n\n\
         ```rust\n{{{{#hidden ch10_3/src/lib.rs:header}}}}\n\
         {{{{#listing ch10_3/src/lib.rs:one}}}}\n```\n\n\
         ![{alt}](../../figures/ch10_3/a.svg)\n\nFigure 10.3.1: It.\n"
    );
    tiny.write("book/en/sub/one.md", &page);
    tiny.write("book/cover/preview.png", "a picture");
    tiny
}

#[test]
fn a_published_page_knows_its_address_and_its_sources() {
    let tiny = with_listing();
    let page = build(&tiny, true);
    for part in [
        "<link rel=\"canonical\" href=\"https://we.example/book/sub/one.html\">",
        "<meta property=\"og:description\" content=\"Text of one.\">",
        "<meta property=\"og:image\" content=\"https://we.example/book/preview.png\">",
        &format!("{REPOSITORY}/edit/main/book/en/sub/one.md"),
        &format!("{REPOSITORY}/blob/abc123/chapters/ch10_3/src/lib.rs#L6-L8"),
        &format!("{REPOSITORY}/tree/abc123/chapters/ch10_3/src"),
        &format!("{REPOSITORY}/issues/new?title=sub%2Fone.html"),
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert!(tiny.pages().join("preview.png").is_file());
    // The first page offers what can be taken along, and no other.
    let epub = "<a href=\"https://we.example/book/attention-compiled.epub\">";
    let first = tiny.html("index.html");
    assert!(!page.contains(epub));
    let (menu, main) = first.split_once("<main>").expect("a page");
    let (heading, _) = main.split_once(epub).expect("below the page's own heading");
    assert!(heading.contains("Intro") && heading.contains("</h1>"), "{heading}");
    assert!(!menu.contains(epub));
    assert!(
        first.contains("<link rel=\"canonical\" href=\"https://we.example/book/\">")
    );
    // Under any address, the page for what is missing finds its style.
    assert!(tiny.html("404.html").contains("<base href=\"/book/\">"));
    let map = fs::read_to_string(tiny.pages().join("sitemap.xml")).expect("a map");
    assert!(map.contains("<loc>https://we.example/book/sub/one.html</loc>"), "{map}");
    assert!(
        map.contains("<loc>https://we.example/book/</loc>") && !map.contains("404")
    );
}

#[test]
fn a_published_page_names_itself_in_both_languages() {
    let tiny = with_listing();
    tiny.write("book/zh/SUMMARY.md", "# 目录\n\n[引言](intro.md)\n");
    tiny.write("book/zh/intro.md", "# 引言 {#intro}\n\n文字。\n");
    let page = build(&tiny, true);
    assert!(!page.contains("hreflang"), "there is no Chinese page of it");
    for (name, other) in
        [("intro.html", "zh/intro.html"), ("zh/intro.html", "../intro.html")]
    {
        let page = tiny.html(name);
        let url = "https://we.example/book";
        for part in [
            format!(
                "<link rel=\"alternate\" hreflang=\"en\" href=\"{url}/intro.html\">"
            ),
            format!("hreflang=\"zh-CN\" href=\"{url}/zh/intro.html\">"),
            format!("hreflang=\"x-default\" href=\"{url}/intro.html\">"),
            format!("<link rel=\"canonical\" href=\"{url}/{name}\">"),
            format!(" href=\"{other}\">"),
        ] {
            assert!(page.contains(&part), "{part} in {page}");
        }
    }
    assert!(tiny.html("zh/intro.html").contains("/edit/main/book/zh/intro.md"));
    assert!(tiny.html("404.html").contains("href=\"zh/index.html\">中文</a>"));
    let map = fs::read_to_string(tiny.pages().join("sitemap.xml")).expect("a map");
    assert!(map.contains("<loc>https://we.example/book/zh/intro.html</loc>"), "{map}");
    assert!(!map.contains("toc.html"), "{map}");
}

#[test]
fn what_is_no_address_is_refused() {
    let tiny = with_listing();
    for (name, value) in [
        ("BOOK_URL", "https://e.example/x\"><script>alert(1)</script>"),
        ("BOOK_URL", "javascript:alert(1)"),
        ("BOOK_URL", "https://e.example/a b"),
        ("BOOK_URL", "https://e.example/x?a=b"),
        ("BOOK_URL", "/"),
        ("BOOK_REPOSITORY", "https://h.example/{path}"),
        ("BOOK_REPOSITORY", "https://h.example/r\"><img src=x onerror=alert(2)>"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
        command.arg("build").current_dir(tiny.root()).env(name, value);
        let output = command.output().expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr);
        let line = format!("{name} is not an address such as");
        assert!(!output.status.success() && said.contains(&line), "{value}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn a_local_page_has_none_of_it() {
    let tiny = with_listing();
    let page = build(&tiny, false);
    for part in ["example", "canonical", "issues/new", "og:", "/edit/", "/blob/"] {
        assert!(!page.contains(part), "{part}");
    }
    assert!(!tiny.html("index.html").contains(".epub"));
    for file in ["sitemap.xml", "preview.png"] {
        assert!(!tiny.pages().join(file).exists(), "{file}");
    }
}
