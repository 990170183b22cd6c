//! What must not be in a page: scripts, and anything that a browser would
//! fetch from another host.

use html5ever::TokenizerResult;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer,
    TokenizerOpts,
};
use std::cell::RefCell;

/// Elements that run something, load something, or change the page around
/// them.
const ELEMENTS: [&str; 13] = [
    "script", "style", "object", "embed", "iframe", "frame", "frameset", "applet",
    "link", "meta", "base", "form", "portal",
];

/// Attributes whose value is fetched with the page.
const LOADS: [&str; 8] =
    ["src", "srcset", "poster", "data", "background", "imagesrcset", "ping", "icon"];

/// What is wrong with HTML in a page, each with its line in `text`, counted
/// from 1.
pub fn html(text: &str) -> Vec<(usize, String)> {
    let mut faults = tags(text);
    if let Some(at) = open_comment(text) {
        let line = 1 + text[..at].matches('\n').count();
        faults.push((line, "this comment is not closed".to_string()));
    }
    faults
}

/// Where a comment begins that is not closed.
pub fn open_comment(text: &str) -> Option<usize> {
    let mut passed = 0;
    while let Some(at) = text[passed..].find("<!--") {
        let at = passed + at;
        match text[at..].find("-->") {
            Some(end) => passed = at + end + 3,
            None => return Some(at),
        }
    }
    None
}

fn tags(text: &str) -> Vec<(usize, String)> {
    let queue = BufferQueue::default();
    queue.push_back(text.into());
    let tokenizer = Tokenizer::new(Reader::default(), TokenizerOpts::default());
    while let TokenizerResult::Script(()) = tokenizer.feed(&queue) {}
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

#[derive(Default)]
struct Reader(RefCell<Vec<(usize, String)>>);

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = token else { return TokenSinkResult::Continue };
        if tag.kind != TagKind::StartTag {
            return TokenSinkResult::Continue;
        }
        let mut faults = self.0.borrow_mut();
        let line = line as usize;
        faults.extend(tag_faults(&tag).into_iter().map(|text| (line, text)));
        match &*tag.name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" => TokenSinkResult::RawData(RawKind::Rawtext),
            _ => TokenSinkResult::Continue,
        }
    }
}

fn tag_faults(tag: &Tag) -> Vec<String> {
    if ELEMENTS.contains(&&*tag.name) {
        return vec![format!("<{}> does not belong into a page", tag.name)];
    }
    let each = tag.attrs.iter();
    each.filter_map(|a| attribute(&a.name.local, &a.value)).collect()
}

/// What is wrong with an attribute of HTML or SVG.
pub fn attribute(name: &str, value: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    if name.starts_with("on") {
        return Some(format!("{name}= runs a script"));
    }
    if name == "style" && fetches(value) {
        return Some("style= loads something".to_string());
    }
    if LOADS.contains(&&*name) {
        let parts = value.split([',', ' ', '\n']);
        let mut other = parts.filter(|part| is_elsewhere(part));
        return other.next().map(|host| format!("{host} is loaded from another host"));
    }
    if matches!(&*name, "href" | "xlink:href" | "action" | "formaction" | "cite") {
        return link(value);
    }
    None
}

/// What is wrong with the target of a link: only pages and mail are.
pub fn link(target: &str) -> Option<String> {
    let plain: String =
        target.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let end = plain.find([':', '/', '?', '#'])?;
    if !plain[end..].starts_with(':') {
        return None;
    }
    let scheme = plain[..end].to_ascii_lowercase();
    match scheme.as_str() {
        "http" | "https" | "mailto" => None,
        scheme => Some(format!("a link to {scheme}: does not belong into a page")),
    }
}

/// Whether an address names a scheme or a host.
pub fn is_elsewhere(address: &str) -> bool {
    let address = address.trim();
    let scheme = address.split(['/', '?', '#']).next().unwrap_or_default();
    address.starts_with("//") || scheme.contains(':') && !scheme.starts_with("data:")
}

/// Whether a style fetches anything that is not a part of the page itself.
fn fetches(style: &str) -> bool {
    style_targets(style).iter().any(|target| !target.starts_with('#'))
}

/// The addresses in styles that are on another host.
pub fn foreign(styles: &str) -> Vec<String> {
    let mut found = style_targets(styles);
    found.retain(|target| is_elsewhere(target));
    found
}

/// All addresses that `url(…)` and `@import` name.
fn style_targets(styles: &str) -> Vec<String> {
    let styles = without_escapes(&without_comments(styles));
    let lower = styles.to_ascii_lowercase();
    let mut found = Vec::new();
    for key in ["url(", "@import", "image-set(", "image("] {
        for (at, _) in lower.match_indices(key) {
            let rest = styles[at + key.len()..].trim_start();
            let rest = rest.trim_start_matches(['"', '\'']);
            let end = rest.find(['"', '\'', ')', ';', ' ']).unwrap_or(rest.len());
            let target = rest[..end].trim();
            // `@import url(…)` is found by its url.
            if !target.is_empty() && !target.to_ascii_lowercase().starts_with("url(") {
                found.push(target.to_string());
            }
        }
    }
    found
}

fn without_comments(styles: &str) -> String {
    let mut out = String::new();
    let mut rest = styles;
    while let Some(at) = rest.find("/*") {
        out.push_str(&rest[..at]);
        out.push(' ');
        let end = rest[at + 2..].find("*/").map_or(rest.len(), |end| at + end + 4);
        rest = &rest[end..];
    }
    out + rest
}

/// `\75rl(` is `url(` to a browser.
fn without_escapes(styles: &str) -> String {
    let mut out = String::new();
    let mut rest = styles.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let mut code = String::new();
        while code.len() < 6
            && let Some(&digit) = rest.peek()
            && digit.is_ascii_hexdigit()
        {
            code.push(digit);
            rest.next();
        }
        if code.is_empty() {
            out.extend(rest.next());
            continue;
        }
        rest.next_if(|c| c.is_whitespace());
        let code = u32::from_str_radix(&code, 16).unwrap_or_default();
        out.extend(char::from_u32(code));
    }
    out
}

/// What is wrong with a figure, each with its line.
pub fn svg(text: &str) -> Vec<(usize, String)> {
    let tree = match roxmltree::Document::parse(text) {
        Ok(tree) => tree,
        Err(error) => {
            return vec![(error.pos().row as usize, format!("is no SVG: {error}"))];
        }
    };
    let mut faults = Vec::new();
    for node in tree.descendants().filter(|node| node.is_element()) {
        // Counting lines is slow: only where something is wrong.
        let line = || tree.text_pos_at(node.range().start).row as usize;
        let name = node.tag_name().name();
        let foreign =
            ["script", "style", "foreignObject", "handler", "listener", "set"];
        if foreign.contains(&name) || ELEMENTS.contains(&name) {
            let text = format!("<{name}> in a figure reaches the whole page");
            faults.push((line(), text));
        }
        for a in node.attributes() {
            let fault = match a.name() {
                "href" if !a.value().trim_start().starts_with('#') => {
                    Some(format!("a figure does not lead to {}", a.value()))
                }
                name => attribute(name, a.value()),
            };
            let fault = fault.or_else(|| {
                fetches(a.value()).then(|| format!("{}= loads something", a.name()))
            });
            faults.extend(fault.map(|text| (line(), text)));
        }
    }
    if tree.root_element().tag_name().name() != "svg" {
        faults.push((1, "is not one <svg> element".to_string()));
    }
    faults
}
