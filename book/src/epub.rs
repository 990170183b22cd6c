//! The book as an EPUB 3, made of its built pages. Pages of programs are left out.

use crate::finish::parts;
use crate::highlight::escape;
use crate::xhtml::xhtml;
use anyhow::{Context, Result};
use mdbook_driver::config::{BookConfig, Config};
use mdbook_summary::{Link, SummaryItem, parse_summary};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// What is in it beside the pages: the name there, the file here, and its type.
const FILES: [(&str, &str, &str); 3] = [
    ("book.css", "book/theme/epub.css", "text/css"),
    ("attention-math.woff2", "book/en/fonts/attention-math.woff2", "font/woff2"),
    ("cover.png", "book/cover/cover.png", "image/png"),
];

const CONTAINER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles>
<rootfile full-path="book/book.opf" media-type="application/oebps-package+xml"/>
</rootfiles>
</container>
"#;

/// Every edition has the same.
const IDENTIFIER: &str = "urn:uuid:0fb3f208-abc6-8b1e-ba74-dd709921b88c";

/// How it may be used; the page about the book says more.
const RIGHTS: &str = "Text and figures: CC BY 4.0, \
                      https://creativecommons.org/licenses/by/4.0/. \
                      Code: MIT OR Apache-2.0.";

/// What lists the pages.
pub const SUMMARY: &str = "SUMMARY.md";

/// A page of it.
struct Page {
    /// Where it is, `ch10_2/kernels.xhtml`.
    name: String,
    text: String,
}

/// Makes an EPUB of the pages that were built in the folder `pages`.
///
/// # Errors
/// A file cannot be read.
pub fn epub(root: &Path, pages: &Path) -> Result<Vec<u8>> {
    let read = |path: &Path| {
        fs::read(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let text = |path: &Path| Ok::<_, anyhow::Error>(String::from_utf8(read(path)?)?);
    let config: Config = text(&root.join("book.toml"))?.parse()?;
    let about = &config.book;
    let edition = edition(&text(&root.join("CHANGELOG.md"))?)?;
    let items = items(&root.join(&about.src))?;

    let mut sources = Vec::new();
    for link in links(&items) {
        let Some(name) = html(link) else { continue };
        let page = text(&pages.join(&name))?;
        if !page.contains("<div class=\"program\">") {
            sources.push((name, &link.name, page));
        }
    }
    let names: BTreeSet<String> =
        sources.iter().map(|(name, ..)| name.clone()).collect();
    let mut written = vec![cover(about)];
    for (name, title, page) in &sources {
        let (_, main, _) = parts(page, "<main>", "</main>")?;
        let text = document(about, name, title, &xhtml(name, main, &names));
        written.push(Page { name: renamed(name), text });
    }

    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let packed = SimpleFileOptions::default();
    // A reader finds it as plain text at the beginning of the file.
    let plain = packed.compression_method(CompressionMethod::Stored);
    let mut add = |name: &str, bytes: &[u8], options| -> Result<()> {
        zip.start_file(name, options)?;
        Ok(zip.write_all(bytes)?)
    };
    add("mimetype", b"application/epub+zip", plain)?;
    add("META-INF/container.xml", CONTAINER.as_bytes(), packed)?;
    add("book/book.opf", package(about, &edition, &written).as_bytes(), packed)?;
    let contents = format!(
        "<nav epub:type=\"toc\"><h1>Contents</h1>\n<ol>\n{}</ol></nav>\n",
        contents(&items, &names)
    );
    let contents = document(about, "nav.html", "Contents", &contents);
    add("book/nav.xhtml", contents.as_bytes(), packed)?;
    for (name, file, _) in FILES {
        add(&format!("book/{name}"), &read(&root.join(file))?, packed)?;
    }
    for page in &written {
        add(&format!("book/{}", page.name), page.text.as_bytes(), packed)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// The date of the newest edition: the same sources make the same bytes.
fn edition(changes: &str) -> Result<String> {
    let found = changes.lines().find_map(|line| line.strip_prefix("## "));
    found.map(str::to_string).context("CHANGELOG.md has no edition, `## 2026-11-22`")
}

/// What the summary in the folder `src` lists.
///
/// # Errors
/// It cannot be read.
pub fn items(src: &Path) -> Result<Vec<SummaryItem>> {
    let summary = parse_summary(&fs::read_to_string(src.join(SUMMARY))?)?;
    let (before, middle) = (summary.prefix_chapters, summary.numbered_chapters);
    Ok([before, middle, summary.suffix_chapters].concat())
}

/// All pages of a list, in order.
pub fn links(items: &[SummaryItem]) -> Vec<&Link> {
    let mut found = Vec::new();
    for item in items {
        if let SummaryItem::Link(link) = item {
            found.push(link);
            found.extend(links(&link.nested_items));
        }
    }
    found
}

/// The built page, `ch10_2/kernels.html`.
fn html(link: &Link) -> Option<String> {
    let page = link.location.as_ref()?.with_extension("html");
    Some(page.to_str()?.replace('\\', "/"))
}

/// What a built page is called here.
pub fn renamed(name: &str) -> String {
    name.strip_suffix(".html").unwrap_or(name).to_string() + ".xhtml"
}

/// The table of contents; a part without pages is not in it.
fn contents(items: &[SummaryItem], names: &BTreeSet<String>) -> String {
    let mut out = String::new();
    for part in items.chunk_by(|_, next| !matches!(next, SummaryItem::PartTitle(_))) {
        let pages: String = part.iter().filter_map(|item| line(item, names)).collect();
        match &part[0] {
            SummaryItem::PartTitle(title) if !pages.is_empty() => {
                let title = escape(title);
                out += &format!("<li><span>{title}</span>\n<ol>\n{pages}</ol></li>\n");
            }
            _ => out += &pages,
        }
    }
    out
}

/// A page in the table of contents, with those under it.
fn line(item: &SummaryItem, names: &BTreeSet<String>) -> Option<String> {
    let SummaryItem::Link(link) = item else { return None };
    let name = html(link).filter(|name| names.contains(name))?;
    let nested = match contents(&link.nested_items, names) {
        none if none.is_empty() => none,
        nested => format!("\n<ol>\n{nested}</ol>"),
    };
    let (href, text) = (renamed(&name), escape(&link.name));
    Some(format!("<li><a href=\"{href}\">{text}</a>{nested}</li>\n"))
}

fn cover(about: &BookConfig) -> Page {
    let title = about.title.as_deref().unwrap_or_default();
    let body = format!(
        "<p class=\"cover\"><img src=\"cover.png\" alt=\"{}\"/></p>\n",
        escape(title)
    );
    let text = document(about, "cover.html", title, &body);
    Page { name: "cover.xhtml".to_string(), text }
}

/// A page with this body.
fn document(about: &BookConfig, name: &str, title: &str, body: &str) -> String {
    let language = about.language.as_deref().unwrap_or("en");
    let up = "../".repeat(name.matches('/').count());
    let title = escape(title);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html>\n\
         <html xmlns=\"http://www.w3.org/1999/xhtml\" \
         xmlns:epub=\"http://www.idpf.org/2007/ops\" lang=\"{language}\" \
         xml:lang=\"{language}\">\n<head>\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"{up}book.css\"/>\n</head>\n\
         <body>\n{body}</body>\n</html>\n"
    )
}

/// What the book is, what is in it, and in which order.
fn package(about: &BookConfig, edition: &str, pages: &[Page]) -> String {
    let language = about.language.as_deref().unwrap_or("en");
    let title = about.title.as_deref().unwrap_or_default();
    let description = escape(about.description.as_deref().unwrap_or_default());
    let authors: String = about
        .authors
        .iter()
        .map(|name| format!("<dc:creator>{}</dc:creator>\n", escape(name)))
        .collect();
    let mut manifest = String::from(
        "<item id=\"nav\" href=\"nav.xhtml\" media-type=\"application/xhtml+xml\" \
         properties=\"nav\"/>\n",
    );
    for (name, _, kind) in FILES {
        let properties = match kind {
            "image/png" => " properties=\"cover-image\"",
            _ => "",
        };
        let id = name.replace('.', "-");
        manifest += &format!(
            "<item id=\"{id}\" href=\"{name}\" media-type=\"{kind}\"{properties}/>\n"
        );
    }
    let mut spine = String::new();
    for (n, page) in pages.iter().enumerate() {
        let has = [("<math", "mathml"), ("<svg", "svg")];
        let has = has.iter().filter(|(tag, _)| page.text.contains(tag));
        let has: Vec<&str> = has.map(|(_, name)| *name).collect();
        let properties = match has.is_empty() {
            true => String::new(),
            false => format!(" properties=\"{}\"", has.join(" ")),
        };
        let name = &page.name;
        manifest += &format!(
            "<item id=\"page-{n}\" href=\"{name}\" \
             media-type=\"application/xhtml+xml\"{properties}/>\n"
        );
        spine += &format!("<itemref idref=\"page-{n}\"/>\n");
    }
    let title = escape(title);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\" \
         unique-identifier=\"id\" xml:lang=\"{language}\">\n\
         <metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n\
         <dc:identifier id=\"id\">{IDENTIFIER}</dc:identifier>\n\
         <dc:title>{title}</dc:title>\n<dc:language>{language}</dc:language>\n\
         {authors}<dc:rights>{RIGHTS}</dc:rights>\n<dc:description>{description}</dc:description>\n\
         <dc:date>{edition}</dc:date>\n\
         <meta property=\"dcterms:modified\">{edition}T00:00:00Z</meta>\n\
         <meta property=\"schema:accessMode\">textual</meta>\n\
         <meta property=\"schema:accessMode\">visual</meta>\n\
         <meta property=\"schema:accessModeSufficient\">textual</meta>\n\
         <meta property=\"schema:accessibilityFeature\">alternativeText</meta>\n\
         <meta property=\"schema:accessibilityFeature\">MathML</meta>\n\
         <meta property=\"schema:accessibilityFeature\">tableOfContents</meta>\n\
         <meta property=\"schema:accessibilityHazard\">none</meta>\n\
         </metadata>\n<manifest>\n{manifest}</manifest>\n<spine>\n{spine}</spine>\n\
         </package>\n"
    )
}
