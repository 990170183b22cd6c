//! A built page as XHTML, for readers without scripts.

use crate::address::is_elsewhere;
use crate::epub::renamed;
use crate::highlight::escape;
use crate::problem::beside;
use html5ever::Attribute;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer,
    TokenizerOpts,
};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// HTML writes these without an end.
const VOID: [&str; 6] = ["br", "hr", "img", "input", "wbr", "col"];

/// HTML reads names in lower case; SVG has these.
const CASES: [&str; 7] = [
    "viewBox",
    "preserveAspectRatio",
    "markerWidth",
    "markerHeight",
    "markerUnits",
    "refX",
    "refY",
];

/// The text of the page `name` as XHTML. Links to pages that are not among
/// `names` become plain text.
pub fn xhtml(name: &str, text: &str, names: &BTreeSet<String>) -> String {
    let mut out = String::new();
    // How each open element ends; none if it is left out with all that is in it.
    let mut ends: Vec<Option<String>> = Vec::new();
    for token in tokens(text) {
        let left_out = ends.last() == Some(&None);
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                let is_empty = tag.self_closing || VOID.contains(&&*tag.name);
                let written = !left_out && !is_left_out(&tag);
                let element = written.then(|| element(&tag, is_empty, name, names));
                let (start, end) = element.unzip();
                out += &start.unwrap_or_default();
                if !is_empty {
                    ends.push(end);
                }
            }
            Token::TagToken(_) => out += &ends.pop().flatten().unwrap_or_default(),
            Token::CharacterTokens(text) if !left_out => out += &escape(&text),
            _ => {}
        }
    }
    out
}

/// The tags of some HTML, and the text between them, without entities.
pub fn tokens(text: &str) -> Vec<Token> {
    struct Tokens(RefCell<Vec<Token>>);
    impl TokenSink for Tokens {
        type Handle = ();

        fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
            self.0.borrow_mut().push(token);
            TokenSinkResult::Continue
        }
    }
    let queue = BufferQueue::default();
    queue.push_back(text.into());
    let tokenizer =
        Tokenizer::new(Tokens(RefCell::default()), TokenizerOpts::default());
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

fn is_left_out(tag: &Tag) -> bool {
    ["script", "button", "input"].contains(&&*tag.name)
        || matches!(value(tag, "class").as_deref(), Some("live" | "boring" | "report"))
}

/// How an element begins and ends: both are empty if only what is in it stays.
fn element(
    tag: &Tag,
    is_empty: bool,
    page: &str,
    names: &BTreeSet<String>,
) -> (String, String) {
    let name = &*tag.name;
    let link = value(tag, "href").map(|link| leads(page, &link, names));
    if link == Some(None) || value(tag, "class").as_deref() == Some("header") {
        return Default::default();
    }
    // In EPUB these attributes belong to an element `mstyle`.
    let styles = |attribute: &&Attribute| {
        ["mfrac", "mtable"].contains(&name)
            && ["displaystyle", "scriptlevel"].contains(&&*attribute.name.local)
    };
    let (styles, attributes): (Vec<_>, Vec<_>) = tag.attrs.iter().partition(styles);
    let mut start = format!("<{name}");
    let mut end = format!("</{name}>");
    if !styles.is_empty() {
        let each = styles.iter();
        let each = each.map(|one| format!(" {}=\"{}\"", one.name.local, one.value));
        start = format!("<mstyle{}><{name}", each.collect::<String>());
        end += "</mstyle>";
    }
    match name {
        "svg" => start += " xmlns=\"http://www.w3.org/2000/svg\"",
        "math" => start += " xmlns=\"http://www.w3.org/1998/Math/MathML\"",
        _ => {}
    }
    for attribute in attributes {
        let key = &*attribute.name.local;
        if key == "xmlns" || key.starts_with("data-") {
            continue;
        }
        let cased = CASES.iter().find(|name| name.eq_ignore_ascii_case(key));
        let value = match (key, &link) {
            ("href", Some(Some(link))) => link.clone(),
            _ => without_variables(&attribute.value),
        };
        start += &format!(" {}=\"{}\"", cased.unwrap_or(&key), escape(&value));
    }
    // Not every reader can open them.
    if name == "details" {
        start += " open=\"open\"";
    }
    start += if is_empty { "/>" } else { ">" };
    (start, end)
}

/// Where a link on a page leads here, if anywhere.
fn leads(page: &str, link: &str, names: &BTreeSet<String>) -> Option<String> {
    if is_elsewhere(link) || link.starts_with('#') {
        return Some(link.to_string());
    }
    let (path, anchor) = link.split_at(link.find('#').unwrap_or(link.len()));
    names.contains(&beside(page, path)).then(|| renamed(path) + anchor)
}

fn value(tag: &Tag, name: &str) -> Option<String> {
    let found = tag.attrs.iter().find(|one| &*one.name.local == name);
    found.map(|attribute| attribute.value.to_string())
}

/// `var(--plot-1, #0072B2)` as the colour that it is without a theme.
fn without_variables(value: &str) -> String {
    let colour = value.strip_prefix("var(").and_then(|rest| rest.strip_suffix(')'));
    let colour = colour.and_then(|inner| inner.split_once(','));
    colour.map_or(value, |(_, colour)| colour.trim()).to_string()
}
