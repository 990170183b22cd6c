//! What is done to the pages that mdBook has made, before they are checked:
//! each says what it is about, waits for no script, fetches the font of the
//! formulas only if it has one, can be entered past its navigation, and knows
//! where the scripts of its live figures are.

use crate::address::{Address, is_elsewhere};
use crate::highlight::escape;
use crate::listing::Files;
use crate::live;
use crate::notices::NOTICES;
use crate::problem::beside;
use crate::root::both;
use crate::search;
use crate::words::{CHINESE, ENGLISH, Words, in_chinese, is_han, other};
use crate::xhtml::tokens;
use anyhow::{Context, Result};
use html5ever::tokenizer::Token;
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// What mdBook puts between the pages of the one for the printer.
const BREAK: &str =
    "<div style=\"break-before: page; page-break-before: always;\"></div>";

/// Whose book it is, and how it may be used.
const ABOUT: &str = "about.html";
const LICENCE: &str = "https://creativecommons.org/licenses/by/4.0/";

/// The styles of mdBook's own highlighter, which its script turns on and off.
const STYLES: [&str; 3] =
    ["mdbook-highlight-css", "mdbook-tomorrow-night-css", "mdbook-ayu-highlight-css"];

/// Finishes all pages in `folder`, of the book in `root`, and puts beside them what
/// their live figures load.
///
/// # Errors
/// One of them cannot be read or written, or mdBook writes its pages in another
/// way than it did.
pub fn finish(root: &Path, folder: &Path) -> Result<()> {
    let address = Address::from_environment();
    let pages = Files::new(folder).under("", ".html");
    address.announce(root, folder, &pages)?;
    share(folder)?;
    let (chinese, english): (Vec<_>, Vec<_>) =
        pages.into_iter().partition(|name| name.starts_with(CHINESE.folder));
    let edition = |words: &'static Words, pages: &[String]| -> Result<()> {
        search::define(&folder.join(words.folder), words.about.is_some())?;
        for name in pages {
            let path = folder.join(name);
            let mut page = fs::read_to_string(&path)?;
            if words.about.is_some() {
                page = in_chinese(&page);
            }
            // The table of contents without scripts is no page.
            if !name.ends_with("toc.html") {
                page = finished(words, name, &page)
                    .with_context(|| format!("{name} of mdBook"))?;
                page = live::linked(name, &page);
                if folder.join(words.folder).join(ABOUT).is_file() {
                    page = with_foot(words, name, &page)?;
                }
                if folder.join(other(name).0).is_file() {
                    page = address.with_languages(name, &with_other(name, &page)?);
                }
                page = address.on_page(name, page, words)?;
            }
            fs::write(&path, shared(folder, name, &page))?;
        }
        Ok(())
    };
    let chinese = || edition(&CHINESE, &chinese);
    let (chinese, english) = both(chinese, || edition(&ENGLISH, &english))?;
    chinese.and(english)?;
    Ok(live::copy(root, folder)?)
}

/// A page with a link to it in the other language. Theme's attention.js makes it lead to
/// the heading that is read.
fn with_other(name: &str, page: &str) -> Result<String> {
    let start = "<div class=\"right-buttons\">";
    let (before, _, after) = parts(page, start, "\n")?;
    let up = "../".repeat(name.matches('/').count());
    let (other, Words { language, name, .. }) = other(name);
    Ok(format!(
        "{before}{start}\n<a class=\"language\" lang=\"{language}\" \
         hreflang=\"{language}\" href=\"{up}{other}\">{name}</a>\n{after}"
    ))
}

/// A page with links at its foot: to what is about the book, to its licence, and to
/// those of what its live figures contain.
fn with_foot(words: &Words, name: &str, page: &str) -> Result<String> {
    let end = "</main>\n";
    let (before, _, after) = parts(page, "</main>", "\n")?;
    let here = name.strip_prefix(words.folder).unwrap_or(name);
    let up = "../".repeat(here.matches('/').count());
    let root = "../".repeat(name.matches('/').count());
    let [_, notices] = NOTICES;
    let [about, licence, others] = words.foot;
    Ok(format!(
        "{before}{end}<footer><a href=\"{up}{ABOUT}\">{about}</a> \
         <a rel=\"license\" href=\"{LICENCE}\">{licence}</a> \
         <a href=\"{root}live/{notices}\">{others}</a></footer>\n{after}"
    ))
}

/// Puts mdBook's words in the scripts of the Chinese edition in Chinese, and removes
/// what is in the English one too.
fn share(folder: &Path) -> Result<()> {
    for name in Files::new(&folder.join(CHINESE.folder)).under("", "") {
        let ours = folder.join(CHINESE.folder).join(&name);
        if name.ends_with(".html") {
            continue;
        }
        if name.starts_with("book-") || name.starts_with("searcher-") {
            fs::write(&ours, in_chinese(&fs::read_to_string(&ours)?))?;
        }
        if fs::read(folder.join(&name)).ok() == fs::read(&ours).ok() {
            fs::remove_file(ours)?;
        }
    }
    Ok(())
}

/// A page of the Chinese edition with links to the English one for what only
/// that has.
fn shared(folder: &Path, name: &str, page: &str) -> String {
    if !name.starts_with(CHINESE.folder) {
        return page.to_string();
    }
    let missing = |address: &str| {
        let path = address.split(['#', '?']).next().unwrap_or_default();
        let path = beside(name, path);
        let is_ours = path.starts_with(CHINESE.folder);
        is_ours && !is_elsewhere(address) && !folder.join(path).exists()
    };
    [" href=\"", " src=\""].iter().fold(page.to_string(), |page, key| {
        let mut parts = page.split(key);
        let first = parts.next().unwrap_or_default().to_string();
        parts.fold(first, |out, part| {
            let address = part.split('"').next().unwrap_or_default();
            out + key + if missing(address) { "../" } else { "" } + part
        })
    })
}

/// What is before, between and after two marks.
pub fn parts<'a>(
    page: &'a str,
    start: &str,
    end: &str,
) -> Result<(&'a str, &'a str, &'a str)> {
    let parts = page.split_once(start).and_then(|(before, rest)| {
        let (between, after) = rest.split_once(end)?;
        Some((before, between, after))
    });
    parts.with_context(|| format!("has no {start}…{end}"))
}

fn finished(words: &Words, name: &str, page: &str) -> Result<String> {
    let (head, gap, body) = parts(page, "</head>", "<body>")?;
    let (before, main, after) = parts(body, "<main>", "</main>")?;
    let mut head = head.to_string();
    for id in STYLES {
        let start = format!("<link rel=\"stylesheet\" id=\"{id}\"");
        let (before, _, after) = parts(&head, &start, ">")?;
        head = format!("{before}<style id=\"{id}\"></style>{after}");
    }
    if !main.contains("<math") {
        let needed = |line: &&str| !line.contains("rel=\"preload\"");
        head = head.split_inclusive('\n').filter(needed).collect();
    }
    let about = "<meta name=\"description\" content=\"";
    let (before_about, _, after_about) = parts(&head, about, "\"")?;
    if let Some(text) = description(words, main) {
        head = format!("{before_about}{about}{}\"{after_about}", escape(&text));
    }
    // Links of the page for what is missing begin at a base, not at itself.
    let skip = match name {
        "404.html" => String::new(),
        _ => {
            let text = words.skip;
            format!("\n<a class=\"skip\" href=\"#mdbook-content\">{text}</a>")
        }
    };
    let main = match name.ends_with("print.html") {
        true => higher(&without_programs(main)?),
        false => main.to_string(),
    };
    let page =
        format!("{head}</head>{gap}<body>{skip}{before}<main>{main}</main>{after}");
    parts(&page, "<script src=", ">")?;
    parts(&page, "id=\"mdbook-content\"", ">")?;
    Ok(page.replace("<script src=", "<script defer src="))
}

/// The pages for the printer with what is higher than wide marked: it may take more of
/// a sheet.
fn higher(main: &str) -> String {
    let start = "<svg role=\"img\"";
    let mut figures = main.split(start);
    let first = figures.next().unwrap_or_default().to_string();
    figures.fold(first, |out, figure| {
        let side = |name: &str| {
            let (_, rest) = figure.split_once(&format!(" {name}=\""))?;
            rest.split('"').next()?.trim_end_matches("px").parse::<f64>().ok()
        };
        let is_high = side("height") > side("width");
        out + start + if is_high { " class=\"high\"" } else { "" } + figure
    })
}

/// The pages for the printer without those of programs. Links to them become
/// plain text.
fn without_programs(main: &str) -> Result<String> {
    let program = "<div class=\"program\">";
    if main.contains(program) {
        parts(main, BREAK, program)?;
    }
    let (programs, kept): (Vec<&str>, Vec<&str>) =
        main.split(BREAK).partition(|page| page.contains(program));
    let ids = programs.iter().flat_map(|page| page.split(" id=\"").skip(1));
    let ids: HashSet<&str> = ids.filter_map(|rest| rest.split('"').next()).collect();
    let main = kept.join(BREAK);
    let start = "<a href=\"#";
    let mut links = main.split(start);
    let first = links.next().unwrap_or_default().to_string();
    Ok(links.fold(first, |out, link| match link.split_once("\">") {
        Some((id, text)) if ids.contains(id) => out + &text.replacen("</a>", "", 1),
        _ => out + start + link,
    }))
}

/// The first paragraph of a page, in plain words.
fn description(words: &Words, main: &str) -> Option<String> {
    let (_, rest) = main.split_once("<p>")?;
    let (paragraph, _) = rest.split_once("</p>")?;
    let text: String = tokens(paragraph)
        .iter()
        .filter_map(|token| match token {
            Token::CharacterTokens(text) => Some(&**text),
            _ => None,
        })
        .collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then(|| shortened(&text, words.description))
}

/// As many whole sentences as there is room for, or words if there is none
/// for one.
fn shortened(text: &str, most: usize) -> String {
    let spaces = text.match_indices(' ').map(|(at, _)| at);
    let wide = text.char_indices().filter_map(|(at, c)| {
        let is_wide = is_han(c) || "，。：；？！”）".contains(c);
        is_wide.then_some(at + c.len_utf8())
    });
    let mut ends: Vec<usize> = spaces.chain(wide).chain([text.len()]).collect();
    ends.sort();
    ends.retain(|&end| text[..end].chars().count() <= most);
    let of_sentence =
        |end: &&usize| text[..**end].ends_with(['.', '?', '!', '。', '？', '！']);
    match (ends.iter().rfind(of_sentence), ends.last()) {
        (Some(&end), _) => text[..end].to_string(),
        (None, Some(&end)) if end < text.len() => format!("{} …", &text[..end]),
        _ => text.to_string(),
    }
}
