//! The command `cargo run`: builds the book and serves it on this machine.

use anyhow::{Context, Error, Result, ensure};
use book::{
    Builder, Builds, NAME, Problem, compare, epub, find_root, listen, lock, pdf,
    preprocess, printer, refresh, refresh_live, say, serve, sources, table, try_edit,
    warn, watch, write_file,
};
use clap::{Parser, Subcommand};
use std::fmt::{self, Display};
use std::io::{self, ErrorKind, stdin, stdout};
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
    /// Serve on this port of 127.0.0.1; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 3000)]
    port: u16,
}

#[derive(Subcommand)]
enum Task {
    /// Build the pages
    Build,
    /// Build the pages and check them
    Check,
    /// Build an EPUB of the pages
    Epub,
    /// Build a PDF of the pages (needs Chromium or Chrome)
    Pdf,
    /// Regenerate outputs, figures and recorded compiler errors
    Refresh {
        /// Also rerun the long experiments in chapters/*/recorded; with `live`,
        /// retrain its models
        #[arg(long)]
        records: bool,
        /// Rerun nothing: mark the records of long experiments as made by the
        /// settings and the code of today, whose numbers are the same
        #[arg(long, conflicts_with = "records")]
        accept: bool,
        /// Limit to these chapters (e.g. ch10_3); `live [PAGE]...` rebuilds the
        /// WebAssembly modules
        #[arg(value_name = "CHAPTER")]
        only: Vec<String>,
    },
    /// Mark Chinese pages as up to date with the English
    Lock {
        /// Limit to these pages (e.g. ch10_2/kernels.md)
        #[arg(value_name = "PAGE")]
        only: Vec<String>,
    },
    /// Run a program with an edited definition, in a copy of the repository
    Try {
        /// An edit in chapters/*/edits, such as ch10_3/relu
        #[arg(value_name = "EDIT")]
        edit: String,
    },
    /// The command in book.toml that stock mdBook calls
    #[command(hide = true)]
    Preprocess,
}

fn main() -> ExitCode {
    quiet_panics();
    let result = match Arguments::try_parse() {
        Ok(arguments) => run(arguments),
        Err(error) if error.use_stderr() => {
            warn(format_args!("book: {}", mistake(&error)));
            return ExitCode::from(2);
        }
        Err(help) => say(help.to_string().trim_end()),
    };
    let Err(error) = result else { return ExitCode::SUCCESS };
    // `… | head` has read enough.
    let closed = error.downcast_ref::<io::Error>();
    if closed.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    report(&error);
    ExitCode::FAILURE
}

fn report(error: &Error) {
    match error.downcast_ref::<InBook>() {
        Some(problems) => warn(problems),
        None => warn(Problem::new("book", 0, format!("{error:#}"))),
    }
}

/// What is wrong with the book, one line each.
#[derive(Debug)]
struct InBook(Vec<Problem>);

impl Display for InBook {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(Problem::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for InBook {}

fn run(arguments: Arguments) -> Result<()> {
    match arguments.task {
        None => read(arguments.port, arguments.open),
        Some(Task::Build) => build(&root()?).map(drop),
        Some(Task::Check) => check(),
        Some(Task::Epub) => carry("epub", epub),
        Some(Task::Pdf) => {
            // First, so that nothing is built in vain.
            printer()?;
            carry("pdf", pdf)
        }
        Some(Task::Refresh { accept: true, only, .. }) => book::accept(&root()?, &only),
        Some(Task::Refresh { records, only, .. }) => match only.split_first() {
            Some((live, pages)) if live == "live" => {
                refresh_live(&root()?, pages, records)
            }
            _ => refresh(&root()?, &only, records),
        },
        Some(Task::Lock { only }) => lock(&root()?, &only),
        Some(Task::Try { edit }) => try_edit(&root()?, &edit),
        Some(Task::Preprocess) => preprocess(stdin().lock(), stdout().lock()),
    }
}

/// Finds the repository that this program was started in.
fn root() -> Result<PathBuf> {
    let start = std::env::current_dir().context("there is no current folder")?;
    find_root(&start)
}

/// Builds the pages and, if nothing is wrong with them, publishes them in their
/// folder and reports it. Returns the folder.
fn build(root: &Path) -> Result<PathBuf> {
    let start = Instant::now();
    let folder = publish(root)?;
    let seconds = start.elapsed().as_secs_f32();
    say(format_args!("built {} in {seconds:.1} s", folder.display()))?;
    Ok(folder)
}

fn publish(root: &Path) -> Result<PathBuf> {
    let builder = Builder::open(root).map_err(|problem| InBook(vec![problem]))?;
    let folder = builder.folder();
    let problems = builder
        .publish()
        .with_context(|| format!("cannot write the pages to {}", folder.display()))?;
    ensure!(problems.is_empty(), InBook(problems));
    Ok(folder)
}

/// Builds the pages, and writes beside their folder what `make` returns for them.
fn carry(kind: &str, make: impl Fn(&Path, &Path) -> Result<Vec<u8>>) -> Result<()> {
    let root = root()?;
    let pages = build(&root)?;
    let file = pages.with_file_name(format!("{NAME}.{kind}"));
    let bytes = make(&root, &pages)?;
    write_file(&file, &bytes)?;
    say(format_args!("made {}, {} kB", file.display(), bytes.len() / 1000))
}

fn check() -> Result<()> {
    let root = root()?;
    let mut problems = compare(&root);
    if let Err(error) = build(&root) {
        problems.extend(error.downcast::<InBook>()?.0);
    }
    // While something is wrong, an author needs it even more.
    if let Ok(table) = table(&root) {
        say(table)?;
    }
    ensure!(problems.is_empty(), InBook(problems));
    say("no problems found")
}

/// Builds the book and serves it until the reader stops it. Rebuilds it when a source
/// changes.
fn read(port: u16, open: bool) -> Result<()> {
    let root = root()?;
    // First, so that a port in use is known before the pages are built.
    let listener = listen(port)?;
    // An edit during the build is built after it.
    let built = sources(&root);
    let folder = build(&root)?;
    let address = format!("http://{}", listener.local_addr()?);
    say(format_args!("reading at {address} (Ctrl-C ends it)"))?;
    if open && open::that_detached(&address).is_err() {
        warn(format_args!("book: no browser can be opened here; go to {address}"));
    }
    let builds = Builds::default();
    let announced = builds.clone();
    let author = move || {
        watch(&root, built, || match publish(&root) {
            Ok(_) => {
                announced.announce();
                // A reader of the book need not read this.
                say("rebuilt").ok();
            }
            // The last good pages stay.
            Err(error) => report(&error),
        })
    };
    thread::Builder::new().spawn(author).context("cannot watch the sources")?;
    serve(listener, &folder, &builds)
}

/// Formats a mistake on the command line in one line.
fn mistake(error: &clap::Error) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let what = first.strip_prefix("error: ").unwrap_or(first);
    format!("{what}; --help lists the flags")
}

/// Replaces backtraces by one line.
fn quiet_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.payload_as_str().unwrap_or("unknown cause");
        let text = text.lines().next().unwrap_or_default();
        warn(format_args!("book: internal error, please report it: {text}"));
    }));
}
