//! The first edition's functions, until every section is converted.
#![allow(missing_docs, clippy::missing_errors_doc)]

mod bars;
#[cfg(feature = "cuda")]
mod in_turn;
mod layer;
#[cfg(not(feature = "cuda"))]
mod parallel;

pub use crate::cli::usage;
pub use crate::terminal::{quiet_panics, report};
pub use bars::{Bars, bar_plots};
#[cfg(feature = "cuda")]
pub use in_turn::{Portable, in_parallel};
#[cfg(not(feature = "cuda"))]
pub use parallel::{Portable, in_parallel};

use crate::files::{self, find_root, in_repository, parent};
use anyhow::{Context, Result};
use clap::{Arg, ArgMatches, Command, value_parser};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub struct Run {
    pub seed: u64,
    pub out: PathBuf,
}

pub fn run(
    name: &'static str,
    about: &'static str,
    seed: u64,
    body: impl FnOnce(&Run) -> Result<()>,
) -> ExitCode {
    let command = Command::new(name).about(about);
    run_with(name, command, seed, |run, _| body(run))
}

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
            None => in_book(&Path::new("book/figures").join(name)),
        },
    };
    let there = files::writable(&run.out).with_context(|| no_figures(&run.out));
    report(name, there.and_then(|()| body(&run, &args)))
}

fn no_figures(path: &Path) -> String {
    format!("cannot write {}; --out DIR names another folder", path.display())
}

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

fn in_book(path: &Path) -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let built = built.expect("chapters/support is inside");
    in_repository(&find_root().unwrap_or(built.to_path_buf()), path)
}

pub fn kept_folder(name: &str) -> PathBuf {
    in_book(&Path::new("target").join(name))
}

impl Run {
    pub fn figure(&self, name: &str, svg: &str) -> Result<()> {
        let path = self.out.join(name).with_extension("svg");
        files::replace(&path, svg.as_bytes()).with_context(|| no_figures(&path))?;
        println!("figure: {}", path.display());
        Ok(())
    }
}

pub fn can_keep(path: &Path) -> Result<()> {
    anyhow::ensure!(!path.is_dir(), "{}: a folder", no_model(path));
    files::writable(parent(path)).with_context(|| no_model(path))
}

pub fn keep(path: &Path, bytes: &[u8]) -> Result<()> {
    files::replace(path, bytes).with_context(|| no_model(path))
}

fn no_model(path: &Path) -> String {
    format!("cannot write {}; --model FILE names another", path.display())
}
