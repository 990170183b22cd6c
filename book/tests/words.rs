//! The texts of the scripts, and their Chinese: each has the other.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn book(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The files of a folder as text, with their names.
fn texts(folder: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(book(folder)).expect("a folder");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let files = paths.filter(|path| path.is_file()).map(|path| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(path).expect("is text"))
    });
    files.collect()
}

/// What a literal at the beginning of `rest` says, and what comes after it.
fn literal(rest: &str) -> Option<(&str, &str)> {
    let inner = rest.trim_start().strip_prefix('"')?;
    let ends = |&(at, _): &(usize, &str)| !inner[..at].ends_with('\\');
    let (end, _) = inner.match_indices('"').find(ends)?;
    Some((&inner[..end], &inner[end + 1..]))
}

/// The texts that a script asks for; every call begins with a literal.
fn asked<'a>(name: &str, script: &'a str) -> BTreeSet<&'a str> {
    let calls = ["t(", "parts("].iter().flat_map(|call| {
        let starts = script
            .match_indices(*call)
            .filter(|(at, _)| !script[..*at].ends_with(char::is_alphanumeric));
        starts.map(|(at, call)| &script[at + call.len()..])
    });
    let text = |rest: &'a str| match literal(rest) {
        Some((text, _)) => text,
        None => panic!("{name}: no literal: {}", rest.lines().next().unwrap_or("")),
    };
    calls.map(text).collect()
}

/// The entries of a table of `words.zh.js`.
fn table(name: &str) -> Vec<(String, String)> {
    let script = fs::read_to_string(book("theme/live/words.zh.js")).expect("a file");
    let (_, rest) = script.split_once(&format!("const {name} = {{")).expect("a table");
    let (inner, _) = rest.split_once("\n};").expect("its end");
    let lines = inner.lines().filter(|line| !line.trim_start().starts_with("//"));
    let inner: String = lines.collect::<Vec<_>>().join("\n");
    let (mut rest, mut entries) = (&inner[..], Vec::new());
    while let Some((key, after)) = literal(rest) {
        let after = after.strip_prefix(':').expect("a colon");
        let (value, after) = literal(after).expect("its Chinese");
        entries.push((key.to_string(), value.to_string()));
        rest = after.strip_prefix(',').expect("a comma");
    }
    assert_eq!(rest.trim(), "", "read to its end");
    entries
}

/// The places in a text for values, such as `{0}`.
fn places(text: &str) -> BTreeSet<&str> {
    let after = text.split('{').skip(1);
    after.filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
}

#[test]
fn every_text_of_the_scripts_has_its_chinese() {
    let scripts = texts("theme/live");
    let is_script = |name: &str| name.ends_with(".js") && !name.starts_with("words");
    let scripts = scripts.iter().filter(|(name, _)| is_script(name));
    let asked: BTreeSet<&str> =
        scripts.flat_map(|(name, script)| asked(name, script)).collect();
    let table = table("words");
    let keys: BTreeSet<&str> = table.iter().map(|(key, _)| key.as_str()).collect();
    let missing: Vec<_> = asked.difference(&keys).collect();
    assert_eq!(missing, [&""; 0], "without Chinese");
    let left: Vec<_> = keys.difference(&asked).collect();
    assert_eq!(left, [&""; 0], "no script says");
    assert_eq!(keys.len(), table.len(), "an entry stands twice");
}

#[test]
fn every_line_about_what_is_wrong_can_be_said() {
    let mut sources = String::new();
    for folder in ["live/src", "theme/live"] {
        for (name, text) in texts(folder) {
            if name != "words.zh.js" {
                // A literal may go on in the next line.
                let lines = text.split("\\\n").map(str::trim_start);
                sources.extend(lines);
            }
        }
    }
    for (line, _) in table("errors") {
        for part in line.split(['{', '}']).step_by(2) {
            assert!(sources.contains(part), "nothing says {part:?} of {line:?}");
        }
    }
}

#[test]
fn the_chinese_has_the_same_values() {
    for (english, chinese) in table("words").iter().chain(&table("errors")) {
        assert_eq!(places(english), places(chinese), "{english}: {chinese}");
    }
}
