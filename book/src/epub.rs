//! The book as an EPUB 3, made of its built pages. Pages of programs are left out.

use crate::builder::Builder;
use crate::finish::parts;
use crate::highlight::escape;
use crate::xhtml::xhtml;
use anyhow::{Context, Result, anyhow};
use mdbook_driver::config::BookConfig;
use mdbook_summary::{Link, SummaryItem, parse_summary};
use roxmltree::{Document, ParsingOptions};
use sha2::{Digest, Sha256};
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

/// A page of it.
struct Page {
    /// Where it is, `ch10_2/kernels.xhtml`.
    name: String,
    text: String,
}

/// Makes an EPUB of the pages that were built in the folder `pages`.
///
/// # Errors
/// A file cannot be read, or a page is not what XHTML can say.
pub fn epub(root: &Path, pages: &Path) -> Result<Vec<u8>> {
    let builder = Builder::open(root).map_err(|problem| anyhow!("{problem}"))?;
    let about = builder.about();
    let read = |path: &Path| {
        fs::read(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let text = |path: &Path| Ok::<_, anyhow::Error>(String::from_utf8(read(path)?)?);
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
        let body = xhtml(name, main, &names);
        let page =
            Page { name: renamed(name), text: document(about, name, title, &body) };
        let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
        Document::parse_with_options(&page.text, options)
            .with_context(|| format!("{name} cannot be said in XHTML"))?;
        written.push(page);
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
    let summary = parse_summary(&fs::read_to_string(src.join("SUMMARY.md"))?)?;
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
    let mut parts = items.split(|item| matches!(item, SummaryItem::PartTitle(_)));
    let titles = items.iter().filter_map(|item| match item {
        SummaryItem::PartTitle(title) => Some(title),
        _ => None,
    });
    let line = |link: &Link| {
        let name = html(link).filter(|name| names.contains(name))?;
        let nested = contents(&link.nested_items, names);
        let nested =
            if nested.is_empty() { nested } else { format!("\n<ol>\n{nested}</ol>") };
        let (href, text) = (renamed(&name), escape(&link.name));
        Some(format!("<li><a href=\"{href}\">{text}</a>{nested}</li>\n"))
    };
    let list = |items: &[SummaryItem]| {
        let links = items.iter().filter_map(|item| match item {
            SummaryItem::Link(link) => line(link),
            _ => None,
        });
        links.collect::<String>()
    };
    out.push_str(&parts.next().map(list).unwrap_or_default());
    for (title, part) in titles.zip(parts) {
        let part = list(part);
        if !part.is_empty() {
            let title = escape(title);
            out.push_str(&format!(
                "<li><span>{title}</span>\n<ol>\n{part}</ol></li>\n"
            ));
        }
    }
    out
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
    let identifier = identifier(&format!("{title} {language}"));
    let title = escape(title);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\" \
         unique-identifier=\"id\" xml:lang=\"{language}\">\n\
         <metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n\
         <dc:identifier id=\"id\">{identifier}</dc:identifier>\n\
         <dc:title>{title}</dc:title>\n<dc:language>{language}</dc:language>\n\
         {authors}<dc:description>{description}</dc:description>\n\
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

/// A UUID of a text: every edition of a book has the same.
fn identifier(text: &str) -> String {
    let mut bytes = Sha256::digest(text.as_bytes());
    // Version 8, and the variant of all UUIDs of today.
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    let [a, b, c, d, e] =
        [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    format!("urn:uuid:{a}-{b}-{c}-{d}-{e}")
}
