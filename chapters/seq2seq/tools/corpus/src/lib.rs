//! The parallel corpus of the book: English sentences with their French
//! translations, made by the grammar of this crate and saved in
//! `chapters/seq2seq/data/pairs.tsv`. `cargo run -p corpus` writes the file
//! anew; the crate `seq2seq` reads it.
//!
//! The sentences were written for this book and are released under CC BY
//! 4.0; see `README.md`.

mod adjectives;
mod clause;
mod dice;
mod grammar;
mod nouns;
mod phrase;
mod sample;
mod scenes;
mod sound;
mod verbs;
mod words;

pub use sample::{Entry, LONGEST, Split, entries, entries_from, file};

/// The file: on each line English, a tab, French, a tab, and `train`,
/// `validation` or `test`.
pub const PAIRS: &str = include_str!("../../../data/pairs.tsv");

/// A sentence and its translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// In English.
    pub english: &'static str,
    /// In French.
    pub french: &'static str,
    /// What it is for.
    pub split: Split,
    /// Whether it is for the test.
    pub held_out: bool,
}

/// Every pair, in the order of the file, in which the patterns are mixed.
pub fn pairs() -> Vec<Pair> {
    PAIRS.lines().filter_map(pair).collect()
}

fn pair(line: &'static str) -> Option<Pair> {
    let (english, rest) = line.split_once('\t')?;
    let (french, part) = rest.split_once('\t')?;
    let split = Split::ALL.into_iter().find(|split| split.name() == part)?;
    Some(Pair { english, french, split, held_out: split == Split::HeldOut })
}

/// The tokens of a sentence as the book counts them: lower case, a space
/// before each of `, . ! ?`, split at spaces.
pub fn tokens(text: &str) -> Vec<String> {
    let mut spaced = String::new();
    for letter in text.to_lowercase().chars() {
        if ",.!?".contains(letter) && !spaced.ends_with(' ') {
            spaced.push(' ');
        }
        spaced.push(letter);
    }
    spaced.split_whitespace().map(str::to_string).collect()
}
