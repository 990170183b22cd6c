//! Checks over the built pages: links, anchors, alt texts, and what should
//! not be left in them.

use crate::problem::Problem;
use crate::safe::is_elsewhere;
use crate::sources::Sources;
use html5ever::TokenizerResult;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer,
    TokenizerOpts,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

/// What the checks need to know of one page.
#[derive(Default)]
struct Page {
    ids: HashSet<String>,
    /// Where the page leads to, as written.
    links: Vec<String>,
    /// What the browser loads with the page, as written.
    loads: Vec<String>,
    /// Relative links start here; empty for the page's own folder.
    base: String,
    /// Problems that can be seen without other pages, each with what to
    /// look for in the source.
    faults: Vec<(String, Vec<String>)>,
    /// The text of the block of code that is being read.
    code: Option<String>,
}

/// All pages under `folder`, checked. `sources` tells which line of Markdown
/// is to blame.
pub fn check(folder: &Path, sources: &Sources) -> Vec<Problem> {
    let pages = read(folder);
    let mut problems = Vec::new();
    for (name, page) in &pages {
        for (text, clues) in &page.faults {
            let clues: Vec<&str> = clues.iter().map(|c| c.as_str()).collect();
            problems.push(sources.problem(name, &clues, text));
        }
        for link in page.links.iter().chain(&page.loads) {
            if let Some(text) = dead(folder, &pages, name, page, link) {
                let markdown = link.replace(".html", ".md");
                let end = link.rfind('#').map_or("", |at| &link[at..]);
                let clues = [&markdown, link.as_str(), end];
                problems.push(sources.problem(name, &clues, &text));
            }
        }
        for link in page.loads.iter().filter(|link| is_elsewhere(link)) {
            let text = format!("{link} is loaded from another host");
            problems.push(sources.problem(name, &[link], &text));
        }
    }
    problems
}

/// What each page makes a browser load: the page itself, and the styles,
/// scripts, fonts and images it names.
pub fn loads(folder: &Path) -> Vec<(String, Vec<String>)> {
    let with_files = |(name, page): (String, Page)| {
        let files = page.loads.iter().filter(|link| !is_elsewhere(link));
        let files = files.map(|link| resolve(&name, &page.base, link).0);
        let mut files: Vec<String> = files.collect();
        files.push(name.clone());
        files.sort();
        files.dedup();
        (name, files)
    };
    read(folder).into_iter().map(with_files).collect()
}

fn read(folder: &Path) -> BTreeMap<String, Page> {
    let mut pages = BTreeMap::new();
    for name in files(folder, "") {
        // All pages in one: what is wrong there is wrong where it is from.
        if name.ends_with(".html")
            && name != "print.html"
            && let Ok(text) = fs::read_to_string(folder.join(&name))
        {
            pages.insert(name, parse(&text));
        }
    }
    pages
}

/// All files under `folder`, from there, with forward slashes.
pub fn files(folder: &Path, prefix: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.path() {
            path if path.is_dir() => {
                found.extend(files(&path, &format!("{name}/")));
            }
            _ => found.push(name),
        }
    }
    found
}

fn parse(text: &str) -> Page {
    let queue = BufferQueue::default();
    queue.push_back(text.into());
    let options = TokenizerOpts::default();
    let tokenizer = Tokenizer::new(Reader::default(), options);
    while let TokenizerResult::Script(()) = tokenizer.feed(&queue) {}
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

#[derive(Default)]
struct Reader(RefCell<Page>);

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut page = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                page.start(&tag);
                return match &*tag.name {
                    "script" => TokenSinkResult::RawData(RawKind::ScriptData),
                    "style" => TokenSinkResult::RawData(RawKind::Rawtext),
                    _ => TokenSinkResult::Continue,
                };
            }
            Token::TagToken(tag) if &*tag.name == "pre" => page.end_code(),
            Token::CharacterTokens(text) => page.text(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Page {
    fn start(&mut self, tag: &Tag) {
        for attribute in &tag.attrs {
            self.unresolved(&attribute.value);
        }
        if let Some(id) = value(tag, "id")
            && !self.ids.insert(id.clone())
        {
            let text = format!("the id {id} is there twice");
            let clues = [format!("id=\"{id}\""), format!("{{#{id}"), id];
            self.faults.push((text, clues.to_vec()));
        }
        let href = value(tag, "href");
        match &*tag.name {
            "base" => self.base = href.unwrap_or_default(),
            "a" | "area" => self.links.extend(href),
            "link" if value(tag, "rel").is_some_and(|rel| rel == "canonical") => {}
            "link" => self.loads.extend(href),
            "pre" => self.code = Some(String::new()),
            _ => {}
        }
        self.loads.extend(value(tag, "src"));
        self.described(tag);
    }

    /// Whether an image says in words what it shows.
    fn described(&mut self, tag: &Tag) {
        let has = |name| value(tag, name).is_some_and(|text| !text.is_empty());
        let is_img = value(tag, "role").is_some_and(|role| role == "img");
        match &*tag.name {
            "img" if value(tag, "alt").is_none() => {
                let src = value(tag, "src").unwrap_or_default();
                self.fault(format!("{src} has no alt text"), &src);
            }
            "svg" if is_img && !has("aria-label") => {
                let text = "a figure has no alt text".to_string();
                self.fault(text, "role=\"img\"");
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        match &mut self.code {
            // Programs may have anything between braces.
            Some(code) => code.push_str(text),
            None => self.unresolved(text),
        }
    }

    fn end_code(&mut self) {
        let code = self.code.take();
        if code.is_some_and(|code| code.trim().is_empty()) {
            self.fault("empty code block".to_string(), "");
        }
    }

    fn unresolved(&mut self, text: &str) {
        if let Some(at) = text.find("{{#") {
            let clue: String = text[at..].chars().take_while(|&c| c != '}').collect();
            self.fault(format!("{clue}}}}} is left in the page"), &clue);
        }
    }

    fn fault(&mut self, text: String, clue: &str) {
        self.faults.push((text, vec![clue.to_string()]));
    }
}

/// What an attribute of a tag says.
pub fn value(tag: &Tag, name: &str) -> Option<String> {
    let found = tag.attrs.iter().find(|a| &*a.name.local == name);
    found.map(|attribute| attribute.value.to_string())
}

/// The file and the anchor that a link means, seen from the page `name`.
pub fn resolve(name: &str, base: &str, link: &str) -> (String, String) {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = decode(path.split('?').next().unwrap_or_default());
    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
    let whole = match path.strip_prefix('/') {
        Some(rest) => rest.to_string(),
        None if path.is_empty() && base.is_empty() => name.to_string(),
        None if base.is_empty() => format!("{folder}/{path}"),
        // The base is where the book is published: the folder itself.
        None => path,
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    (parts.join("/"), decode(anchor))
}

/// `%20` and the like as the bytes they stand for.
pub fn decode(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let hex = tail.get(..2).filter(|_| byte == b'%');
        let hex = hex.and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(decoded) => {
                out.push(decoded);
                rest = &tail[2..];
            }
            None => {
                out.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Why a link inside the book leads nowhere.
fn dead(
    folder: &Path,
    pages: &BTreeMap<String, Page>,
    name: &str,
    page: &Page,
    link: &str,
) -> Option<String> {
    // The page for what is missing stands under any address: its links begin
    // at a base, and those to its own headings are mdBook's affair.
    let own = !page.base.is_empty() && link.starts_with('#');
    if own || is_elsewhere(link) || link.starts_with("data:") {
        return None;
    }
    let (mut file, anchor) = resolve(name, &page.base, link);
    if folder.join(&file).is_dir() {
        file = format!("{file}/index.html").trim_matches('/').to_string();
    }
    let shown = link.replace(".html", ".md");
    match pages.get(&file) {
        None if folder.join(&file).is_file() => None,
        None => Some(format!("dead link {shown}")),
        Some(_) if anchor.is_empty() => None,
        Some(to) if to.ids.contains(&anchor) => None,
        Some(_) => Some(format!("dead link {shown}: no heading #{anchor}")),
    }
}
