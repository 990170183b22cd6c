//! What our styles and scripts, and what finishes the pages, expect of mdBook's
//! pages is there: a new version of mdBook may have other names.

use crate::common::{Tiny, real};
use book::{MDBOOK, SEARCH};
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn theme(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("theme").join(name);
    fs::read_to_string(path).expect("a file")
}

/// The files of the built book of which `is` is true, as one text.
fn built(is: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for folder in ["", "live", "css", "fonts"] {
        for entry in fs::read_dir(real().join(folder)).expect("a folder") {
            let path = entry.expect("readable").path();
            if is(&path.file_name().expect("a name").to_string_lossy()) {
                text += &fs::read_to_string(&path).expect("is text");
            }
        }
    }
    text
}

/// What the first group of a pattern finds.
fn found<'a>(pattern: &str, text: &'a str) -> BTreeSet<&'a str> {
    let pattern = Regex::new(pattern).expect("a pattern");
    let groups = pattern.captures_iter(text).map(|found| found.extract::<1>().1);
    groups.map(|[group]| group).collect()
}

#[test]
fn what_styles_and_scripts_select_is_there() {
    let comments = Regex::new(r"(?s)/\*.*?\*/").expect("a pattern");
    let css = theme("attention.css");
    let css = comments.replace_all(&css, "");
    let script = theme("attention.js");
    let join = |texts: BTreeSet<&str>| texts.into_iter().collect::<Vec<_>>().join("\n");
    // What stands before a brace selects, and so may what a script quotes.
    let selectors = join(found(r"([^{}]+)\{", &css));
    let quoted = join(found(r#""([^"/\n]*)""#, &script));
    let name = r"[.#]([a-z][a-zA-Z0-9_-]*)";
    let mut wanted = found(name, &selectors);
    wanted.extend(found(name, &quoted));
    let asked = r#"(?:getElementById|classList\.contains)\("([^"]*)""#;
    wanted.extend(found(asked, &script));
    // It is on a page, or a script makes it that is not our own `attention.js`.
    let pages = built(|name| name.ends_with(".html"));
    let scripts = built(|name| {
        let ours = ["searchindex", "attention"].iter().any(|own| name.starts_with(own));
        name.ends_with(".js") && !ours
    });
    let word = "([a-zA-Z0-9_-]+)";
    let attributes = join(found(r#" (?:class|id)="([^"]*)""#, &pages));
    let mut known = found(word, &attributes);
    known.extend(found(word, &scripts));
    let missing: Vec<&&str> = wanted.difference(&known).collect();
    assert_eq!(missing, [&""; 0]);
    for name in ["mdbook-sidebar-toggle", "current-header", "chapter-fold-toggle"] {
        assert!(wanted.contains(name), "{name}");
    }
}

#[test]
fn figures_are_seen_whole_on_a_phone() {
    // But for two with many heat maps, and one with a row of letters, whose
    // letters would be too small.
    for folder in [real().to_path_buf(), real().join("zh")] {
        let page = fs::read_to_string(folder.join("print.html")).expect("a page");
        let wide = found("aria-label=\"([^\"]*)\" style=\"min-width", &page);
        assert!(wide.len() <= 3, "{wide:#?}");
    }
}

#[test]
fn what_scripts_rely_on_is_there() {
    let scripts = built(|name| name.ends_with(".js") && !name.starts_with("attention"));
    for text in [
        "'Show hidden lines'",
        "1080",
        "onunload",
        "hljs.configure(",
        "hljs.highlightBlock(",
        "elasticlunr.Index.load(",
        "doc_urls",
        "'#mdbook-highlight-css'",
    ] {
        assert!(scripts.contains(text), "{text}");
    }
}

#[test]
fn what_is_put_into_chinese_is_there() {
    let all = built(|name| {
        ["book-", "searcher-", "types.html"].iter().any(|start| name.starts_with(start))
    });
    // A book with no address has no links to its sources.
    let local = |english: &&str| !english.contains("Git") && !english.contains("edit");
    let texts = MDBOOK.iter().chain(&SEARCH).map(|(english, _)| *english);
    for english in texts.filter(local) {
        assert!(all.contains(english), "{english}");
    }
}

#[test]
fn a_page_that_cannot_be_finished_is_a_fault() {
    let tiny = Tiny::new();
    tiny.write("theme/index.hbs", "<html><body>{{{ content }}}</body></html>");
    let [fault] = &tiny.faults()[..] else { panic!("one fault") };
    assert!(fault.starts_with("book: ") && fault.contains(" has no "), "{fault}");
}
