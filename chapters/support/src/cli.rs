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

/// The flags of a run that draws figures, for a program's own parser to flatten
/// in. A flag belongs to the program or to a subcommand, never to both at once: a
/// parser with subcommands has `#[command(args_conflicts_with_subcommands = true)]`.
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
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Write the figures to DIR [default: the book's own; for other settings than
    /// the book's, target/figures]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the hash of the settings of a recorded run, and nothing else
    #[arg(long, hide = true)]
    pub print_settings: bool,
}

/// The flags of a run that draws no figure.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SeedArgs {
    /// Seed of every random number
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[arg(long, hide = true)]
    print_settings: bool,
}

impl From<SeedArgs> for RunArgs {
    fn from(SeedArgs { seed, print_settings }: SeedArgs) -> Self {
        RunArgs { seed, out: None, print_settings }
    }
}

/// The name of the program that [`run`] runs.
pub(crate) static NAME: OnceLock<&str> = OnceLock::new();

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

/// Checks that threads can be started, which compute products of matrices.
fn threads() -> Result<()> {
    let thread = std::thread::Builder::new().spawn(|| ());
    thread.map(drop).context("cannot start a thread; are processes limited here?")
}

/// Prints clap's message: help in full, a mistake in one line.
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
    /// Writes a drawing to `NAME.svg` in the folder of figures, whole or not at all,
    /// and prints its path.
    ///
    /// # Errors
    /// If there is no such folder, or it cannot be written to.
    pub fn figure(&self, name: &str, svg: &str) -> Result<()> {
        let path = self.folder()?.join(format!("{name}.svg"));
        files::replace(&path, svg.as_bytes()).with_context(|| refused(&path))?;
        println!("figure: {}", shown(&path));
        Ok(())
    }

    /// Checks, before a model is trained, that its figures can be written.
    ///
    /// # Errors
    /// As [`figure`](Self::figure).
    pub fn check_out(&self) -> Result<()> {
        let folder = self.folder()?;
        files::writable(&folder).with_context(|| refused(&folder))
    }

    /// Returns `--out`, or a folder of the repository that the program was started
    /// in: `book/figures/NAME`, or `target/figures/NAME` if figures that are
    /// committed there are not those of this command.
    fn folder(&self) -> Result<PathBuf> {
        if let Some(folder) = &self.out {
            return Ok(folder.clone());
        }
        let name = NAME.get().context("no program is run, so it has no figures")?;
        let root = find_root()
            .map_err(|e| anyhow!("{e}: --out DIR names a folder for figures"))?;
        let folder = if is_recorded(&root) { "book" } else { "target" };
        let folder = Path::new(folder).join("figures").join(name);
        Ok(in_repository(&root, &folder))
    }
}

/// Whether the repository records what this command prints and draws, or records
/// nothing, as a new one.
fn is_recorded(root: &Path) -> bool {
    let program = std::env::current_exe().unwrap_or_default();
    let program = program.file_stem().unwrap_or_default().to_string_lossy();
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let mut commands = files::recorded_commands(&root.join("chapters")).peekable();
    let new = commands.peek().is_none();
    new || commands.any(|command| {
        // In quotes are only sentences, none of which has a quotation mark.
        let mut words = Vec::new();
        for (n, piece) in command.split('"').enumerate() {
            match n % 2 {
                0 => words.extend(piece.split_whitespace()),
                _ => words.push(piece),
            }
        }
        let own = words.iter().position(|word| *word == "--").unwrap_or(words.len());
        let (cargo, own) = words.split_at(own);
        let after = |flag: &str| cargo.windows(2).find(|two| two[0] == flag);
        let runs = after("--example").or(after("-p")).map(|two| two[1]);
        runs == Some(&*program) && arguments.iter().eq(own.iter().skip(1))
    })
}

fn refused(path: &Path) -> String {
    format!("cannot write {}; --out DIR names another folder", shown(path))
}

/// Parses a flag: a whole number in a range, `value_parser = number(1..=1000)`.
pub fn number(
    range: RangeInclusive<usize>,
) -> impl Fn(&str) -> Result<usize, String> + Clone {
    within("a whole number", range)
}

/// Parses a flag: a number in a range, with or without a decimal point.
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
        _ => Err(format!("expected {what} from {} to {}", range.start(), range.end())),
    }
}

/// Returns `count` seeds from `seed` on; after the last of all comes 0.
pub fn seeds(seed: u64, count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |i| seed.wrapping_add(i))
}
