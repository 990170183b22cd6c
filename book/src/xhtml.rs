//! A built page as XHTML, for readers without scripts.

use crate::epub::renamed;
use crate::highlight::escape;
use crate::problem::short;
use crate::safe::{is_elsewhere, value};
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer,
    TokenizerOpts,
};
use html5ever::{Attribute, TokenizerResult};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

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
    let writer =
        Writer { name, names, out: RefCell::default(), open: RefCell::default() };
    let queue = BufferQueue::default();
    queue.push_back(text.into());
    let tokenizer = Tokenizer::new(writer, TokenizerOpts::default());
    while let TokenizerResult::Script(()) = tokenizer.feed(&queue) {}
    tokenizer.end();
    tokenizer.sink.out.into_inner()
}

/// What becomes of an element that is open.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Written,
    /// In an element `mstyle`, to which its style belongs in EPUB.
    Styled,
    /// Only what is in it.
    Unwrapped,
    /// And all that is in it.
    LeftOut,
}

struct Writer<'a> {
    name: &'a str,
    names: &'a BTreeSet<String>,
    out: RefCell<String>,
    open: RefCell<Vec<Fate>>,
}

impl TokenSink for Writer<'_> {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => self.start(&tag),
            Token::TagToken(tag) => {
                let end = match self.open.borrow_mut().pop() {
                    Some(Fate::Written) => format!("</{}>", tag.name),
                    Some(Fate::Styled) => format!("</{}></mstyle>", tag.name),
                    _ => return TokenSinkResult::Continue,
                };
                self.out.borrow_mut().push_str(&end);
            }
            Token::CharacterTokens(text) if !self.left_out() => {
                self.out.borrow_mut().push_str(&escape(&text));
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Writer<'_> {
    fn left_out(&self) -> bool {
        self.open.borrow().last() == Some(&Fate::LeftOut)
    }

    fn start(&self, tag: &Tag) {
        let name = &*tag.name;
        let link = value(tag, "href").map(|link| self.link(&link));
        let fate = match value(tag, "class").as_deref() {
            _ if self.left_out() => Fate::LeftOut,
            Some("live" | "boring" | "report") => Fate::LeftOut,
            Some("header") => Fate::Unwrapped,
            _ if ["script", "button", "input"].contains(&name) => Fate::LeftOut,
            _ if link == Some(None) => Fate::Unwrapped,
            _ if ["mfrac", "mtable"].contains(&name)
                && tag.attrs.iter().any(styles) =>
            {
                Fate::Styled
            }
            _ => Fate::Written,
        };
        let empty = tag.self_closing || VOID.contains(&name);
        if !empty {
            self.open.borrow_mut().push(fate);
        }
        let mut text = match fate {
            Fate::Written => format!("<{name}"),
            Fate::Styled => {
                let each = tag.attrs.iter().filter(|attribute| styles(attribute));
                let each =
                    each.map(|one| format!(" {}=\"{}\"", one.name.local, one.value));
                format!("<mstyle{}><{name}", each.collect::<String>())
            }
            _ => return,
        };
        let spaces = [
            ("svg", "http://www.w3.org/2000/svg"),
            ("math", "http://www.w3.org/1998/Math/MathML"),
        ];
        if let Some((_, space)) = spaces.iter().find(|(of, _)| *of == name) {
            text += &format!(" xmlns=\"{space}\"");
        }
        for attribute in &tag.attrs {
            let key = &*attribute.name.local;
            let moved = fate == Fate::Styled && styles(attribute);
            if key == "xmlns" || key.starts_with("data-") || moved {
                continue;
            }
            let cased = CASES.iter().find(|name| name.eq_ignore_ascii_case(key));
            let value = match (key, &link) {
                ("href", Some(Some(link))) => link.clone(),
                _ => without_variables(&attribute.value),
            };
            text += &format!(" {}=\"{}\"", cased.unwrap_or(&key), escape(&value));
        }
        // Not every reader can open them.
        if name == "details" {
            text += " open=\"open\"";
        }
        text += if empty { "/>" } else { ">" };
        self.out.borrow_mut().push_str(&text);
    }

    /// Where a link leads here, if anywhere.
    fn link(&self, link: &str) -> Option<String> {
        if is_elsewhere(link) || link.starts_with('#') {
            return Some(link.to_string());
        }
        let (path, anchor) = link.split_at(link.find('#').unwrap_or(link.len()));
        let file = short(Path::new(""), &Path::new(self.name).with_file_name(path));
        self.names.contains(&file).then(|| renamed(path) + anchor)
    }
}

fn styles(attribute: &Attribute) -> bool {
    ["displaystyle", "scriptlevel"].contains(&&*attribute.name.local)
}

/// `var(--plot-1, #0072B2)` as the colour that it is without a theme.
fn without_variables(value: &str) -> String {
    let colour = value.strip_prefix("var(").and_then(|rest| rest.strip_suffix(')'));
    let colour = colour.and_then(|inner| inner.split_once(','));
    colour.map_or(value, |(_, colour)| colour.trim()).to_string()
}
