//! The command line of a program: the flags that all have, and how it ends.

use crate::files::{self, find_root, in_repository, shown};
use crate::terminal::{complain, quiet_panics, report};
use anyhow::{Context, Result, anyhow};
use clap::{Args as _, Command, FromArgMatches, Parser};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::OnceLock;

/// The flags of every program, for its own parser to flatten in.
///
/// ```
/// /// What `--help` says of the program
/// #[derive(clap::Parser)]
/// struct Args {
///     #[command(flatten)]
///     run: support::RunArgs,
///     /// Train for N epochs
///     #[arg(long, value_name = "N", default_value_t = 30)]
///     #[arg(value_parser = support::number(1..=100_000))]
///     epochs: usize,
/// }
/// ```
#[derive(Clone, Debug, Default, clap::Args)]
pub struct RunArgs {
    /// Seed of every random number
    #[arg(long, value_name = "N", default_value_t = 0, global = true)]
    pub seed: u64,
    /// Write the figures to this folder [default: the book's own]
    #[arg(long, value_name = "DIR", global = true)]
    pub out: Option<PathBuf>,
    /// Print the hash of the settings of a recorded run, and nothing else
    #[arg(long, hide = true, global = true)]
    pub print_settings: bool,
}

/// The name of the program that [`run`] runs.
static NAME: OnceLock<&str> = OnceLock::new();

/// Runs a program: reads its flags, calls `body`, and turns an error into one
/// line on standard error. `name` is the crate, `ch10_3`: its figures are in
/// the folder of that name.
pub fn run<Args: Parser>(
    name: &'static str,
    body: impl FnOnce(Args) -> Result<()>,
) -> ExitCode {
    run_command(name, Args::command(), body)
}

/// Runs a program that has no flags but those of every program; `about` is
/// what its `--help` begins with.
pub fn run_plain(
    name: &'static str,
    about: &'static str,
    body: impl FnOnce(RunArgs) -> Result<()>,
) -> ExitCode {
    let command = RunArgs::augment_args(Command::default());
    // Else `--help` would begin with what documents the flags.
    run_command(name, command.about(about).long_about(None), body)
}

fn run_command<Args: FromArgMatches>(
    name: &'static str,
    command: Command,
    body: impl FnOnce(Args) -> Result<()>,
) -> ExitCode {
    let _ = NAME.set(name);
    quiet_panics(name);
    // Called `ch10_3` on Windows too.
    let args = command.name(name).bin_name(name).try_get_matches();
    match args.and_then(|args| Args::from_arg_matches(&args)) {
        Ok(args) => report(name, threads().and_then(|()| body(args))),
        Err(error) => usage(name, &error),
    }
}

/// Products of matrices are computed by threads.
fn threads() -> Result<()> {
    let thread = std::thread::Builder::new().spawn(|| ());
    thread.map(drop).context("cannot start a thread; are processes limited here?")
}

/// Prints what clap has to say: help in full, a mistake in one line.
fn usage(name: &str, error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        print!("{error}");
        return report(name, Ok(()));
    }
    let text = error.to_string();
    let first = text.lines().take_while(|line| !line.is_empty());
    let first = first.map(str::trim).collect::<Vec<_>>().join(" ");
    let what = first.strip_prefix("error: ").unwrap_or(&first);
    complain(name, &format!("{what}; --help lists the flags"));
    ExitCode::from(2)
}

impl RunArgs {
    /// Writes a drawing to `NAME.svg` in the folder of figures, whole or not
    /// at all, and says where it is.
    ///
    /// # Errors
    /// There is no such folder, or it cannot be written to.
    pub fn figure(&self, name: &str, svg: &str) -> Result<()> {
        let path = self.folder()?.join(format!("{name}.svg"));
        files::replace(&path, svg.as_bytes()).with_context(|| refused(&path))?;
        println!("figure: {}", shown(&path));
        Ok(())
    }

    /// Finds out that figures could not be written before a model is trained,
    /// not after.
    ///
    /// # Errors
    /// As [`figure`](Self::figure).
    pub fn check_out(&self) -> Result<()> {
        let folder = self.folder()?;
        files::writable(&folder).with_context(|| refused(&folder))
    }

    /// `--out`, or `book/figures/NAME` of the repository that the program was
    /// started in.
    fn folder(&self) -> Result<PathBuf> {
        if let Some(folder) = &self.out {
            return Ok(folder.clone());
        }
        let name = NAME.get().context("no program is run, so it has no figures")?;
        let root = find_root()
            .map_err(|e| anyhow!("{e}: --out DIR names a folder for figures"))?;
        Ok(in_repository(&root, &Path::new("book/figures").join(name)))
    }
}

fn refused(path: &Path) -> String {
    format!("cannot write {}; --out DIR names another folder", shown(path))
}

/// For a flag: a whole number in a range, `value_parser = number(1..=1000)`.
pub fn number(
    range: RangeInclusive<usize>,
) -> impl Fn(&str) -> Result<usize, String> + Clone {
    within("a whole number", range)
}

/// For a flag: a number in a range, with or without a decimal point.
pub fn real(
    range: RangeInclusive<f32>,
) -> impl Fn(&str) -> Result<f32, String> + Clone {
    within("a number", range)
}

fn within<N: FromStr + PartialOrd + Display + Clone>(
    what: &'static str,
    range: RangeInclusive<N>,
) -> impl Fn(&str) -> Result<N, String> + Clone {
    move |text| match text.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(format!("it is {what} from {} to {}", range.start(), range.end())),
    }
}

/// `count` seeds from `seed` on; after the last of all comes 0.
pub fn seeds(seed: u64, count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |i| seed.wrapping_add(i))
}
