//! `cargo run`: builds the book and serves it on this machine.

use anyhow::{Context, anyhow};
use book::{
    Builder, Builds, NAME, Problem, Unwritable, compare, epub, lock, pdf, preprocess,
    refresh, refresh_live, too_heavy, watch,
};
use book::{find_root, listen, say, serve, table, warn, write_file};
use clap::{Parser, Subcommand};
use std::io::{stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

/// Builds the book and serves it on this machine.
#[derive(Parser)]
#[command(name = "book", bin_name = "book", disable_version_flag = true)]
#[command(disable_help_subcommand = true)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    task: Option<Task>,
    /// Open the browser at the first page
    #[arg(long)]
    open: bool,
    /// Serve on this port of 127.0.0.1; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 3000)]
    port: u16,
}

#[derive(Subcommand)]
enum Task {
    /// Build the pages
    Build,
    /// Build the pages and check them, their weight too
    Check,
    /// Build the pages, and an EPUB of them for reading elsewhere
    Epub,
    /// Build the pages, and a PDF of them, which a Chromium or Chrome prints
    Pdf,
    /// Make outputs, figures and recorded compiler errors anew
    Refresh {
        /// The runs of minutes in chapters/*/recorded too; with `live`, the
        /// trainings of its models
        #[arg(long)]
        records: bool,
        /// Only of these chapters, such as ch10_3; `live` alone, or before
        /// names of pages, builds what answers in the page
        #[arg(value_name = "CHAPTER")]
        only: Vec<String>,
    },
    /// Accept the English text as what the Chinese pages translate
    Lock {
        /// Only of these pages, such as ch10_2/kernels.md
        #[arg(value_name = "PAGE")]
        only: Vec<String>,
    },
    /// What stock mdBook calls, by book.toml
    #[command(hide = true)]
    Preprocess {
        #[command(subcommand)]
        question: Option<Question>,
    },
}

#[derive(Subcommand)]
enum Question {
    /// Whether the preprocessor is for this renderer
    Supports { renderer: String },
}

fn main() -> ExitCode {
    quiet_panics();
    let result = match Arguments::try_parse() {
        Ok(arguments) => run(arguments),
        Err(error) if error.use_stderr() => {
            warn(format_args!("book: {}", mistake(&error)));
            return ExitCode::from(2);
        }
        Err(help) => say(help.to_string().trim_end()).map_err(Failure::from),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Why a task was not done.
enum Failure {
    /// The book is at fault: one line each.
    InBook(Vec<Problem>),
    /// Anything else.
    Other(anyhow::Error),
}

impl Failure {
    fn report(&self) -> ExitCode {
        match self {
            Failure::InBook(problems) => problems.iter().for_each(warn),
            Failure::Other(error) => {
                // `… | head` has read enough.
                let closed = error.downcast_ref::<Unwritable>();
                if closed.is_some_and(Unwritable::by_choice) {
                    return ExitCode::SUCCESS;
                }
                warn(format_args!("book: {error:#}"));
            }
        }
        ExitCode::FAILURE
    }
}

impl From<Vec<Problem>> for Failure {
    fn from(problems: Vec<Problem>) -> Self {
        Failure::InBook(problems)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure::Other(error)
    }
}

impl From<Unwritable> for Failure {
    fn from(error: Unwritable) -> Self {
        Failure::Other(error.into())
    }
}

type Done<T> = Result<T, Failure>;

fn run(arguments: Arguments) -> Done<()> {
    match arguments.task {
        None => read(arguments.port, arguments.open),
        Some(Task::Build) => build(&root()?, |_| Vec::new()).map(drop),
        Some(Task::Check) => check(),
        Some(Task::Epub) => carry("epub", epub),
        Some(Task::Pdf) => carry("pdf", |_, pages| pdf(pages)),
        Some(Task::Refresh { records, only }) => {
            match only.split_first() {
                Some((live, pages)) if live == "live" => {
                    refresh_live(&root()?, pages, records)?
                }
                _ => refresh(&root()?, &only, records)?,
            }
            Ok(())
        }
        Some(Task::Lock { only }) => Ok(lock(&root()?, &only)?),
        Some(Task::Preprocess { question: None }) => {
            Ok(preprocess(stdin().lock(), stdout().lock())?)
        }
        Some(Task::Preprocess { question: Some(question) }) => {
            let Question::Supports { renderer } = question;
            match renderer.as_str() {
                "html" => Ok(()),
                other => Err(anyhow!("the pages are HTML, not {other}"))?,
            }
        }
    }
}

/// The repository that this program was started in.
fn root() -> anyhow::Result<PathBuf> {
    let start = std::env::current_dir().context("there is no current folder")?;
    find_root(&start)
}

/// Builds the pages, puts them in their folder if nothing is wrong with them,
/// also by `more`, and says so. Gives the folder.
fn build(root: &Path, more: impl FnOnce(&Path) -> Vec<Problem>) -> Done<PathBuf> {
    let start = Instant::now();
    let folder = publish(root, more)?;
    let seconds = start.elapsed().as_secs_f32();
    say(format_args!("built {} in {seconds:.1} s", folder.display()))?;
    Ok(folder)
}

fn publish(root: &Path, more: impl FnOnce(&Path) -> Vec<Problem>) -> Done<PathBuf> {
    let builder = Builder::open(root).map_err(|problem| vec![problem])?;
    let folder = builder.folder();
    let problems = builder
        .publish(more)
        .with_context(|| format!("cannot write the pages to {}", folder.display()))?;
    if !problems.is_empty() {
        return Err(problems.into());
    }
    Ok(folder)
}

/// Builds the pages, and puts beside their folder what `make` makes of them.
fn carry(
    kind: &str,
    make: impl Fn(&Path, &Path) -> anyhow::Result<Vec<u8>>,
) -> Done<()> {
    let root = root()?;
    let pages = build(&root, |_| Vec::new())?;
    let file = pages.with_file_name(format!("{NAME}.{kind}"));
    let bytes = make(&root, &pages)?;
    write_file(&file, &bytes)?;
    let size = bytes.len() / 1000;
    Ok(say(format_args!("made {}, {size} kB", file.display()))?)
}

fn check() -> Done<()> {
    let root = root()?;
    let mut problems = compare(&root);
    match build(&root, too_heavy) {
        Err(Failure::InBook(more)) => problems.extend(more),
        other => drop(other?),
    }
    // An author wants it all the more while something is wrong.
    if let Ok(table) = table(&root) {
        say(table)?;
    }
    if !problems.is_empty() {
        return Err(problems.into());
    }
    Ok(say("no problems found")?)
}

/// Builds the book and serves it until the reader stops it; builds it anew
/// when a source has changed.
fn read(port: u16, open: bool) -> Done<()> {
    let root = root()?;
    // First, so that a port in use is known before the pages are built.
    let listener = listen(port)?;
    let folder = build(&root, |_| Vec::new())?;
    let address = listener.local_addr().context("no address")?;
    let address = format!("http://{address}");
    say(format_args!("reading at {address} (Ctrl-C ends it)"))?;
    if open && open::that_detached(&address).is_err() {
        warn(format_args!("book: no browser can be opened here; go to {address}"));
    }
    let builds = Builds::default();
    let announced = builds.clone();
    let author = move || {
        watch(&root, || match publish(&root, |_| Vec::new()) {
            Ok(_) => {
                announced.announce();
                // Whoever reads the book need not read this.
                say("built anew").ok();
            }
            // The last good pages stay.
            Err(failure) => drop(failure.report()),
        })
    };
    thread::Builder::new().spawn(author).context("cannot watch the sources")?;
    Ok(serve(listener, &folder, &builds)?)
}

/// What clap has to say of a mistake, in one line.
fn mistake(error: &clap::Error) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let what = first.strip_prefix("error: ").unwrap_or(first);
    format!("{what}; --help lists the flags")
}

/// No reader should meet a backtrace.
fn quiet_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.payload_as_str().unwrap_or("unknown cause");
        let text = text.lines().next().unwrap_or_default();
        warn(format_args!("book: a mistake of this program, please report: {text}"));
    }));
}
