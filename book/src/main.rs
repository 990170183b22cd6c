//! `cargo run`: builds the book and serves it on this machine.

use anyhow::{Context, anyhow};
use book::{Press, Problem, listen, preprocess, refresh, serve, too_heavy};
use clap::{Parser, Subcommand};
use std::io::{stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Builds the book and serves it on this machine.
#[derive(Parser)]
#[command(name = "book", disable_version_flag = true)]
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
    /// Make outputs, figures and recorded compiler errors anew
    Refresh {
        /// Only of these chapters, such as ch10_3
        #[arg(value_name = "CHAPTER")]
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
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::InBook(problems)) => {
            for problem in problems {
                eprintln!("{problem}");
            }
            ExitCode::FAILURE
        }
        Err(Failure::Other(error)) => {
            eprintln!("book: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Why a task was not done.
enum Failure {
    /// The book is at fault: one line each.
    InBook(Vec<Problem>),
    /// Anything else.
    Other(anyhow::Error),
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

type Done<T> = Result<T, Failure>;

fn run(arguments: Arguments) -> Done<()> {
    match arguments.task {
        None => read(arguments.port, arguments.open),
        Some(Task::Build) => build().map(drop),
        Some(Task::Check) => check(),
        Some(Task::Refresh { only }) => Ok(refresh(root(), &only)?),
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

/// The repository that this program was built in.
fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// Builds the pages, and gives the folder they are in.
fn build() -> Done<PathBuf> {
    let start = Instant::now();
    let press = Press::open(root()).map_err(|problem| vec![problem])?;
    let folder = press.folder();
    let problems = press
        .publish()
        .with_context(|| format!("cannot write the pages to {}", folder.display()))?;
    none(problems)?;
    let seconds = start.elapsed().as_secs_f32();
    println!("built {} in {seconds:.1} s", folder.display());
    Ok(folder)
}

fn check() -> Done<()> {
    let folder = build()?;
    none(too_heavy(&folder))?;
    println!("no problems found");
    Ok(())
}

fn none(problems: Vec<Problem>) -> Done<()> {
    if problems.is_empty() { Ok(()) } else { Err(problems.into()) }
}

/// Builds the book and serves it until the reader stops it.
fn read(port: u16, open: bool) -> Done<()> {
    // First, so that a port in use is known before the pages are built.
    let listener = listen(port)?;
    let folder = build()?;
    let place = listener.local_addr().context("no address")?;
    let address = format!("http://{place}");
    println!("reading at {address} (Ctrl-C ends it)");
    if open {
        open::that_detached(&address)
            .with_context(|| format!("cannot open a browser; go to {address}"))?;
    }
    Ok(serve(listener, &folder)?)
}

/// What clap has to say: help in full, a mistake in one line.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        print!("{error}");
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let what = first.strip_prefix("error: ").unwrap_or(first);
    eprintln!("book: {what}; --help lists the flags");
    ExitCode::from(2)
}

/// No reader should meet a backtrace: a closed pipe ends the program
/// quietly, any other panic is one line.
fn quiet_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.payload_as_str().unwrap_or("unknown cause");
        if text.contains("failed printing to stdout") {
            std::process::exit(0);
        }
        let text = text.lines().next().unwrap_or_default();
        eprintln!("book: a mistake of this program, please report: {text}");
    }));
}
