//! The texts of the scripts, and their Chinese: each has the other.

use crate::common::real;
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The scripts and sources in a folder, but the tables of words, as one text. A
/// literal may go on in the next line.
fn sources(folder: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let paths = fs::read_dir(folder).expect("a folder");
    let paths = paths.map(|entry| entry.expect("readable").path());
    let is_table = |name: &str| name.contains("words");
    let texts = paths
        .filter(|path| path.is_file() && !is_table(&path.to_string_lossy()))
        .map(|path| fs::read_to_string(path).expect("is text"));
    let continued = Regex::new(r"\\\n\s*").expect("a pattern");
    continued.replace_all(&texts.collect::<String>(), "").into_owned()
}

/// The entries of a table of `words.zh.js`.
fn table(name: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("theme/live/words.zh.js");
    let script = fs::read_to_string(path).expect("a file");
    let (_, rest) = script.split_once(&format!("const {name} = {{")).expect("a table");
    let (inner, _) = rest.split_once("\n};").expect("its end");
    let entry = Regex::new(r#"(?m)^ *"(.+)":\s+"(.+)",$"#).expect("a pattern");
    let entries = entry.captures_iter(inner).map(|entry| entry.extract().1);
    let owned = |[key, value]: [&str; 2]| (key.to_string(), value.to_string());
    let entries: Vec<(String, String)> = entries.map(owned).collect();
    let lines = inner.lines().filter(|line| line.ends_with("\","));
    assert_eq!(entries.len(), lines.count(), "read to its end");
    entries
}

#[test]
fn every_text_of_the_scripts_has_its_chinese() {
    let scripts = sources("theme/live");
    let call = Regex::new(r#"\b(?:t|parts)\(\s*(?:"((?:[^"\\]|\\.)*)")?"#);
    let call = call.expect("a pattern");
    let literal = |call: regex::Captures| {
        let literal = call.get(1).unwrap_or_else(|| panic!("no literal: {call:?}"));
        literal.as_str().to_string()
    };
    let asked: BTreeSet<String> = call.captures_iter(&scripts).map(literal).collect();
    let table = table("words");
    let keys: BTreeSet<String> = table.iter().map(|(key, _)| key.clone()).collect();
    assert_eq!(asked, keys, "what the scripts say, and what has Chinese");
    assert_eq!(keys.len(), table.len(), "an entry stands twice");
}

#[test]
fn every_line_about_what_is_wrong_can_be_said() {
    let sources = sources("live/src") + &sources("theme/live");
    for (line, _) in table("errors") {
        for part in line.split(['{', '}']).step_by(2) {
            assert!(sources.contains(part), "nothing says {part:?} of {line:?}");
        }
    }
}

#[test]
fn the_chinese_has_the_same_values() {
    let place = Regex::new(r"\{\d\}").expect("a pattern");
    let places = |text| place.find_iter(text).map(|one| one.as_str()).collect();
    for (english, chinese) in table("words").iter().chain(&table("errors")) {
        let [english, chinese]: [BTreeSet<&str>; 2] =
            [english, chinese].map(|text| places(text));
        assert_eq!(english, chinese);
    }
}

#[test]
fn the_missing_page_speaks_both_languages() {
    let page = fs::read_to_string(real().join("404.html")).expect("a page");
    let (_, line) = page.split_once("<p lang=\"zh-CN\">").expect("a line in Chinese");
    let (_, link) = line.split_once("<a href=\"").expect("a link");
    let link = link.split('"').next().unwrap_or_default();
    assert!(link.starts_with("zh/") && real().join(link).is_file(), "{link}");
}

/// WebKit fails where two modules import at once one that awaits at its top level; the
/// figures of Chinese pages did not open.
#[test]
fn no_script_awaits_outside_of_a_function() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("theme/live");
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        let script = fs::read_to_string(&path).expect("is text");
        let mut depth = 0;
        for line in script.lines() {
            let code = line.split("//").next().unwrap_or_default();
            let awaits = code.find("await ").filter(|_| depth == 0);
            assert!(awaits.is_none(), "{}: {line}", path.display());
            depth += code.matches('{').count() as i32;
            depth -= code.matches('}').count() as i32;
        }
        assert_eq!(depth, 0, "{} is read to its end", path.display());
    }
}
