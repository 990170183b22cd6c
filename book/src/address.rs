//! The address that a published book has, and that of its sources: named by the
//! workflow that publishes it, never by the sources themselves. Of a book that is
//! read on this machine nothing of this is on a page.

use crate::finish::parts;
use crate::highlight::escape;
use crate::words::{CHINESE, Words, other};
use anyhow::{Result, ensure};
use mdbook_driver::config::Config;
use std::fs;
use std::io;
use std::path::Path;

/// Where a book is published, with a slash at its end.
const URL: &str = "BOOK_URL";
/// The page of its repository, and the commit that it is built of.
const REPOSITORY: &str = "BOOK_REPOSITORY";
const COMMIT: &str = "BOOK_COMMIT";

/// What the book is called where it is taken along, before `.epub` and `.pdf`.
pub const NAME: &str = "attention-compiled";

/// What links to the book show elsewhere, and what it is called there.
const PREVIEW: [&str; 2] = ["book/cover/preview.png", "preview.png"];

/// The first page of the book, under both its names.
const FIRST: [&str; 2] = ["index.html", "introduction.html"];

/// What is no page of its own.
const OTHER: [&str; 3] = ["404.html", "print.html", "toc.html"];

fn is_other(name: &str) -> bool {
    OTHER.iter().any(|other| name.ends_with(other))
}

/// Whether a link leads out of the book.
pub fn is_elsewhere(link: &str) -> bool {
    ["https://", "http://", "mailto:", "data:"]
        .iter()
        .any(|start| link.starts_with(start))
}

/// Returns `true` for an address on the web that needs no escaping in HTML.
pub fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.starts_with('/') && is_plain(rest))
}

fn is_plain(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/:@%+".contains(c);
    !text.is_empty() && text.chars().all(plain)
}

/// What is known of the address of a book.
#[derive(Clone, Debug, Default)]
pub struct Address {
    url: Option<String>,
    repository: Option<String>,
    commit: String,
}

impl Address {
    /// As the variables say.
    pub fn from_environment() -> Self {
        let of = |name| {
            let value = std::env::var_os(name)?.to_string_lossy().into_owned();
            Some(value).filter(|value| !value.is_empty())
        };
        let plain = |text: String| text.trim_end_matches('/').to_string();
        Address {
            url: of(URL).map(|url| plain(url) + "/"),
            repository: of(REPOSITORY).map(plain),
            commit: of(COMMIT).unwrap_or_else(|| "main".to_string()),
        }
    }

    /// Checks the variables, since their values stand on the pages as they are.
    ///
    /// # Errors
    /// If one is not an address, or the commit not a name.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [(URL, &self.url), (REPOSITORY, &self.repository)] {
            let valid = value.as_deref().is_none_or(is_address);
            ensure!(valid, "{name} is not an address such as https://host/path");
        }
        ensure!(is_plain(&self.commit), "{COMMIT} is not the name of a commit");
        Ok(())
    }

    /// Tells mdBook.
    ///
    /// # Errors
    /// If mdBook does not take a setting.
    pub fn configure(&self, config: &mut Config) -> anyhow::Result<()> {
        if let Some(url) = &self.url {
            let path = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
            let path = path.find('/').map_or("/", |at| &path[at..]);
            config.set("output.html.site-url", path)?;
        }
        if let Some(repository) = &self.repository {
            config.set("output.html.git-repository-url", repository)?;
            let edit = format!("{repository}/edit/main/{{path}}");
            config.set("output.html.edit-url-template", edit)?;
        }
        Ok(())
    }

    /// The name of a file, with a link to its lines in the repository.
    pub fn source(
        &self,
        label: &str,
        file: &str,
        (first, last): (usize, usize),
    ) -> String {
        let Some(repository) = &self.repository else { return label.to_string() };
        let commit = &self.commit;
        let href = format!("{repository}/blob/{commit}/{file}#L{first}-L{last}");
        format!("<a href=\"{}\">{label}</a>", escape(&href))
    }

    /// Below a figure: the program that drew it, or the drawing itself.
    pub fn drawn_by(&self, file: &str, words: &Words) -> String {
        let Some(repository) = &self.repository else { return String::new() };
        let program = file.strip_prefix("book/figures/");
        let program = program.and_then(|rest| Some(rest.split_once('/')?.0));
        let (what, path) = match program {
            Some(chapter) => {
                let path = format!("tree/{}/chapters/{chapter}/src", self.commit);
                (words.the_program, path)
            }
            None => (words.the_drawing, format!("blob/{}/{file}", self.commit)),
        };
        let href = escape(&format!("{repository}/{path}")).to_string();
        format!("\n\n<p class=\"file\"><a href=\"{href}\">{what}</a></p>")
    }

    /// The page `name` with its addresses in both languages.
    pub fn with_languages(&self, name: &str, page: &str) -> String {
        let Some(url) = self.url.as_ref().filter(|_| !is_other(name)) else {
            return page.to_string();
        };
        let (there, _) = other(name);
        let english = if name.starts_with(CHINESE.folder) { &there } else { name };
        let english = format!("{url}{english}");
        let chinese = format!("{url}{}{}", CHINESE.folder, &english[url.len()..]);
        let languages =
            [("en", &english), ("zh-CN", &chinese), ("x-default", &english)];
        let links = languages.map(|(language, href)| {
            format!(
                "<link rel=\"alternate\" hreflang=\"{language}\" href=\"{href}\">\n"
            )
        });
        page.replacen("</head>", &(links.concat() + "</head>"), 1)
    }

    /// The page `name` with its address, what a link to it shows elsewhere, and a
    /// link that reports a mistake.
    ///
    /// # Errors
    /// There is no place for it.
    pub fn on_page(
        &self,
        name: &str,
        mut page: String,
        words: &Words,
    ) -> Result<String> {
        if let Some(url) = self.url.as_ref().filter(|_| !is_other(name)) {
            let here = url.clone() + name.strip_suffix("index.html").unwrap_or(name);
            let (_, title, _) = parts(&page, "<title>", "</title>")?;
            let about = "<meta name=\"description\" content=\"";
            let (_, text, _) = parts(&page, about, "\"")?;
            let [_, preview] = PREVIEW;
            let head = format!(
                "<link rel=\"canonical\" href=\"{here}\">\n\
                 <meta property=\"og:type\" content=\"article\">\n\
                 <meta property=\"og:title\" content=\"{title}\">\n\
                 <meta property=\"og:description\" content=\"{text}\">\n\
                 <meta property=\"og:url\" content=\"{here}\">\n\
                 <meta property=\"og:image\" content=\"{url}{preview}\">\n\
                 <meta name=\"twitter:card\" content=\"summary_large_image\">\n</head>"
            );
            page = page.replacen("</head>", &head, 1);
            if FIRST.iter().any(|first| name.strip_prefix(words.folder) == Some(first))
            {
                let address = url.clone() + NAME;
                let carried = format!(
                    "</h1>\n<p>{} <a href=\"{address}.epub\">EPUB</a>, \
                     <a href=\"{address}.pdf\">PDF</a></p>",
                    words.to_take_along
                );
                // The menu has a heading too.
                let (menu, main, after) = parts(&page, "<main>", "</main>")?;
                let main = main.replacen("</h1>", &carried, 1);
                page = format!("{menu}<main>{main}</main>{after}");
            }
        }
        if let Some(repository) = &self.repository {
            let title = name.replace('/', "%2F");
            let href = format!("{repository}/issues/new?title={title}%3A%20");
            let report = format!(
                "<p class=\"report\"><a href=\"{href}\" data-report>{}</a></p>\n\
                 </main>",
                words.report
            );
            page = page.replacen("</main>", &report, 1);
        }
        Ok(page)
    }

    /// Lists the pages for search engines, and puts the picture beside them that
    /// links show elsewhere.
    ///
    /// # Errors
    /// The picture cannot be read, or the folder not be written to.
    pub fn announce(
        &self,
        root: &Path,
        folder: &Path,
        pages: &[String],
    ) -> io::Result<()> {
        let Some(url) = &self.url else { return Ok(()) };
        let [from, to] = PREVIEW;
        fs::copy(root.join(from), folder.join(to))
            .map_err(|error| io::Error::other(format!("{from}: {error}")))?;
        let pages = pages.iter().filter(|name| !is_other(name));
        let line = |name: &String| {
            let name = name.strip_suffix("index.html").unwrap_or(name);
            format!("<url><loc>{}</loc></url>\n", escape(&format!("{url}{name}")))
        };
        let lines: String = pages.map(line).collect();
        let map = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
             {lines}</urlset>\n"
        );
        fs::write(folder.join("sitemap.xml"), map)
    }
}
