//! A reader's sentence as the translators of the book read it.

use anyhow::{Result, ensure};
use seq2seq::text::tokens;
use seq2seq::train::STEPS;
use seq2seq::vocab::{EOS, UNK, Vocab};
use serde::Serialize;

/// A sentence, ready to be read.
pub struct Sentence {
    /// Its tokens and the end, as they are shown.
    pub words: Vec<String>,
    /// Those of them that are not in the vocabulary.
    pub unknown: Vec<String>,
    /// Its numbers, filled up, and how many of them count.
    pub source: ([usize; STEPS], usize),
}

impl Sentence {
    /// Splits a sentence into tokens and numbers them.
    ///
    /// # Errors
    /// It has no token, or more than the models read.
    pub fn new(sentence: &str, vocab: &Vocab) -> Result<Self> {
        let mut words = tokens(&sentence.replace(char::is_control, " "));
        let (len, most) = (words.len(), STEPS - 1);
        ensure!(len > 0, "write an English sentence, such as “The red car is new.”");
        ensure!(
            len <= most,
            "these are {len} words and marks; the model reads at most {most}"
        );
        let unknown = words.iter().filter(|word| vocab.number(word) == UNK);
        let unknown = unknown.map(|word| shown(word)).collect();
        let source = vocab.encode(&words);
        words.push(vocab.tokens()[EOS].clone());
        let words = words.iter().map(|word| shown(word)).collect();
        Ok(Sentence { words, unknown, source })
    }
}

/// A word, or the beginning of one that no one wants to read whole.
fn shown(word: &str) -> String {
    match word.char_indices().nth(24) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_string(),
    }
}

/// The words that a reader may use.
#[derive(Serialize)]
pub struct Words {
    /// The most frequent first, without the special tokens.
    pub words: Vec<String>,
}

impl Words {
    /// Those of a vocabulary.
    pub fn new(vocab: &Vocab) -> Self {
        Words { words: vocab.tokens()[EOS + 1..].to_vec() }
    }
}
