//! What can be taken along: the EPUB, and the page of which a PDF is printed.

use crate::common::{Tiny, real};
use book::{NOTICES, chromium, epub, notices, pdf};
use roxmltree::{Document, ParsingOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Cursor, Read};
use std::path::Path;
use std::process::Command;
use zip::{CompressionMethod, ZipArchive};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository")
}

fn document(text: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).expect("is well-formed")
}

#[test]
fn the_notices_are_those_of_what_is_compiled_in() {
    let [file, _] = NOTICES;
    let kept = fs::read_to_string(root().join(file)).expect("a file");
    let made = notices(root()).expect("the crates are there");
    assert!(made.contains("dfdx 0.13.0, MIT OR Apache-2.0\n") && made.len() > 10_000);
    assert!(!made.contains("ch10_3") && !made.contains("syn "));
    assert_eq!(kept, made, "cargo run -p book -- refresh live makes them anew");
}

#[test]
fn the_newest_edition_is_the_one_to_cite() {
    let text = |file: &str| fs::read_to_string(root().join(file)).expect("a file");
    let changes = text("CHANGELOG.md");
    let edition = changes.lines().find_map(|line| line.strip_prefix("## "));
    let edition = edition.expect("an edition");
    let year = &edition[..4];
    let citation = text("CITATION.cff");
    for line in [
        format!("date-released: {edition}\n"),
        "  type: book\n".to_string(),
        format!("  year: {year}\n"),
        format!("  edition: \"{edition}\"\n"),
    ] {
        assert!(citation.contains(&line), "{line}");
    }
    for folder in ["en", "zh"] {
        let about = text(&format!("book/{folder}/about.md"));
        assert!(about.contains(edition));
    }
}

#[test]
fn each_page_leads_to_its_licence() {
    for (name, about, notices) in [
        ("ch10_2.html", "about.html", "live/notices.txt"),
        ("ch10_2/kernels.html", "../about.html", "../live/notices.txt"),
        ("zh/ch10_2/kernels.html", "../about.html", "../../live/notices.txt"),
    ] {
        let page = fs::read_to_string(real().join(name)).expect("a page");
        let (_, foot) = page.split_once("</main>").expect("an end");
        let folder = real().join(name);
        let folder = folder.parent().expect("a folder");
        for link in [about, notices] {
            assert!(foot.contains(&format!("<a href=\"{link}\">")), "{link} on {name}");
            assert!(folder.join(link).is_file(), "{link} of {name}");
        }
        let licence =
            "<a rel=\"license\" href=\"https://creativecommons.org/licenses/by/4.0/\">";
        assert!(foot.contains(licence), "{name}");
    }
}

/// The pages of the summary, without their ends.
fn summary(programs: bool) -> Vec<String> {
    let text = fs::read_to_string(root().join("book/en/SUMMARY.md")).expect("a file");
    let links = text.split("](").skip(1);
    let names = links.filter_map(|rest| Some(rest.split_once(".md)")?.0.to_string()));
    names.filter(|name| programs == name.starts_with("programs/")).collect()
}

/// The place that a link on the page `from` means.
fn place(from: &str, link: &str) -> (String, String) {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let mut parts: Vec<&str> = from.split('/').collect();
    if !path.is_empty() {
        parts.pop();
    }
    for part in path.split('/').filter(|part| !part.is_empty()) {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    (parts.join("/"), anchor.to_string())
}

#[test]
fn the_epub_is_whole_and_its_links_lead_somewhere() {
    let bytes = epub(root(), real()).expect("an EPUB");
    assert_eq!(bytes, epub(root(), real()).expect("an EPUB"), "the same bytes");
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("a ZIP file");
    let mut files = BTreeMap::new();
    for n in 0..archive.len() {
        let mut file = archive.by_index(n).expect("a file");
        let name = file.name().to_string();
        // A reader looks at the first bytes.
        let plain = file.compression() == CompressionMethod::Stored;
        assert!((n == 0) == (name == "mimetype") && (n > 0 || plain), "{name}");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("can be read");
        files.insert(name, bytes);
    }
    let text = |name: &str| String::from_utf8(files[name].clone()).expect("text");

    // What it lists is what is in it.
    let package = text("book/book.opf");
    let package = document(&package);
    let opf = "http://www.idpf.org/2007/opf";
    assert_eq!(package.root_element().tag_name().namespace(), Some(opf));
    let rights = package.descendants().find(|n| n.tag_name().name() == "rights");
    let rights = rights.and_then(|node| node.text()).unwrap_or_default();
    assert!(rights.contains("https://creativecommons.org/licenses/by/4.0/"));
    let items: Vec<_> =
        package.descendants().filter(|n| n.tag_name().name() == "item").collect();
    let get = |key| items.iter().filter_map(move |item| item.attribute(key));
    let listed: BTreeSet<String> =
        get("href").map(|href| format!("book/{href}")).collect();
    let other = ["mimetype", "META-INF/container.xml", "book/book.opf"];
    let there = files.keys().filter(|name| !other.contains(&name.as_str()));
    assert_eq!(listed, there.cloned().collect());

    // All pages in their order, but those of programs.
    let order = package.descendants().filter_map(|node| node.attribute("idref"));
    let order: Vec<String> = order
        .map(|id| {
            let item = items.iter().find(|item| item.attribute("id") == Some(id));
            let href = item.and_then(|item| item.attribute("href")).expect("an item");
            href.trim_end_matches(".xhtml").to_string()
        })
        .collect();
    let pages = summary(false);
    assert!(pages.len() > 30 && order[0] == "cover" && order[1..] == pages);
    assert_eq!(text("book/nav.xhtml").matches("<a href=").count(), pages.len());

    let xhtml = files.keys().filter(|name| name.ends_with(".xhtml"));
    let texts: BTreeMap<&String, String> =
        xhtml.map(|name| (name, text(name))).collect();
    let ids: BTreeMap<&String, BTreeSet<String>> = texts
        .iter()
        .map(|(name, text)| {
            let document = document(text);
            let ids = document.descendants().filter_map(|node| node.attribute("id"));
            (*name, ids.map(str::to_string).collect())
        })
        .collect();
    for (name, text) in &texts {
        for left in [
            "live-figure",
            "<script",
            "<button",
            "class=\"boring\"",
            "var(--",
            "viewbox",
            "data-",
        ] {
            assert!(!text.contains(left), "{left} in {name}");
        }
        let document = document(text);
        for node in document.descendants() {
            for link in ["href", "src"].iter().filter_map(|key| node.attribute(*key)) {
                if link.starts_with("http") {
                    continue;
                }
                let (file, anchor) = place(name, link);
                assert!(files.contains_key(&file), "{link} in {name}");
                let known = anchor.is_empty() || ids[&file].contains(&anchor);
                assert!(known, "{link} in {name}");
            }
        }
    }
    let page = &texts[&"book/ch10_3.xhtml".to_string()];
    assert!(page.contains("<math xmlns=") && page.contains("<svg xmlns="));
    assert!(page.contains("viewBox=") && page.contains("=\"#0072B2\""));
    assert!(page.contains("href=\"solutions/ch10_3.xhtml#exercise-1\""));
}

#[test]
fn the_page_for_the_printer_has_all_pages_but_those_of_programs() {
    let page = fs::read_to_string(real().join("print.html")).expect("a page");
    assert_eq!(page.matches("<h1 id=").count(), summary(false).len());
    assert_eq!(summary(true).len(), 8);
    assert!(!page.contains("class=\"program\""));
    // What is higher than wide may take more of a sheet, and nothing else.
    for figure in page.split("<svg role=\"img\"").skip(1) {
        let tag = figure.split('>').next().unwrap_or_default();
        let side = |name: &str| -> f64 {
            let (_, rest) = tag.split_once(&format!(" {name}=\"")).expect("a size");
            rest.split('"').next().and_then(|n| n.parse().ok()).expect("a number")
        };
        let is_high = tag.contains(" class=\"high\"");
        assert_eq!(is_high, side("height") > side("width"), "{tag}");
    }
    for link in page.split("<a href=\"#").skip(1) {
        let id = link.split('"').next().unwrap_or_default();
        assert!(page.contains(&format!("id=\"{id}\"")), "no #{id}");
    }
}

#[test]
fn a_chromium_prints_it() {
    let tiny = Tiny::new();
    let config = fs::read_to_string(tiny.root().join("book.toml")).expect("a file");
    tiny.write("book.toml", &config.replace("print.enable = false", ""));
    assert_eq!(tiny.faults(), [""; 0]);
    let output = Command::new(env!("CARGO_BIN_EXE_book"))
        .arg("pdf")
        .current_dir(tiny.root())
        .env("CHROMIUM", "/no/chromium")
        .output()
        .expect("the program runs");
    let said = "book: CHROMIUM names /no/chromium, which is not there\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), said);
    assert!(!output.status.success());
    if chromium().expect("CHROMIUM is there").is_none() {
        eprintln!("SKIPPED: no Chromium is installed, so nothing is printed");
        return;
    }
    let written = config.replace("[book]\n", "[book]\nauthors = [\"We (two)\"]\n");
    tiny.write("book.toml", &written);
    let printed = pdf(tiny.root(), &tiny.pages()).expect("a PDF");
    // Each part is at the byte at which the table at the end says that it is.
    let table = printed.windows(5).rposition(|part| part == b"xref\n");
    let end = String::from_utf8_lossy(&printed[table.expect("a table") - 5..]);
    let end = end.rsplit("startxref\n").next().and_then(|rest| rest.lines().next());
    let named: usize = end.and_then(|end| end.parse().ok()).expect("a number");
    assert!(printed[named..].starts_with(b"xref\n"));
    let printed = String::from_utf8_lossy(&printed);
    assert!(printed.contains("/Author (We two)"));
    assert!(!printed.contains("/Creator"));
    // A page of the book on a page, and bookmarks.
    assert_eq!(printed.matches("/Type /Page\n").count(), 2);
    assert!(printed.contains("/Type /Outlines"));
}
