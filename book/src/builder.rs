//! Builds the book with mdBook's library, and says everything that is wrong
//! with it.

use crate::address::Address;
use crate::attention::Attention;
use crate::finish::finish;
use crate::listing::Files;
use crate::log::listen;
use crate::problem::{Problem, line_at, normal, short};
use crate::publish::{Aside, mark, replaceable};
use crate::words::{CHINESE, ENGLISH, Words};
use mdbook_driver::MDBook;
use mdbook_driver::config::{BookConfig, Config, HtmlConfig};
use mdbook_markdown::pulldown_cmark::{Event, Parser, Tag};
use mdbook_summary::parse_summary;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

const CONFIG: &str = "book.toml";
const SUMMARY: &str = "SUMMARY.md";

/// A book on disk: where it is, and what its `book.toml` says.
pub struct Builder {
    root: PathBuf,
    config: Config,
}

impl Builder {
    /// Reads `book.toml` in `root`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn open(root: &Path) -> Result<Self, Problem> {
        let text = fs::read_to_string(root.join(CONFIG));
        let read = || -> anyhow::Result<Config> {
            let mut config: Config = text?.parse()?;
            // mdBook goes on with its defaults if it does not know a key here.
            config.get::<HtmlConfig>("output.html")?;
            // mdBook panics at one that is not UTF-8.
            let is_text = |(name, value): (OsString, OsString)| {
                name.to_str().is_some() && value.to_str().is_some()
            };
            if env::vars_os().all(is_text) {
                config.update_from_env()?;
            }
            Address::from_environment().configure(&mut config)?;
            Ok(config)
        };
        let mut config = read().map_err(in_config)?;
        config.build.create_missing = false;
        Ok(Builder { root: normal(root), config })
    }

    /// What `book.toml` says of the book.
    pub(crate) fn about(&self) -> &BookConfig {
        &self.config.book
    }

    /// The folder that the pages are built in.
    pub fn folder(&self) -> PathBuf {
        normal(&self.root.join(&self.config.build.build_dir))
    }

    /// Builds the pages aside, and puts them in [`Self::folder`] if nothing
    /// is wrong with them, also by what `more` finds in the folder that it is
    /// given: a reader misses nothing, and the last good book stays. Lists
    /// what is wrong.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn publish(
        self,
        more: impl FnOnce(&Path) -> Vec<Problem>,
    ) -> io::Result<Vec<Problem>> {
        let folder = self.folder();
        if let Some(problem) = self.refused(&folder) {
            return Ok(vec![problem]);
        }
        let aside = Aside::new(folder.parent().unwrap_or(&self.root))?;
        let new = aside.new_folder();
        let mut problems = self.build(&new);
        if problems.is_empty() {
            problems = more(&new);
        }
        if problems.is_empty() {
            aside.replace(&folder)?;
        }
        Ok(problems)
    }

    /// Why a folder cannot be the folder of the pages.
    fn refused(&self, folder: &Path) -> Option<Problem> {
        let text = match self.overwrites_sources(folder) {
            true => Err("build-dir would overwrite the sources of the book".into()),
            false => replaceable(folder),
        };
        text.err().map(|text| Problem::new(CONFIG, 0, text))
    }

    fn overwrites_sources(&self, folder: &Path) -> bool {
        let src = normal(&self.root.join(&self.config.book.src));
        src.starts_with(folder) || folder.starts_with(&src)
    }

    /// Builds the pages in `folder`, which is emptied first if it is ours, and
    /// lists what is wrong with them.
    pub fn build(self, folder: &Path) -> Vec<Problem> {
        if let Some(problem) = self.refused(folder) {
            return vec![problem];
        }
        let mut problems = Vec::new();
        let chinese = self.root.join(self.source(&CHINESE)).is_dir();
        let made = self.edition(&ENGLISH, folder, &mut problems)
            && (!chinese || self.edition(&CHINESE, folder, &mut problems));
        let marked = if folder.is_dir() { mark(folder) } else { Ok(()) };
        let finished = marked.map_err(anyhow::Error::from).and_then(|()| match made {
            true => finish(&self.root, folder),
            false => Ok(()),
        });
        problems.extend(finished.map_err(in_config).err());
        problems.sort();
        problems.dedup();
        problems
    }

    /// The folder of the pages of an edition, from the root.
    fn source(&self, words: &Words) -> PathBuf {
        let src = &self.config.book.src;
        match words.about {
            None => src.clone(),
            Some(_) => src.with_file_name(words.source),
        }
    }

    /// What `book.toml` says, and what an edition has of its own.
    fn config(&self, words: &Words, folder: &Path) -> anyhow::Result<Config> {
        let mut config = self.config.clone();
        config.build.build_dir = folder.join(words.folder);
        if let Some([title, description]) = words.about {
            config.book.src = self.source(words);
            config.book.language = Some(words.language.to_string());
            config.book.title = Some(title.to_string());
            config.book.description = Some(description.to_string());
            // A host has one page for what is missing.
            config.set("output.html.input-404", "")?;
            for (key, name) in [("css", "chinese.css"), ("js", "chinese.js")] {
                let key = format!("output.html.additional-{key}");
                let mut files = config.get::<Vec<PathBuf>>(&key)?.unwrap_or_default();
                files.extend(files.first().map(|file| file.with_file_name(name)));
                config.set(key, files)?;
            }
            // Its index is made anew, by search.rs.
            config.set("output.html.search.chapter", serde_json::json!({}))?;
        }
        Ok(config)
    }

    /// Builds the pages of an edition, adds what is wrong with them, and says
    /// whether they are there.
    fn edition(
        &self,
        words: &Words,
        folder: &Path,
        problems: &mut Vec<Problem>,
    ) -> bool {
        let src = normal(&self.root.join(self.source(words)));
        let mut unread = unreadable(&self.root, &src);
        if unread.is_empty() {
            unread = missing(&self.root, &src);
        }
        if !unread.is_empty() {
            problems.extend(unread);
            return false;
        }
        let attention = Attention::default();
        let found = attention.problems.clone();
        let (result, messages) = listen(|| {
            let summary = fs::read_to_string(src.join(SUMMARY))?;
            let mut book = MDBook::load_with_config_and_summary(
                &self.root,
                self.config(words, folder)?,
                parse_summary(&summary)?,
            )?;
            // It takes the place of the command that book.toml names.
            book.with_preprocessor(attention).build()
        });
        problems.extend(found.take());
        problems.extend(messages.iter().map(|text| said(&self.root, &src, text)));
        let fault = result.map_err(in_config).err();
        let made = fault.is_none();
        problems.extend(fault);
        made
    }
}

fn in_config(error: anyhow::Error) -> Problem {
    Problem::new(CONFIG, 0, format!("{error:#}"))
}

/// The pages that are not UTF-8.
fn unreadable(root: &Path, src: &Path) -> Vec<Problem> {
    let files = Files::new(root).under(&short(root, src), ".md").into_iter();
    let fault = |file: String| {
        let error = fs::read_to_string(root.join(&file)).err()?;
        Some(Problem::new(&file, 0, error.to_string()))
    };
    files.filter_map(fault).collect()
}

/// The entries of the summary that lead to no page. mdBook would write the page of
/// a path with `..` outside of its folder.
fn missing(root: &Path, src: &Path) -> Vec<Problem> {
    let file = short(root, &src.join(SUMMARY));
    let text = fs::read_to_string(src.join(SUMMARY)).unwrap_or_default();
    let mut problems = Vec::new();
    for (event, range) in Parser::new(&text).into_offset_iter() {
        let Event::Start(Tag::Link { dest_url, .. }) = event else { continue };
        let path = Path::new(&*dest_url);
        let is_below =
            path.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_below || !dest_url.is_empty() && !src.join(path).is_file() {
            let fault = format!("there is no page {dest_url} below {}", src.display());
            problems.push(Problem::new(&file, line_at(&text, range.start), fault));
        }
    }
    problems
}

/// A message of mdBook: it may quote a page, and what is wrong there.
fn said(root: &Path, src: &Path, message: &str) -> Problem {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let page = quoted.iter().find(|text| text.ends_with(".md"));
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
