//! Builds the book with mdBook's library, and says everything that is wrong
//! with it.

use crate::address::Address;
use crate::attention::Attention;
use crate::finish::finish;
use crate::html;
use crate::live::copy;
use crate::log::listen;
use crate::problem::{Problem, line_at, normal, short};
use crate::publish::{Aside, mark, replaceable};
use crate::sources::{Sources, unreadable};
use mdbook_driver::MDBook;
use mdbook_driver::config::{BookConfig, Config, HtmlConfig};
use mdbook_markdown::pulldown_cmark::{Event, Parser, Tag};
use mdbook_summary::{Summary, parse_summary};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

const CONFIG: &str = "book.toml";

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
        let text = fs::read_to_string(root.join(CONFIG))
            .map_err(|error| Problem::new(CONFIG, 0, format!("{error}")))?;
        let at = |error: anyhow::Error| in_config(&text, &error);
        let mut config: Config = text.parse().map_err(at)?;
        // mdBook goes on with its defaults if it does not know a key here.
        config.get::<HtmlConfig>("output.html").map_err(at)?;
        from_environment(&mut config)?;
        Address::from_environment()
            .configure(&mut config)
            .map_err(|error| Problem::new(CONFIG, 0, format!("{error:#}")))?;
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
    pub fn build(mut self, folder: &Path) -> Vec<Problem> {
        let src = normal(&self.root.join(&self.config.book.src));
        if let Some(problem) = self.refused(folder) {
            return vec![problem];
        }
        self.config.build.build_dir = folder.to_path_buf();
        let unreadable = unreadable(&self.root, &src);
        if !unreadable.is_empty() {
            return unreadable;
        }
        let path = src.join("SUMMARY.md");
        let name = short(&self.root, &path);
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => {
                return vec![Problem::new(&name, 0, error.to_string())];
            }
        };
        let (text, mut problems) = without_missing(&src, &name, &text);
        let (result, messages) = listen(|| {
            let summary = parse_summary(&text).map_err(|error| (&*name, error))?;
            // The pages can be read: a file that book.toml names is at fault.
            let found =
                self.render(summary.clone()).map_err(|error| (CONFIG, error))?;
            let sources = Sources::new(&self.root, &src, &summary);
            Ok::<_, (&str, anyhow::Error)>((sources, found))
        });
        match result {
            Ok((sources, found)) => {
                problems.extend(found);
                problems.extend(messages.iter().map(|m| sources.blame(m)));
                let finished = finish(&self.root, folder);
                if let Err(error) = finished.and_then(|()| copy(&self.root, folder)) {
                    problems.push(Problem::new(
                        CONFIG,
                        0,
                        format!("build-dir: {error}"),
                    ));
                }
                problems.extend(html::check(folder, &sources));
            }
            Err((file, error)) => {
                problems.push(Problem::new(file, 0, format!("mdBook: {error:#}")));
            }
        }
        if folder.is_dir()
            && let Err(error) = mark(folder)
        {
            problems.push(Problem::new(CONFIG, 0, format!("build-dir: {error}")));
        }
        distinct(problems)
    }

    fn render(&self, summary: Summary) -> anyhow::Result<Vec<Problem>> {
        let attention = Attention::default();
        let problems = attention.problems.clone();
        let mut book = MDBook::load_with_config_and_summary(
            &self.root,
            self.config.clone(),
            summary,
        )?;
        // It takes the place of the command that book.toml names.
        book.with_preprocessor(attention).build()?;
        Ok(problems.take())
    }
}

/// Takes what variables such as `MDBOOK_BUILD__BUILD_DIR` say, as mdBook does,
/// which panics at any variable that is not UTF-8.
fn from_environment(config: &mut Config) -> Result<(), Problem> {
    for (name, value) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        let Some(key) = name.strip_prefix("MDBOOK_") else { continue };
        let key = key.to_lowercase().replace("__", ".").replace('_', "-");
        let table = key.split('.').next().unwrap_or_default();
        if !["book", "build", "rust", "output", "preprocessor"].contains(&table) {
            continue;
        }
        let at = |text: String| Problem::new(&name, 0, text);
        let Some(value) = value.to_str() else {
            return Err(at("its value is not UTF-8".into()));
        };
        let value = serde_json::from_str(value)
            .unwrap_or_else(|_| serde_json::Value::String(value.into()));
        config.set(&key, value).map_err(|error| at(format!("{error:#}")))?;
    }
    Ok(())
}

/// The summary with links to missing pages made into drafts, so that the
/// rest can be built and checked all the same.
fn without_missing(src: &Path, name: &str, text: &str) -> (String, Vec<Problem>) {
    let mut out = text.to_string();
    let mut problems = Vec::new();
    let events: Vec<_> = Parser::new(text).into_offset_iter().collect();
    for (event, range) in events.into_iter().rev() {
        let Event::Start(Tag::Link { dest_url, .. }) = event else { continue };
        let plain = |part| matches!(part, Component::Normal(_));
        let inside = Path::new(&*dest_url).components().all(plain);
        if dest_url.is_empty() || inside && src.join(&*dest_url).is_file() {
            continue;
        }
        let line = line_at(text, range.start);
        // mdBook would write the page of such a path outside of its folder.
        let fault = match inside {
            true => format!("there is no page {dest_url}"),
            false => format!("{dest_url} is not a path below {}", src.display()),
        };
        problems.push(Problem::new(name, line, fault));
        let draft = out[range.clone()].replace(&*dest_url, "");
        out.replace_range(range, &draft);
    }
    (out, problems)
}

/// What mdBook's configuration says is wrong, at the line it means.
fn in_config(text: &str, error: &anyhow::Error) -> Problem {
    let message = format!("{error:#}");
    let number = message.split("at line ").nth(1).and_then(|rest| {
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    });
    let key = message.split("unknown field `").nth(1);
    let key = key.and_then(|rest| rest.split('`').next());
    let is_key = |line: &str| {
        let line = line.trim_start().trim_start_matches('[');
        key.is_some_and(|key| {
            line.split([' ', '=', ']'])
                .next()
                .is_some_and(|name| name == key || name.ends_with(&format!(".{key}")))
        })
    };
    let found = text.lines().position(is_key).map(|at| at + 1);
    let what = message.lines().rfind(|line| {
        !line.trim().is_empty() && !line.trim_start().starts_with("in `")
    });
    let what = what.unwrap_or(&message);
    Problem::new(CONFIG, number.or(found).unwrap_or(0), what)
}

/// The problems in order, each once; one that is known with its line is not
/// repeated without.
fn distinct(mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.sort();
    problems.dedup();
    let all = problems.clone();
    problems.retain(|one| {
        one.line > 0
            || !all.iter().any(|other| {
                other.line > 0 && other.file == one.file && other.text == one.text
            })
    });
    problems
}
