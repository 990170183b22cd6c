//! What our styles and scripts, and what finishes the pages, expect of mdBook's
//! pages is there: a new version of mdBook may have other names.

use crate::common::{Tiny, real};
use book::{MDBOOK, SEARCH};
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

/// The names that follow one of `marks` in a text.
fn names<'a>(text: &'a str, marks: &[&str]) -> BTreeSet<&'a str> {
    let after = marks.iter().flat_map(|mark| text.split(mark).skip(1));
    let name = |rest: &'a str| {
        let end = |c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_');
        &rest[..rest.find(end).unwrap_or(rest.len())]
    };
    let is_name = |name: &&str| name.starts_with(|c: char| c.is_ascii_lowercase());
    after.map(name).filter(is_name).collect()
}

/// A text without what stands between two marks.
fn without(text: &str, start: &str, end: &str) -> String {
    let mut parts = text.split(start);
    let first = parts.next().unwrap_or_default().to_string();
    let rest = parts.filter_map(|part| Some(part.split_once(end)?.1));
    first + &rest.collect::<String>()
}

/// Names of classes and ids on the pages, and words of the scripts that make more
/// of them, our own `attention.js` aside.
fn known() -> BTreeSet<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let words = |text: &str| {
        let words = text.split(|c| !is_word(c)).map(str::to_string);
        words.collect::<BTreeSet<String>>()
    };
    let pages = built(|name| name.ends_with(".html"));
    let attributes = [" class=\"", " id=\""];
    let attributes = attributes.iter().flat_map(|key| pages.split(key).skip(1));
    let values = attributes.filter_map(|rest| rest.split('"').next());
    let mut known = words(&values.collect::<Vec<_>>().join(" "));
    let made = |name: &str| name.ends_with(".js") && !name.starts_with("searchindex");
    known.extend(words(&built(|name| made(name) && !name.starts_with("attention"))));
    known
}

#[test]
fn what_styles_and_scripts_select_is_there() {
    let known = known();
    let css = without(&theme("attention.css"), "/*", "*/");
    // What stands between braces is no selector.
    let selectors: String =
        css.split('{').filter_map(|part| part.rsplit('}').next()).collect();
    let script = theme("attention.js");
    let quoted = script.split('"').skip(1).step_by(2);
    let quoted: Vec<&str> = quoted.filter(|text| !text.contains('/')).collect();
    let quoted = quoted.join("\n");
    let mut wanted = names(&selectors, &[".", "#"]);
    wanted.extend(names(&quoted, &[".", "#"]));
    wanted.extend(names(&script, &["getElementById(\"", "classList.contains(\""]));
    // It is in the scripts that wanted what the pages no longer have.
    let missing: Vec<&&str> =
        wanted.iter().filter(|name| !known.contains(**name)).collect();
    assert_eq!(missing, [&""; 0]);
    for name in ["mdbook-sidebar-toggle", "current-header", "chapter-fold-toggle"] {
        assert!(wanted.contains(name), "{name}");
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
fn every_variable_of_the_styles_is_used() {
    let css = theme("attention.css");
    let all =
        built(|name| [".css", ".js", ".html"].iter().any(|end| name.ends_with(end)));
    let all = all + &css;
    let used = names(&all, &["var(--"]);
    let defined = css.split_inclusive(['{', ';']).filter_map(|part| {
        let (name, _) = part.rsplit('}').next()?.split_once(':')?;
        name.trim().strip_prefix("--")
    });
    for name in defined {
        assert!(used.contains(name), "--{name}");
    }
}

#[test]
fn a_page_that_cannot_be_finished_is_a_fault() {
    let tiny = Tiny::new();
    let page = "<html><head></head><body><main>{{{ content }}}</main></body></html>";
    tiny.write("theme/index.hbs", page);
    let [fault] = &tiny.faults()[..] else { panic!("one fault") };
    assert!(
        fault.starts_with("book.toml: ") && fault.contains("has no <link"),
        "{fault}"
    );
    tiny.write("theme/index.hbs", &page.replace("main>", "div>"));
    let [fault] = &tiny.faults()[..] else { panic!("one fault") };
    assert!(fault.contains("has no <main>…</main>"), "{fault}");
}
