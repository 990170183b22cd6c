//! The parallel corpus of the book: English sentences with their French
//! translations, made by the grammar of this crate and kept in `pairs.tsv`.
//! `cargo run -p corpus` writes the file anew. The interlude before section
//! 10.4 reads it; how a text becomes tensors is told there.
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

pub use sample::{Entry, LONGEST, entries, entries_from, file};

/// The file: on each line English, a tab, French, a tab, `train` or `test`.
pub const PAIRS: &str = include_str!("../pairs.tsv");

/// A sentence and its translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// In English.
    pub english: &'static str,
    /// In French.
    pub french: &'static str,
    /// Whether the pair is kept out of training: one in ten is.
    pub held_out: bool,
}

/// Every pair, in the order of the file: the patterns are mixed, so that
/// the first hundred are a fair sample of all.
pub fn pairs() -> Vec<Pair> {
    PAIRS.lines().filter_map(pair).collect()
}

fn pair(line: &'static str) -> Option<Pair> {
    let (english, rest) = line.split_once('\t')?;
    let (french, part) = rest.split_once('\t')?;
    Some(Pair { english, french, held_out: part == "test" })
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
