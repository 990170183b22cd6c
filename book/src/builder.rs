//! Builds the book with mdBook's library, and says everything that is wrong
//! with it.

use crate::address::Address;
use crate::attention::Attention;
use crate::epub::{SUMMARY, items, links};
use crate::finish::finish;
use crate::log::listen;
use crate::problem::{Problem, line_at, normal, short};
use crate::words::{CHINESE, ENGLISH, Words};
use anyhow::ensure;
use mdbook_driver::MDBook;
use mdbook_driver::config::{Config, HtmlConfig};
use std::fs;
use std::io;
use std::panic::resume_unwind;
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::Duration;

const CONFIG: &str = "book.toml";

/// Where the pages are built, whatever `build-dir` says to stock mdBook: a mistake
/// there empties no other folder.
const PAGES: &str = "target/book";

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
            Address::from_environment().configure(&mut config)?;
            Ok(config)
        };
        let mut config =
            read().map_err(|error| Problem::new(CONFIG, 0, format!("{error:#}")))?;
        config.build.create_missing = false;
        Ok(Builder { root: normal(root), config })
    }

    /// The folder of the pages.
    pub fn folder(&self) -> PathBuf {
        self.root.join(PAGES)
    }

    /// Builds the pages aside, and puts them in [`Self::folder`] if nothing
    /// is wrong with them: a reader misses nothing, and the last good book stays.
    /// Lists what is wrong.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn publish(self) -> io::Result<Vec<Problem>> {
        let folder = self.folder();
        let parent = folder.parent().unwrap_or(&self.root);
        fs::create_dir_all(parent)?;
        let aside = tempfile::tempdir_in(parent)?;
        let new = aside.path().join("new");
        let problems = self.build(&new);
        if problems.is_empty() {
            let old = aside.path().join("old");
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

    /// Builds the pages in `folder`, and lists what is wrong with them. What was in
    /// it goes.
    pub fn build(self, folder: &Path) -> Vec<Problem> {
        let translated = self.root.join(self.source(&CHINESE)).is_dir();
        // mdBook empties its folder first: one edition cannot be made in the other's.
        let beside = folder.with_extension(CHINESE.language);
        let editions = thread::scope(|scope| {
            let chinese =
                translated.then(|| scope.spawn(|| self.edition(&CHINESE, &beside)));
            let english = self.edition(&ENGLISH, folder);
            let chinese = chinese.map(|edition| {
                edition.join().unwrap_or_else(|panic| resume_unwind(panic))
            });
            [Some(english), chinese]
        });
        let in_place = || -> anyhow::Result<()> {
            if translated {
                let within = folder.join(CHINESE.folder);
                patiently(|| fs::rename(&beside, &within))?;
            }
            finish(&self.root, folder)
        };
        let made = editions.iter().flatten().all(|(made, _)| *made);
        let mut problems: Vec<Problem> =
            editions.into_iter().flatten().flat_map(|(_, problems)| problems).collect();
        if made && let Err(error) = in_place() {
            problems.push(Problem::new(CONFIG, 0, format!("{error:#}")));
        }
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
        config.build.build_dir = folder.to_path_buf();
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
        }
        Ok(config)
    }

    /// Builds the pages of an edition in `folder`: whether they are there, and what
    /// is wrong with them.
    fn edition(&self, words: &Words, folder: &Path) -> (bool, Vec<Problem>) {
        let src = normal(&self.root.join(self.source(words)));
        let attention = Attention::default();
        let found = attention.problems.clone();
        let (result, mut messages) = listen(|| {
            for link in links(&items(&src)?) {
                let path = link.location.as_deref().unwrap_or(Path::new(""));
                let below =
                    path.components().all(|part| matches!(part, Component::Normal(_)));
                ensure!(
                    below,
                    "`{}` in `{SUMMARY}` would be written outside of the folder of \
                     the pages",
                    path.display()
                );
            }
            let config = self.config(words, folder)?;
            let mut book = MDBook::load_with_config(&self.root, config)?;
            // It takes the place of the command that book.toml names.
            book.with_preprocessor(attention).build()
        });
        let made = result.is_ok();
        messages.extend(result.err().map(|error| format!("{error:#}")));
        let mut problems = found.take();
        problems.extend(messages.iter().map(|text| said(&self.root, &src, text)));
        (made, problems)
    }
}

/// Tries to move a folder, for up to half a second: a virus scanner, or another build,
/// may be busy with it.
fn patiently(mut moved: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    let mut result = moved();
    for _ in 0..50 {
        if result.is_err() {
            thread::sleep(Duration::from_millis(10));
            result = moved();
        }
    }
    result
}

/// A message of mdBook: it may quote a page, after what is wrong there.
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
