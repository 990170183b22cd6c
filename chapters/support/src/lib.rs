//! What the book uses and does not teach: the flags of a chapter's program,
//! headings and tables on the terminal, and figures on disk.
//!
//! Everything here that touches a file, the terminal or the process stays in
//! this crate, so that the chapters themselves are plain computation.

mod bars;
mod clock;
mod figure;
#[cfg(feature = "cuda")]
mod in_turn;
mod layer;
#[cfg(not(feature = "cuda"))]
mod parallel;
mod plot;
mod progress;

pub use bars::{Bars, bar_plots};
pub use clock::fastest;
pub use figure::{GRID, INK, SERIES, draw, label, px};
#[cfg(feature = "cuda")]
pub use in_turn::{Portable, in_parallel};
#[cfg(not(feature = "cuda"))]
pub use parallel::{Portable, in_parallel};
pub use plot::{Mark, Plot, Series, line_plots};
pub use progress::Progress;

use anyhow::{Context, Result};
use clap::{Arg, ArgMatches, Command, value_parser};
use std::fmt::Display;
use std::io::Write;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What a chapter's program was asked to do.
pub struct Run {
    /// Seeds every random number of the run.
    pub seed: u64,
    /// The folder that figures are written to.
    pub out: PathBuf,
}

/// Runs the program of one chapter: reads `--seed`, `--out` and `--help`,
/// calls `body`, and turns an error into one line on standard error.
///
/// `name` is the crate (`ch10_3`), `about` one sentence for `--help`, `seed`
/// the committed seed with which the book was made.
pub fn run(
    name: &'static str,
    about: &'static str,
    seed: u64,
    body: impl FnOnce(&Run) -> Result<()>,
) -> ExitCode {
    let command = Command::new(name).about(about);
    run_with(name, command, seed, |run, _| body(run))
}

/// The same for a program with flags of its own: `command` has them, `body`
/// gets what was given.
pub fn run_with(
    name: &'static str,
    command: Command,
    seed: u64,
    body: impl FnOnce(&Run, &ArgMatches) -> Result<()>,
) -> ExitCode {
    let command = command.disable_version_flag(true);
    quiet_panics(name);
    let args = match with_flags(command, seed).try_get_matches() {
        Ok(args) => args,
        Err(error) => return usage(name, &error),
    };
    let run = Run {
        seed: *args.get_one("seed").expect("has a default"),
        out: match args.get_one::<PathBuf>("out") {
            Some(dir) => dir.clone(),
            None => figures_folder(name),
        },
    };
    let there = writable(&run.out).with_context(|| no_figures(&run.out));
    report(name, there.and_then(|()| body(&run, &args)))
}

/// Finds out that nothing can be written into a folder before a model is
/// trained, not after.
fn writable(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    tempfile::tempfile_in(folder).map(drop)
}

fn no_figures(path: &Path) -> String {
    format!("cannot write {}; --out DIR names another folder", path.display())
}

/// The flags that every chapter understands.
pub fn with_flags(command: Command, seed: u64) -> Command {
    let seed: &'static str = Box::leak(seed.to_string().into_boxed_str());
    let out = Arg::new("out").long("out").value_name("DIR");
    let number = Arg::new("seed").long("seed").value_name("N");
    command
        .arg(
            out.value_parser(value_parser!(PathBuf))
                .help("Write the figures to this folder [default: the book's own]"),
        )
        .arg(
            number
                .value_parser(value_parser!(u64))
                .default_value(seed)
                .help("Seed of every random number"),
        )
}

/// Prints what clap has to say: help in full, a mistake in one line.
pub fn usage(name: &str, error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        print!("{error}");
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let first = text.lines().take_while(|line| !line.is_empty());
    let first = first.map(str::trim).collect::<Vec<_>>().join(" ");
    let what = first.strip_prefix("error: ").unwrap_or(&first);
    eprintln!("{name}: {what}; --help lists the flags");
    ExitCode::from(2)
}

/// Turns the end of a program into its exit code; an error is one line.
pub fn report(name: &str, result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// No reader should meet a backtrace: a closed pipe (`… | head`) ends the
/// program quietly, any other panic is one line.
pub fn quiet_panics(name: &'static str) {
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.payload_as_str().unwrap_or("unknown cause");
        if text.contains("failed printing to stdout") {
            std::process::exit(0);
        }
        let text = text.lines().next().unwrap_or_default();
        eprintln!("{name}: a mistake of this program, please report: {text}");
    }));
}

/// `book/figures/NAME` in the repository.
fn figures_folder(name: &str) -> PathBuf {
    in_repository(&Path::new("book/figures").join(name))
}

/// Where a program keeps what it made and can make again: `target/NAME`.
pub fn kept_folder(name: &str) -> PathBuf {
    in_repository(&Path::new("target").join(name))
}

/// A path in the repository, short if the program was started there.
fn in_repository(path: &Path) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().nth(2).expect("chapters/support is inside");
    let folder = root.join(path);
    let start = std::env::current_dir().unwrap_or_default();
    match folder.strip_prefix(start) {
        Ok(short) => short.to_path_buf(),
        Err(_) => folder,
    }
}

impl Run {
    /// Writes a drawing to `NAME.svg` in the folder of figures, whole or not
    /// at all, and says where it is.
    ///
    /// # Errors
    /// The folder cannot be made or written to.
    pub fn figure(&self, name: &str, svg: &str) -> Result<()> {
        let path = self.out.join(name).with_extension("svg");
        write_whole(&path, svg.as_bytes())?;
        println!("figure: {}", path.display());
        Ok(())
    }
}

/// Reads a file.
///
/// # Errors
/// What the system reports; the message names the file.
pub fn read_whole(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file beside its place and moves it there when it is complete.
///
/// # Errors
/// The folder cannot be made or written to; the message names it.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    write(path, bytes).with_context(|| no_figures(path))
}

/// Finds out that a model could not be kept before it is trained, not after.
///
/// # Errors
/// The folder of the file cannot be written into, or the file is a folder.
pub fn can_keep(path: &Path) -> Result<()> {
    anyhow::ensure!(!path.is_dir(), "{}: a folder", no_model(path));
    writable(parent(path)).with_context(|| no_model(path))
}

/// The same for a model.
///
/// # Errors
/// As above, with a word on `--model` in place of `--out`.
pub fn keep(path: &Path, bytes: &[u8]) -> Result<()> {
    write(path, bytes).with_context(|| no_model(path))
}

fn no_model(path: &Path) -> String {
    format!("cannot write {}; --model FILE names another", path.display())
}

/// The folder that a file is in.
fn parent(path: &Path) -> &Path {
    let folder = path.parent().filter(|path| !path.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = parent(path);
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().tempfile_in(folder)?;
    file.write_all(bytes)?;
    #[cfg(unix)] // a temporary file is its owner's alone
    file.as_file().set_permissions(PermissionsExt::from_mode(0o644))?;
    file.persist(path)?;
    Ok(())
}

/// Prints a heading; the book finds a part of the output by it.
pub fn heading(text: &str) {
    println!("\n{text}\n{}", "-".repeat(text.chars().count()));
}

/// Prints one row: a label in `width` columns, then the cells, each
/// right-aligned in ten.
pub fn row<D: Display>(label: &str, width: usize, cells: &[D]) {
    print!("{label:<width$}");
    for cell in cells {
        print!("{cell:>10}");
    }
    println!();
}
