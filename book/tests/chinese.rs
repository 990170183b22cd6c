//! The Chinese edition: a second tree of pages, built with the first one.

use crate::common::Tiny;
use book::{Problem, compare, lock};
use regex::Regex;
use std::fs;

/// A tiny book with a Chinese page.
fn with_chinese(tiny: Tiny) -> Tiny {
    let summary = "# 目录\n\n[引言](intro.md)\n\n- [一](sub/one.md)\n";
    tiny.write("book/zh/SUMMARY.md", summary);
    let one = "# 一 {#one}\n\n## 二 {#two}\n\n文字。\n";
    tiny.write("book/zh/sub/one.md", one);
    page(&tiny, "见 [一](sub/one.md#two)。");
    tiny
}

fn page(tiny: &Tiny, text: &str) {
    let page = format!("# 引言 {{#intro}}\n\n文字。\n\n{text}\n");
    tiny.write("book/zh/intro.md", &page);
}

#[test]
fn both_editions_are_built_and_share_what_they_can() {
    let tiny = with_chinese(Tiny::new());
    assert_eq!(tiny.faults(), [""; 0]);
    let page = tiny.html("zh/intro.html");
    assert!(page.contains("<html lang=\"zh-CN\""), "{page}");
    assert!(page.contains("<title>引言 - Attention, Compiled</title>"));
    assert!(page.contains("href=\"sub/one.html#two\""));
    assert!(tiny.html("intro.html").contains("<html lang=\"en\""));
    // Of what is loaded only the texts are there twice.
    let own = ["toc", "book-", "searcher", "searchindex"];
    for entry in fs::read_dir(tiny.pages().join("zh")).expect("a folder") {
        let entry = entry.expect("readable");
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_own = own.iter().any(|own| name.starts_with(own));
        let is_file = entry.path().is_file();
        assert!(!is_file || is_own || name.ends_with(".html"), "{name}");
    }
    let loaded =
        Regex::new(r#" (?:href|src)="([^"]+\.(?:css|js))""#).expect("a pattern");
    for (_, [address]) in loaded.captures_iter(&page).map(|found| found.extract()) {
        assert!(tiny.pages().join("zh").join(address).is_file(), "{address}");
    }
}

/// A page may quote them.
#[test]
fn words_of_mdbook_stay_in_the_text_of_a_page() {
    let tiny = with_chinese(Tiny::new());
    page(&tiny, "按钮 `Show hidden lines`。");
    assert_eq!(tiny.faults(), [""; 0]);
    let page = tiny.html("zh/intro.html");
    assert!(page.contains("<code>Show hidden lines</code>"));
    assert!(page.contains("显示或隐藏目录"));
}

#[test]
fn a_fault_of_one_edition_keeps_both_back() {
    let tiny = with_chinese(Tiny::new());
    page(&tiny, "见 [无](no.md)。");
    assert_eq!(tiny.faults(), ["book/zh/intro.md:5: dead link no.md"]);
    tiny.write("book/zh/SUMMARY.md", "# 目录\n\n[无](no.md)\n");
    let [fault] = &tiny.faults()[..] else { panic!("one fault") };
    assert!(fault.starts_with("book/zh/no.md: mdBook: failed to read chapter `no.md`"));
    fs::remove_file(tiny.root().join("book/zh/sub/one.md")).expect("was there");
    let missing = "book/zh/sub/one.md: is not there, unlike book/en/sub/one.md";
    assert!(differences(&tiny).contains(&missing.to_string()));
}

#[test]
fn the_words_of_the_builder_are_those_of_the_edition() {
    let tiny = with_chinese(Tiny::with_figure());
    let figure = "![从左到右画出的一条线，没有别的](../figures/ch10_3/a.svg)";
    page(
        &tiny,
        &format!(
            "{figure}\n\n图 10.3.1：一条线。\n\n\
             ```text\n{{{{#output ch10_3 Masked softmax}}}}\n```"
        ),
    );
    assert_eq!(tiny.faults().len(), 1, "the English edition has no figure");
    let page = tiny.html("zh/intro.html");
    for part in ["data-label=\"图 10.3.1\"", "输出：<code>cargo run", ">跳到正文<"]
    {
        assert!(page.contains(part), "{part} in {page}");
    }
    let faults = |from: &str, to: &str| {
        let path = tiny.root().join("book/zh/intro.md");
        let text = fs::read_to_string(&path).expect("a page");
        fs::write(path, text.replace(from, to)).expect("a page");
        tiny.faults().concat()
    };
    let caption = "a.svg has no caption \"图 10.1.1： …\" under it";
    assert!(faults("10.3.1：", "10.3.1: ").contains(caption));
    let short = "a.svg is described in less than 14 characters";
    assert!(faults("，没有别的", "").contains(short));
}

#[test]
fn a_description_is_cut_after_a_chinese_sentence() {
    let tiny = with_chinese(Tiny::new());
    let sentence = "这是一句不长不短的话，一共有二十个字。";
    tiny.write(
        "book/zh/intro.md",
        &format!("# 引言 {{#intro}}\n\n{}", sentence.repeat(9)),
    );
    assert_eq!(tiny.faults(), [""; 0]);
    let description = format!("content=\"{}\">", sentence.repeat(4));
    assert!(tiny.html("zh/intro.html").contains(&description));
}

const ENGLISH: &str = "# Intro {#intro}\n\n\
    A **mask** hides $x$ of 20 tokens, as [One](sub/one.md)\nshows in `code`.\n\n\
    ## Two {#two}\n\n- Three of them.\n- More: (10, 20).\n\n\
    ```sh\ncargo run\n```\n\n\
    <details><summary>Answer</summary>\n\nText.\n\n</details>\n";

const CHINESE: &str = "# 引言 {#intro}\n\n\
    **掩码**（mask）隐藏 20 个词元里的 $x$，见 [一](sub/one.md) 的 `code`。\n\n\
    ## 二 {#two}\n\n- 其中 3 个。\n- 更多（见“one two”）：(10, 20)。\n\n\
    ```sh\ncargo run\n```\n\n\
    <details><summary>答案</summary>\n\n文字。\n\n</details>\n";

/// A tiny book with a page in both languages, its English text accepted.
fn in_step() -> Tiny {
    let tiny = with_chinese(Tiny::new());
    tiny.write("book/translation/terms.tsv", "mask\t掩码/掩蔽\n");
    tiny.write("book/en/intro.md", ENGLISH);
    tiny.write("book/zh/intro.md", CHINESE);
    lock(tiny.root(), &[]).expect("it is written");
    tiny
}

fn differences(tiny: &Tiny) -> Vec<String> {
    compare(tiny.root()).iter().map(Problem::to_string).collect()
}

#[test]
fn a_translation_that_is_in_step_has_no_faults() {
    let tiny = in_step();
    assert_eq!(differences(&tiny), [""; 0]);
    assert_eq!(tiny.faults(), [""; 0]);
}

#[test]
fn a_chinese_page_says_what_the_english_one_says_in_chinese() {
    let tiny = in_step();
    for (from, to, line, fault) in [
        ("$x$", "$y$", 3, "lacks $x$"),
        ("sub/one.md", "sub/two.md", 3, "lacks sub/one.md"),
        ("`code`", "`core`", 3, "lacks `code`"),
        ("20", "25", 3, "lacks the number 20"),
        ("20 个", "20 个、210 个", 3, "has the number 210"),
        ("**掩码**", "**面具**", 3, "**mask** should be **掩码/掩蔽**"),
        ("**掩码**", "掩码", 3, "has 0 words in bold"),
        ("{#two}", "{#three}", 5, "is heading 2 #three, not heading 2 #two"),
        ("## 二", "### 二", 5, "is heading 3 #two, not heading 2 #two"),
        ("- 更多", "\n更多", 9, "is paragraph, not item"),
        ("\n文字。\n", "", 16, "is block of HTML, not paragraph"),
        ("</details>", "</details>\n\n完。", 20, "the English ends before"),
        ("cargo run", "cargo test", 10, "lacks cargo run"),
        // Chinese has rules of its own.
        ("$x$，", "$x$,", 3, "half-width punctuation"),
        ("。\n\n## 二", ".\n\n## 二", 3, "half-width punctuation"),
        ("（mask）", "(mask)隐藏", 3, "half-width punctuation"),
        ("其中 3", "其中3", 7, "a space between"),
        ("的 `code`", "的`code`", 3, "a space between"),
        ("$x$，", "$x$ ，", 3, "no space beside"),
        ("（见“", "（见 “", 8, "no space beside"),
        ("隐藏 20", "隐藏\n20", 3, "a paragraph is one line"),
        ("其中 3 个", "*其中* 3 个", 7, "Chinese has no italics"),
        ("文字。", "**“文字”**x", 16, "this ** marks nothing"),
        ("文字。", "There is some text.", 16, "is left in English"),
        ("答案", "Answer", 14, "is left in English"),
        ("引言", "The intro", 1, "is left in English"),
    ] {
        tiny.write("book/zh/intro.md", &CHINESE.replacen(from, to, 1));
        let found = differences(&tiny);
        let at = format!("book/zh/intro.md:{line}: {fault}");
        assert!(found.iter().any(|one| one.starts_with(&at)), "{at}: {found:?}");
    }
}

#[test]
fn english_that_has_changed_since_is_named() {
    let tiny = in_step();
    let changed = ENGLISH.replace("hides", "covers");
    tiny.write("book/en/intro.md", &changed);
    let [fault] = &differences(&tiny)[..] else { panic!("one fault") };
    let text =
        "book/zh/intro.md:3: its English (line 3) has changed: A mask covers … of";
    assert!(fault.starts_with(text), "{fault}");
    let remedy = "`cargo run -p book -- lock intro.md` once the translation is up to";
    assert!(fault.contains(remedy), "{fault}");
    lock(tiny.root(), &["intro.md".to_string()]).expect("it is written");
    assert_eq!(differences(&tiny), [""; 0]);
    // Where the lines break is nobody's business.
    tiny.write("book/en/intro.md", &changed.replace("20 tokens", "20\ntokens"));
    assert_eq!(differences(&tiny), [""; 0]);
    let none = lock(tiny.root(), &["no.md".to_string()]);
    assert!(none.unwrap_err().to_string().contains("no page book/zh/no.md"));
}
