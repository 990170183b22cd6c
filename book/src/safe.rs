//! What must not be in a page or a figure: scripts, and anything that a browser
//! would fetch from another host.

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
    "script",
    "style",
    "object",
    "embed",
    "iframe",
    "frame",
    "link",
    "meta",
    "base",
    "form",
    "foreignobject",
    "set",
    "animate",
];

/// What is wrong with HTML or SVG, each with its line in `text`, counted from 1.
pub fn faults(text: &str) -> Vec<(usize, String)> {
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
        if tag.kind == TagKind::StartTag
            && let Some(text) = fault(&tag)
        {
            self.0.borrow_mut().push((line as usize, text));
        }
        match &*tag.name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" => TokenSinkResult::RawData(RawKind::Rawtext),
            _ => TokenSinkResult::Continue,
        }
    }
}

/// The tokenizer gives all names in lower case.
fn fault(tag: &Tag) -> Option<String> {
    if ELEMENTS.contains(&&*tag.name) {
        return Some(format!("<{}> does not belong into a page", tag.name));
    }
    let is_link = matches!(&*tag.name, "a" | "area");
    tag.attrs.iter().find_map(|attribute| {
        let (name, value) = (&*attribute.name.local, &*attribute.value);
        match name {
            "alt" | "title" | "aria-label" => None,
            name if name.starts_with("xmlns") => None,
            name if name.starts_with("on") => Some(format!("{name}= runs a script")),
            "href" if is_link => link(value),
            _ => loads(value).then(|| format!("{value} is loaded from another host")),
        }
    })
}

/// What is wrong with the target of a link: only pages and mail are.
pub fn link(target: &str) -> Option<String> {
    let (scheme, _) = target.split_once(':')?;
    let scheme = scheme.trim().to_ascii_lowercase();
    match scheme.as_str() {
        "http" | "https" | "mailto" => None,
        scheme if scheme.contains(['/', '?', '#']) => None,
        scheme => Some(format!("a link to {scheme}: does not belong into a page")),
    }
}

/// Whether an address names a scheme or a host.
pub fn is_elsewhere(address: &str) -> bool {
    let address = address.trim();
    let scheme = address.split(['/', '?', '#']).next().unwrap_or_default();
    address.starts_with("//") || scheme.contains(':') && !scheme.starts_with("data:")
}

/// Whether the value of an attribute makes a browser fetch something from
/// elsewhere: an address, a list of them, or a style.
fn loads(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    ["http:", "https:", "javascript:"].iter().any(|scheme| value.contains(scheme))
        || value.split([' ', ',', '(', '"', '\'']).any(|part| part.starts_with("//"))
}
