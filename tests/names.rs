//! The index of names is complete: every public name of the chapters' crates
//! stands in `book/en/names.md`, with what its doc says first and a link to
//! where the book tells it. The page is written by this test:
//! `NAMES=overwrite cargo test --test names`.

mod common;

use common::page::{Directive, Page};
use common::repo::{Findings, read, root, sections};
use common::source::anchors;
use std::collections::{BTreeMap, HashMap};

/// The page.
const FILE: &str = "book/en/names.md";

const OPENING: &str = "\
# Index of names {#index-of-names}

Every public name of the book's crates, section by section: what it is, in the
first words of its documentation, and where it is told. Methods stand with
their type. A name that exists in two modules stands here with its module;
mostly one is composed of dfdx's operations, and the other is the same in one
pass.
";

#[test]
fn every_public_name_is_in_the_index() {
    let made = index();
    if std::env::var_os("NAMES").is_some_and(|what| what == "overwrite") {
        std::fs::write(root().join(FILE), &made).expect("can be written");
    }
    let there = std::fs::read_to_string(root().join(FILE));
    let there = there.unwrap_or_default();
    let apart = made.lines().zip(there.lines()).position(|(a, b)| a != b);
    let apart = apart.map_or(there.lines().count(), |line| line) + 1;
    let how = "NAMES=overwrite cargo test --test names";
    assert!(made == there, "{FILE}:{apart} is not as the sources are: {how}");
}

/// A public item.
#[derive(Clone, Debug, PartialEq)]
struct Name {
    name: String,
    doc: String,
    /// The anchor that it stands in.
    anchor: String,
    file: String,
    methods: Vec<String>,
}

fn index() -> String {
    let mut text = OPENING.to_string();
    let mut crates = sections();
    crates.sort_by_key(|name| match name.as_str() {
        "seq2seq" => "ch10_3_5".to_string(),
        name => name.to_string(),
    });
    for name in crates {
        let page = format!("{name}.md");
        let told = told(&Page::parse(
            &format!("book/en/{page}"),
            &read(&format!("book/en/{page}")),
        ));
        let title = title(&name);
        let id = title.to_lowercase().replace([' ', '.'], "-");
        text += &format!("\n## {title} {{#names-{id}}}\n\n");
        text += "| Name | What it is | Told in |\n|---|---|---|\n";
        let mut names = names(&format!("chapters/{name}/src"));
        names.sort_by_key(|n| (n.name.to_lowercase(), n.file.clone()));
        let all: Vec<String> = names.iter().map(|n| n.name.clone()).collect();
        for n in names {
            let place = told.get(&(n.file.clone(), n.anchor.clone()));
            let (heading, id) = place.unwrap_or_else(|| {
                panic!("{}: `{}` is told nowhere", n.file, n.anchor)
            });
            let twice = all.iter().filter(|name| **name == n.name).count() > 1;
            let module = if twice { module(&n.file) } else { String::new() };
            text += &format!("| `{module}{}` | {}", n.name, n.doc);
            if !n.methods.is_empty() {
                let all = n.methods.join("`, `");
                text += &format!(" Methods: `{all}`.");
            }
            text += &format!(" | [{heading}]({page}#{id}) |\n");
        }
    }
    text
}

/// The module that a reader of the library finds a file's names in.
fn module(file: &str) -> String {
    let inside = file.split("/src/").nth(1).unwrap_or_default();
    match inside.trim_end_matches(".rs").split('/').next() {
        Some("lib") | None => String::new(),
        Some(module) => format!("{module}::"),
    }
}

fn title(name: &str) -> String {
    match name.strip_prefix("ch") {
        Some(number) => number.replace('_', "."),
        None => "Interlude".to_string(),
    }
}

/// For each anchor of each file the heading that it is told under, and its id.
fn told(page: &Page) -> HashMap<(String, String), (String, String)> {
    let headings: Vec<_> = page.headings().collect();
    let mut told = HashMap::new();
    for (line, directive) in page.directives() {
        let Directive::Include { file, anchor: Some(anchor) } = directive else {
            continue;
        };
        let above = headings.iter().rev().find(|heading| heading.0 < line);
        if let Some((_, _, text, Some(id))) = above {
            let place = (text.to_string(), id.to_string());
            told.insert((file, anchor), place);
        }
    }
    told
}

/// The public names of the library whose files are in a folder.
fn names(folder: &str) -> Vec<Name> {
    let mut all = Vec::new();
    let mut methods: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in library(folder) {
        let text = read(&file);
        for item in items(&file, &text) {
            match item {
                Item::Name(name) => all.push(name),
                Item::Method { of, name } => {
                    let known = methods.entry(of).or_default();
                    if !known.contains(&name) {
                        known.push(name);
                    }
                }
            }
        }
    }
    for name in &mut all {
        if let Some(own) = methods.get(&name.name) {
            name.methods = own.clone();
        }
    }
    all
}

/// `lib.rs` and the files of its modules, in the order of their declaration.
fn library(folder: &str) -> Vec<String> {
    let mut found = vec![format!("{folder}/lib.rs")];
    let mut at = 0;
    while at < found.len() {
        let file = found[at].clone();
        let inside = match file.ends_with("/lib.rs") {
            true => folder.to_string(),
            false => file.trim_end_matches(".rs").to_string(),
        };
        for line in read(&file).lines() {
            let line = line.strip_prefix("pub ").unwrap_or(line);
            let module = line.strip_prefix("mod ");
            if let Some(module) = module.and_then(|m| m.strip_suffix(';')) {
                found.push(format!("{inside}/{module}.rs"));
            }
        }
        at += 1;
    }
    found
}

enum Item {
    Name(Name),
    Method { of: String, name: String },
}

fn items(file: &str, text: &str) -> Vec<Item> {
    let marks = anchors(file, text, &mut Findings::default());
    let anchor_of = |line: usize| {
        let before = marks.iter().rev().find(|anchor| anchor.line < line);
        before.map(|anchor| anchor.name.clone()).unwrap_or_default()
    };
    let (mut items, mut doc, mut of) = (Vec::new(), Vec::new(), String::new());
    let lines: Vec<&str> = text.lines().collect();
    for (n, line) in lines.iter().enumerate() {
        if let Some(words) = line.strip_prefix("///") {
            doc.push(words.trim());
        } else if let Some(rest) = declared(line, "pub ") {
            let file = file.to_string();
            let doc = first_sentence(&std::mem::take(&mut doc).join("\n"));
            let (name, anchor) = (rest.clone(), anchor_of(n + 1));
            of = rest;
            let methods = Vec::new();
            items.push(Item::Name(Name { name, doc, anchor, file, methods }));
        } else if line.starts_with("impl") {
            let header: Vec<&str> = lines[n..]
                .iter()
                .take_while(|line| !line.starts_with('}'))
                .take(12)
                .copied()
                .collect();
            of = implemented(&header.join(" ")).unwrap_or_default();
        } else if let Some(name) = declared(line, "    pub ") {
            let of = of.clone();
            items.push(Item::Method { of, name });
        } else if !line.starts_with('#') && !line.starts_with(' ') {
            doc.clear();
        }
    }
    items
}

/// The name that a line declares, if it begins with `start` and an item.
fn declared(line: &str, start: &str) -> Option<String> {
    let rest = line.strip_prefix(start)?;
    let rest = rest.strip_prefix("const fn ").or_else(|| {
        let kinds = ["fn ", "struct ", "enum ", "trait ", "type ", "const ", "static "];
        kinds.iter().find_map(|kind| rest.strip_prefix(kind))
    })?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(rest[..end.unwrap_or(rest.len())].to_string())
}

/// The type of an inherent `impl`; none for the `impl` of a trait.
fn implemented(header: &str) -> Option<String> {
    let rest = header.strip_prefix("impl")?;
    let start = match rest.starts_with('<') {
        true => after_generics(rest),
        false => 0,
    };
    let head = rest[start..].split('{').next().unwrap_or_default().trim();
    let end = head.find(|c: char| !c.is_alphanumeric() && c != '_');
    let name = &head[..end.unwrap_or(head.len())];
    (!head.contains(" for ")).then(|| name.to_string())
}

/// Where the generics end that a text begins with.
fn after_generics(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        let arrow = text[..at].ends_with(['-', '=']);
        match c {
            '<' => depth += 1,
            '>' if !arrow => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// The first sentence of a doc comment, as Markdown of a table.
fn first_sentence(doc: &str) -> String {
    let paragraph = doc.split("\n\n").next().unwrap_or_default();
    let text = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text.match_indices(". ").find(|(at, _)| {
        let next = text[at + 2..].chars().next();
        next.is_some_and(char::is_uppercase) && !text[..*at].ends_with(" al")
    });
    let text = end.map_or(text.as_str(), |(at, _)| &text[..=at]);
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        plain += before;
        match link.split_once(']') {
            Some((label, after)) if label.starts_with('`') => {
                plain += label;
                let target = after.strip_prefix('(');
                rest = target
                    .and_then(|target| target.split_once(')'))
                    .map_or(after, |(_, after)| after);
            }
            _ => {
                plain += "\\[";
                rest = link;
            }
        }
    }
    plain += rest;
    plain.replace("**", "").replace('|', "\\|")
}

// --- What the rules find ----------------------------------------------------

#[test]
fn names_are_found_with_their_docs_and_methods() {
    let text = "\
// ANCHOR: a
/// One thing. Another sentence.
#[derive(Clone)]
pub struct Thing<const N: usize> {
    /// A field.
    pub field: u8,
}

impl<const N: usize, F: Fn(u8) -> u8> Thing<N> {
    /// Makes one.
    pub fn new() -> Self {
        Thing { field: 1 }
    }
}

impl<const N: usize> Other for Thing<N> {
    fn hidden() {}
}
// ANCHOR_END: a

// ANCHOR: b
/// See [`Thing::new`](crate::x), a | b.
pub fn free() {}

/// Not public.
fn own() {}

/// Nor outside.
pub(crate) fn inside() {}
// ANCHOR_END: b
";
    let (mut names, mut methods) = (Vec::new(), Vec::new());
    for item in items("x.rs", text) {
        match item {
            Item::Name(name) => names.push((name.name, name.doc, name.anchor)),
            Item::Method { of, name } => methods.push((of, name)),
        }
    }
    let of = |a: &str, b: &str, c: &str| (a.into(), b.into(), c.into());
    assert_eq!(names[0], of("Thing", "One thing.", "a"));
    assert_eq!(names[1], of("free", "See `Thing::new`, a \\| b.", "b"));
    assert_eq!(names.len(), 2);
    assert_eq!(methods, [("Thing".to_string(), "new".to_string())]);
}

#[test]
fn the_type_of_an_impl() {
    for (header, of) in [
        ("impl Vocab {", Some("Vocab")),
        ("impl<const B: usize> ValidLens<B, 2> {", Some("ValidLens")),
        ("impl<T: Fn(u8) -> u8> Made<T> {", Some("Made")),
        ("impl<L: Learner> Training<L> {", Some("Training")),
        ("impl<const M: usize> Parameters for Norm<M> {", None),
        ("impl Parameters for Norm {", None),
    ] {
        assert_eq!(implemented(header).as_deref(), of, "{header}");
    }
}
