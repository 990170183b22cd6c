//! Builds the book with mdBook's library, and reports everything that is wrong with
//! it.

use crate::address::{Address, is_address};
use crate::attention::Attention;
use crate::epub::{SUMMARY, items, links};
use crate::finish::finish;
use crate::listing::Files;
use crate::live::{MODELS, MODULES};
use crate::log::listen;
use crate::problem::{Problem, line_at, normal, short};
use crate::root::{Work, both, patiently};
use crate::words::{CHINESE, ENGLISH, Words};
use anyhow::ensure;
use mdbook_driver::MDBook;
use mdbook_driver::config::{Config, HtmlConfig};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

const CONFIG: &str = "book.toml";

/// The folder of the pages, whatever `build-dir` is for stock mdBook: a mistake there
/// empties no other folder.
const PAGES: &str = "target/book";

/// A book on disk: its folder, and its `book.toml`.
pub struct Builder {
    root: PathBuf,
    config: Config,
}

impl Builder {
    /// Reads `book.toml` in `root`.
    ///
    /// # Errors
    /// If it cannot be read, or the address of the published book is not valid.
    pub fn open(root: &Path) -> Result<Self, Problem> {
        let address = Address::from_environment();
        let fault = |error| Problem::new("book", 0, format!("{error:#}"));
        address.check().map_err(fault)?;
        let text = fs::read_to_string(root.join(CONFIG));
        let read = || -> anyhow::Result<Config> {
            let mut config: Config = text?.parse()?;
            // mdBook falls back to its defaults if it does not know a key here.
            let html = config.get::<HtmlConfig>("output.html")?.unwrap_or_default();
            let repository = html.git_repository_url.as_deref();
            let valid = repository.is_none_or(is_address);
            ensure!(valid, "git-repository-url is not an address on the web");
            address.configure(&mut config)?;
            Ok(config)
        };
        let mut config =
            read().map_err(|error| Problem::new(CONFIG, 0, format!("{error:#}")))?;
        config.build.create_missing = false;
        Ok(Builder { root: normal(root), config })
    }

    /// Returns the folder of the pages.
    pub fn folder(&self) -> PathBuf {
        self.root.join(PAGES)
    }

    /// Builds the pages in a folder of their own and, if nothing is wrong with them,
    /// moves them to [`Self::folder`]: the last good book stays until then. Returns
    /// what is wrong.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn publish(self) -> io::Result<Vec<Problem>> {
        let folder = self.folder();
        let work = Work::take(folder.with_extension("work"))?;
        let [new, old] = ["new", "old"].map(|name| work.path().join(name));
        // A build that was killed between its two moves left the last good book there.
        if !folder.exists() {
            fs::rename(&old, &folder).ok();
        }
        work.clear()?;
        let problems = self.build(&new);
        if problems.is_empty() {
            let moved = patiently(|| {
                fs::rename(&folder, &old).ok();
                fs::rename(&new, &folder)
            });
            if moved.is_err() {
                // The last good book comes back.
                patiently(|| fs::rename(&old, &folder)).ok();
            }
            moved?;
        }
        Ok(problems)
    }

    /// Builds the pages in `folder`, after emptying it, and returns what is wrong with
    /// them.
    pub fn build(self, folder: &Path) -> Vec<Problem> {
        let mut problems = self.misplaced();
        if problems.is_empty() {
            let built = self.editions(folder);
            problems = built.unwrap_or_else(|error| {
                vec![Problem::new("book", 0, format!("{error:#}"))]
            });
        }
        problems.sort();
        problems.dedup();
        problems
    }

    fn editions(&self, folder: &Path) -> anyhow::Result<Vec<Problem>> {
        // mdBook empties its folder first: one edition cannot be made in the other's.
        let beside = folder.with_extension(CHINESE.language);
        let translated = self.is_translated();
        let english = || self.edition(&ENGLISH, folder);
        let chinese = || match translated {
            true => self.edition(&CHINESE, &beside),
            false => (true, Vec::new()),
        };
        let (english, chinese) = both(english, chinese)?;
        if english.0 && chinese.0 {
            if translated {
                let within = folder.join(CHINESE.folder);
                patiently(|| fs::rename(&beside, &within))?;
            }
            finish(&self.root, folder)?;
        }
        Ok([english.1, chinese.1].concat())
    }

    fn is_translated(&self) -> bool {
        self.root.join(self.source(&CHINESE)).is_dir()
    }

    /// Finds what mdBook would read or write outside of the repository or the folder
    /// of the pages, and what it would wait for forever.
    fn misplaced(&self) -> Vec<Problem> {
        let files = Files::new(&self.root);
        let mut problems = Vec::new();
        let mut add = |file: &str, line, text: &str| {
            problems.push(Problem::new(file, line, text));
        };
        let html = self.config.get::<HtmlConfig>("output.html");
        let html = html.ok().flatten().unwrap_or_default();
        let named = [html.additional_css, html.additional_js].concat();
        let redirects = html.redirect.keys().map(|key| key.trim_start_matches('/'));
        let written = named.iter().map(PathBuf::as_path);
        for path in written.chain(redirects.map(Path::new)) {
            if !is_below(path) {
                add(CONFIG, 0, &written_outside(path));
            }
        }
        let editions = [Some(&ENGLISH), self.is_translated().then_some(&CHINESE)];
        let sources = editions.into_iter().flatten().map(|words| self.source(words));
        let sources: Vec<PathBuf> = sources.collect();
        let mut read: Vec<String> =
            named.iter().map(|path| path.display().to_string()).collect();
        for folder in sources.iter().chain(&html.theme) {
            let folder = folder.display().to_string();
            match files.inside(&folder) {
                Ok(_) => read.extend(files.under(&folder, "")),
                Err(error) => add(CONFIG, 0, &format!("{folder}: {error}")),
            }
        }
        for folder in [MODULES, MODELS] {
            read.extend(files.under(folder, ""));
        }
        let missing = html.input_404.iter().filter(|name| !name.is_empty());
        let missing = missing.map(|name| self.config.book.src.join(name));
        read.extend(missing.map(|path| path.display().to_string()));
        for file in read {
            if let Err(error) = files.regular(&file) {
                add(&file, 0, &error);
            }
        }
        if !problems.is_empty() {
            return problems;
        }
        sources.iter().flat_map(|src| summary(&files, src)).collect()
    }

    /// Returns the folder of an edition's sources, from the root.
    fn source(&self, words: &Words) -> PathBuf {
        let src = &self.config.book.src;
        match words.about {
            None => src.clone(),
            Some(_) => src.with_file_name(words.source),
        }
    }

    /// Returns the settings of `book.toml`, with those of an edition.
    fn config(&self, words: &Words, folder: &Path) -> anyhow::Result<Config> {
        let mut config = self.config.clone();
        config.build.build_dir = folder.to_path_buf();
        if let Some([title, description]) = words.about {
            config.book.src = self.source(words);
            config.book.language = Some(words.language.to_string());
            config.book.title = Some(title.to_string());
            config.book.description = Some(description.to_string());
            // A host has one page for missing addresses.
            config.set("output.html.input-404", "")?;
            for (key, name) in [("css", "chinese.css"), ("js", "chinese.js")] {
                let key = format!("output.html.additional-{key}");
                let mut files = config.get::<Vec<PathBuf>>(&key)?.unwrap_or_default();
                files.extend(files.first().map(|file| file.with_file_name(name)));
                config.set(key, files)?;
            }
        }
        Ok(config)
    }

    /// Builds the pages of an edition in `folder`. Returns whether they were made, and
    /// what is wrong with them.
    fn edition(&self, words: &Words, folder: &Path) -> (bool, Vec<Problem>) {
        let src = normal(&self.root.join(self.source(words)));
        let attention = Attention::default();
        let found = attention.problems.clone();
        let (result, mut messages) = listen(|| {
            let config = self.config(words, folder)?;
            let mut book = MDBook::load_with_config(&self.root, config)?;
            // It replaces the command in book.toml.
            book.with_preprocessor(attention).build()
        });
        let made = result.is_ok();
        messages.extend(result.err().map(|error| format!("{error:#}")));
        let mut problems = found.take();
        problems.extend(messages.iter().map(|text| said(&self.root, &src, text)));
        (made, problems)
    }
}

/// Finds what is wrong with the list of pages in the folder `src`.
fn summary(files: &Files, src: &Path) -> Vec<Problem> {
    let src = normal(&files.root().join(src));
    let file = short(files.root(), &src.join(SUMMARY));
    let items = match items(&src) {
        Ok(items) => items,
        Err(error) => return vec![Problem::new(&file, 0, format!("{error:#}"))],
    };
    let text = files.text(&file).unwrap_or_default();
    let links = links(&items);
    let paths = links.iter().filter_map(|link| link.location.as_deref());
    let outside = paths.clone().filter(|path| !is_below(path)).map(|path| {
        let at = text.find(&*path.to_string_lossy()).unwrap_or(0);
        Problem::new(&file, line_at(&text, at), written_outside(path))
    });
    let empty = paths.clone().next().is_none();
    let empty = empty.then(|| Problem::new(&file, 0, "lists no page"));
    outside.chain(empty).collect()
}

/// Returns `true` if `path` stays below the folder that it is joined to.
fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}

fn written_outside(path: &Path) -> String {
    format!("`{}` would be written outside of the folder of the pages", path.display())
}

/// Locates a message of mdBook, which may quote a page after what is wrong there.
fn said(root: &Path, src: &Path, message: &str) -> Problem {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let page = quoted.iter().rfind(|text| text.ends_with(".md"));
    let (file, line) = match page {
        Some(page) => {
            let path = src.join(page);
            let text = fs::read_to_string(&path).unwrap_or_default();
            let at = text.find(quoted[0].trim_end_matches('>'));
            (short(root, &path), at.map_or(0, |at| line_at(&text, at)))
        }
        None => (CONFIG.to_string(), 0),
    };
    Problem::new(&file, line, format!("mdBook: {message}"))
}
