//! What is done to the pages that mdBook has made, before they are checked:
//! each says what it is about, waits for no script, fetches the font of the
//! formulas only if it has one, can be entered past its navigation, and knows
//! where the scripts of its live figures are.

use crate::address::Address;
use crate::highlight::escape;
use crate::html::files;
use crate::live;
use crate::search;
use std::fs;
use std::io;
use std::path::Path;

/// Longer descriptions are cut by those who show them.
const DESCRIPTION: usize = 160;

/// What mdBook puts between the pages of the one for the printer.
const BREAK: &str =
    "<div style=\"break-before: page; page-break-before: always;\"></div>";

/// Finishes all pages in `folder`, of the book in `root`.
///
/// # Errors
/// One of them cannot be read or written.
pub fn finish(root: &Path, folder: &Path) -> io::Result<()> {
    let address = Address::from_environment();
    let mut pages = files(folder, "");
    pages.retain(|name| name.ends_with(".html"));
    pages.sort();
    search::define(folder, &pages)?;
    address.announce(root, folder, &pages)?;
    for name in &pages {
        let path = folder.join(name);
        let text = fs::read_to_string(&path)?;
        // The table of contents without scripts is no page.
        if text.contains("<main>") {
            let text =
                if name == "print.html" { without_programs(&text) } else { text };
            let page = live::linked(name, &finished(&text));
            fs::write(&path, address.on_page(name, page))?;
        }
    }
    Ok(())
}

/// The page for the printer without the pages of programs. Links to them become
/// plain text.
fn without_programs(page: &str) -> String {
    let Some((before, rest)) = page.split_once("<main>") else { return page.into() };
    let Some((main, after)) = rest.split_once("</main>") else { return page.into() };
    let pages: Vec<&str> = main.split(BREAK).collect();
    let is_program = |page: &&&str| page.contains("<div class=\"program\">");
    let kept: Vec<&str> =
        pages.iter().filter(|page| !is_program(page)).copied().collect();
    let mut main = kept.join(BREAK);
    for program in pages.iter().filter(is_program) {
        for id in program.split(" id=\"").skip(1) {
            let id = id.split('"').next().unwrap_or_default();
            main = without_link(&main, &format!("<a href=\"#{id}\">"));
        }
    }
    format!("{before}<main>{main}</main>{after}")
}

fn without_link(page: &str, start: &str) -> String {
    let mut parts = page.split(start);
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |out, part| out + &part.replacen("</a>", "", 1))
}

fn finished(page: &str) -> String {
    let (head, body) = page.split_once("</head>").unwrap_or(("", page));
    let main = body.split_once("<main>").map_or("", |(_, rest)| rest);
    let main = main.split_once("</main>").map_or(main, |(main, _)| main);
    let mut head = head.replace("<script src=", "<script defer src=");
    if !main.contains("<math") {
        head = without_preload(&head);
    }
    if let Some(text) = description(main) {
        head = described(&head, &text);
    }
    // Links of the page for what is missing begin at a base, not at itself.
    let skip = match head.contains("<base ") {
        true => "<body>",
        false => {
            "<body>\n<a class=\"skip\" href=\"#mdbook-content\">Skip to the text</a>"
        }
    };
    let body = body.replace("<script src=", "<script defer src=");
    let body = body.replacen("<body>", skip, 1);
    format!("{head}</head>{body}")
}

fn without_preload(head: &str) -> String {
    let keep = |line: &&str| !line.contains("rel=\"preload\"");
    head.split_inclusive('\n').filter(keep).collect()
}

fn described(head: &str, text: &str) -> String {
    let start = "<meta name=\"description\" content=\"";
    let Some((before, rest)) = head.split_once(start) else { return head.to_string() };
    let Some((_, after)) = rest.split_once('"') else { return head.to_string() };
    format!("{before}{start}{}\"{after}", escape(text))
}

/// The first paragraph of a page, in plain words.
fn description(main: &str) -> Option<String> {
    let (_, rest) = main.split_once("<p>")?;
    let (paragraph, _) = rest.split_once("</p>")?;
    let mut text = String::new();
    let mut in_tag = false;
    for c in paragraph.chars() {
        match c {
            '<' => in_tag = true,
            '>' => in_tag = false,
            c if !in_tag => text.push(c),
            _ => {}
        }
    }
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    let text = text.replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&");
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| shortened(&words.join(" ")))
}

/// As many whole sentences as there is room for, or words if there is none
/// for one.
fn shortened(text: &str) -> String {
    let mut end = 0;
    let mut sentence = 0;
    for (at, _) in text.match_indices(' ').chain([(text.len(), "")]) {
        if text[..at].chars().count() > DESCRIPTION {
            break;
        }
        end = at;
        if text[..at].ends_with(['.', '?', '!']) {
            sentence = at;
        }
    }
    match (sentence, end) {
        (0, end) if end < text.len() => format!("{} …", &text[..end]),
        (0, _) => text.to_string(),
        (sentence, _) => text[..sentence].to_string(),
    }
}
