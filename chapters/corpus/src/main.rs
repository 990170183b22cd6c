//! Writes `pairs.tsv` anew from the grammar and says what is in it:
//! `cargo run -p corpus`. With `--show N` it prints N examples of every
//! pattern, to be read by someone who knows both languages.

use clap::{Arg, ArgMatches, Command, value_parser};
use corpus::{Entry, entries, tokens};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use support::heading;

const NAME: &str = "corpus";

fn main() -> ExitCode {
    support::quiet_panics(NAME);
    match command().try_get_matches() {
        Ok(args) => support::report(NAME, write(&args)),
        Err(error) => support::usage(NAME, &error),
    }
}

fn command() -> Command {
    let out = Arg::new("out").long("out").value_name("FILE");
    let show = Arg::new("show").long("show").value_name("N");
    Command::new(NAME)
        .about("Write the book's English-French sentences from their grammar")
        .disable_version_flag(true)
        .arg(
            out.value_parser(value_parser!(PathBuf))
                .help("Write to this file [default: the book's own]"),
        )
        .arg(
            show.value_parser(value_parser!(usize))
                .default_value("2")
                .help("How many examples of each pattern to print"),
        )
}

fn write(args: &ArgMatches) -> anyhow::Result<()> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("pairs.tsv");
    let path = args.get_one::<PathBuf>("out").unwrap_or(&own);
    let entries = entries();
    support::write_whole(path, corpus::file(&entries).as_bytes())?;
    numbers(&entries);
    sides(&entries);
    patterns(&entries, *args.get_one("show").expect("has a default"));
    Ok(())
}

fn numbers(entries: &[Entry]) {
    heading("Pairs");
    let held_out: Vec<&Entry> = entries.iter().filter(|e| e.held_out).collect();
    let trained: Vec<Vec<String>> =
        entries.iter().filter(|e| !e.held_out).map(words).collect();
    let near = |e: &&&Entry| trained.iter().any(|t| one_apart(t, &words(e)));
    println!("for training: {}", trained.len());
    println!("held out:     {}", held_out.len());
    let near = held_out.iter().filter(near).count();
    println!("held out, one English word away from a trained one: {near}");
}

fn words(entry: &Entry) -> Vec<String> {
    tokens(&entry.english)
}

/// Whether two sentences differ in one word.
fn one_apart(a: &[String], b: &[String]) -> bool {
    a.len() == b.len() && a.iter().zip(b).filter(|(a, b)| a != b).count() == 1
}

fn sides(entries: &[Entry]) {
    heading("Words");
    println!("          distinct  a sentence  longest  rarest in training");
    let english: fn(&Entry) -> &str = |e| &e.english;
    let french: fn(&Entry) -> &str = |e| &e.french;
    for (name, side) in [("English", english), ("French", french)] {
        let all = || entries.iter().map(|e| tokens(side(e)));
        let total: usize = all().map(|words| words.len()).sum();
        let longest = all().map(|words| words.len()).max().unwrap_or(0);
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        for entry in entries {
            for word in tokens(side(entry)) {
                *count.entry(word).or_default() += usize::from(!entry.held_out);
            }
        }
        let rarest = count.iter().min_by_key(|(_, n)| **n);
        let (word, times) = rarest.map_or(("", 0), |(w, n)| (w.as_str(), *n));
        let mean = total as f64 / entries.len() as f64;
        let kinds = count.len();
        println!("{name:<8}{kinds:>10}{mean:>12.1}{longest:>9}  {word}: {times}");
    }
}

fn patterns(entries: &[Entry], show: usize) {
    heading("Patterns");
    let mut names: Vec<&str> = entries.iter().map(|e| e.pattern).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let of = || entries.iter().filter(|e| e.pattern == name);
        println!("{:>5}  {name}", of().count());
        for entry in of().take(show) {
            println!("       {} / {}", entry.english, entry.french);
        }
    }
}
