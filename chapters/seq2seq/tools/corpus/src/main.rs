//! Writes `pairs.tsv` anew from the grammar and says what is in it:
//! `cargo run -p corpus`. With `--show N` it prints N examples of every
//! pattern, to be read by someone who knows both languages.

use anyhow::anyhow;
use corpus::{Entry, Split, entries, tokens};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use support::{find_root, heading, write_whole};

/// Write the book's English-French sentences from their grammar
#[derive(clap::Parser)]
struct Args {
    /// Write to this file [default: the book's own]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How many examples of each pattern to print
    #[arg(long, value_name = "N", default_value_t = 2)]
    show: usize,
}

fn main() -> ExitCode {
    support::run("corpus", |args: Args| {
        let path = match args.out {
            Some(path) => path,
            None => {
                let root =
                    find_root().map_err(|e| anyhow!("{e}: --out names a file"))?;
                root.join("chapters/seq2seq/data/pairs.tsv")
            }
        };
        let entries = entries();
        write_whole(&path, corpus::file(&entries).as_bytes())?;
        numbers(&entries);
        sides(&entries);
        patterns(&entries, args.show);
        Ok(())
    })
}

fn of(entries: &[Entry], split: Split) -> impl Iterator<Item = &Entry> {
    entries.iter().filter(move |entry| entry.split == split)
}

fn numbers(entries: &[Entry]) {
    heading("Pairs");
    let trained: Vec<Vec<String>> = of(entries, Split::Train).map(words).collect();
    let near = |e: &&Entry| trained.iter().any(|t| one_apart(t, &words(e)));
    println!("for training:   {}", trained.len());
    println!("for validation: {}", of(entries, Split::Validation).count());
    println!("held out:       {}", of(entries, Split::HeldOut).count());
    let near = of(entries, Split::HeldOut).filter(near).count();
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
                let trained = usize::from(entry.split == Split::Train);
                *count.entry(word).or_default() += trained;
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
