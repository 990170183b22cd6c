//! HTML and SVG that stand in a page as they are: their ids and links, and what
//! must not be in them, scripts and whatever a browser would fetch from another
//! host.

use html5ever::TokenizerResult;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer,
    TokenizerOpts,
};
use std::cell::RefCell;

/// Elements that run something, load something, or change the page around
/// them.
const ELEMENTS: [&str; 11] = [
    "script", "style", "object", "embed", "iframe", "link", "meta", "base", "form",
    "set", "animate",
];

/// What is in a piece of HTML, each with its line, counted from 1.
#[derive(Default)]
pub struct Html {
    /// What is wrong with it.
    pub faults: Vec<(usize, String)>,
    /// Its ids.
    pub ids: Vec<(usize, String)>,
    /// Where it leads, and which images it loads.
    pub links: Vec<(usize, String)>,
}

impl Html {
    /// Reads HTML or SVG.
    pub fn new(text: &str) -> Self {
        let queue = BufferQueue::default();
        queue.push_back(text.into());
        let tokenizer = Tokenizer::new(Reader::default(), TokenizerOpts::default());
        while let TokenizerResult::Script(()) = tokenizer.feed(&queue) {}
        tokenizer.end();
        tokenizer.sink.0.into_inner()
    }

    fn start(&mut self, line: usize, tag: &Tag) {
        self.faults.extend(fault(tag).map(|text| (line, text)));
        self.ids.extend(value(tag, "id").map(|id| (line, id)));
        let is_link = matches!(&*tag.name, "a" | "area");
        let link = if is_link { value(tag, "href") } else { value(tag, "src") };
        if tag.name == *"img" && value(tag, "alt").is_none() {
            let src = link.clone().unwrap_or_default();
            self.faults.push((line, format!("{src} has no alt text")));
        }
        self.links.extend(link.map(|link| (line, link)));
    }
}

#[derive(Default)]
struct Reader(RefCell<Html>);

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        if let Token::TagToken(tag) = token
            && tag.kind == TagKind::StartTag
        {
            self.0.borrow_mut().start(line as usize, &tag);
        }
        TokenSinkResult::Continue
    }
}

/// The tokenizer gives all names in lower case.
fn fault(tag: &Tag) -> Option<String> {
    if ELEMENTS.contains(&&*tag.name) {
        return Some(format!("<{}> does not belong into a page", tag.name));
    }
    tag.attrs.iter().find_map(|attribute| {
        let (name, value) = (&*attribute.name.local, &*attribute.value);
        match name {
            "alt" | "title" | "aria-label" => None,
            "href" if matches!(&*tag.name, "a" | "area") => None,
            name if name.starts_with("xmlns") => None,
            name if name.starts_with("on") => Some(format!("{name}= runs a script")),
            _ => loads(value).then(|| format!("{value} is loaded from another host")),
        }
    })
}

/// What an attribute of a tag says.
pub fn value(tag: &Tag, name: &str) -> Option<String> {
    let found = tag.attrs.iter().find(|a| &*a.name.local == name);
    found.map(|attribute| attribute.value.to_string())
}

/// Whether a link leads out of the book.
pub fn is_elsewhere(link: &str) -> bool {
    ["https://", "http://", "mailto:", "data:"]
        .iter()
        .any(|start| link.starts_with(start))
}

/// Whether the value of an attribute makes a browser fetch something from
/// elsewhere: an address, a list of them, or a style.
fn loads(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    value.split([' ', ',', '(', '"', '\'']).any(|part| {
        ["http:", "https:", "//"].iter().any(|start| part.starts_with(start))
    })
}
