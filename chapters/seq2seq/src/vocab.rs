// ANCHOR: vocab_header
//! Interlude, sentences to tensors: vocabularies, and sentences as rows of
//! equally many numbers.

use crate::text::Pair;
use anyhow::{Result, ensure};
use std::collections::HashMap;
// ANCHOR_END: vocab_header

// ANCHOR: special
/// In place of a word that is not in the vocabulary.
pub const UNK: usize = 0;
/// Fills a row up.
pub const PAD: usize = 1;
/// Begins a translation.
pub const BOS: usize = 2;
/// Ends a sentence.
pub const EOS: usize = 3;
// ANCHOR_END: special

// ANCHOR: vocab
/// The tokens of a language, numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocab {
    tokens: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Vocab {
    /// The tokens that occur at least `min_count` times in `sentences`. The
    /// most frequent come first, after the four above; of two as frequent,
    /// the one that was met first.
    pub fn new<'a>(
        sentences: impl IntoIterator<Item = &'a Vec<String>>,
        min_count: usize,
    ) -> Self {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        let mut places = HashMap::new();
        for token in sentences.into_iter().flatten() {
            let place = *places.entry(token.as_str()).or_insert(counts.len());
            if place == counts.len() {
                counts.push((token, 0));
            }
            counts[place].1 += 1;
        }
        counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let special = ["<unk>", "<pad>", "<bos>", "<eos>"];
        let frequent = counts
            .iter()
            .filter(|(token, count)| *count >= min_count && !special.contains(token));
        let all = special.into_iter().chain(frequent.map(|&(token, _)| token));
        Self::from_tokens(all.map(String::from).collect())
    }

    /// A vocabulary from its tokens in order, the four special ones included.
    pub fn from_tokens(tokens: Vec<String>) -> Self {
        let mut numbers = HashMap::new();
        for (number, token) in tokens.iter().enumerate() {
            numbers.entry(token.clone()).or_insert(number);
        }
        Vocab { tokens, numbers }
    }

    /// Its tokens, in order.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// The number of a token, [`UNK`] if it has none.
    pub fn number(&self, token: &str) -> usize {
        self.numbers.get(token).copied().unwrap_or(UNK)
    }

    /// A sentence as S numbers and how many of them count: its tokens,
    /// [`EOS`], then [`PAD`]. What is too long is cut off.
    pub fn row<const S: usize>(&self, sentence: &[String]) -> ([usize; S], usize) {
        let numbers = sentence.iter().map(|token| self.number(token));
        let mut row = [PAD; S];
        let len = S.min(sentence.len() + 1);
        for (cell, number) in row.iter_mut().zip(numbers.chain([EOS])) {
            *cell = number;
        }
        (row, len)
    }
}
// ANCHOR_END: vocab

// ANCHOR: languages
/// The two vocabularies of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Languages {
    /// Of the language that is read.
    pub source: Vocab,
    /// Of the language that is written.
    pub target: Vocab,
}

impl Languages {
    /// The vocabularies of `pairs`, of tokens that occur twice or more often.
    pub fn of(pairs: &[Pair]) -> Self {
        Languages {
            source: Vocab::new(pairs.iter().map(|pair| &pair.source), 2),
            target: Vocab::new(pairs.iter().map(|pair| &pair.target), 2),
        }
    }
}
// ANCHOR_END: languages

// ANCHOR: batch
/// Sentences and translations as numbers: B pairs of S steps a side.
#[derive(Clone, Debug)]
pub struct Batch<const B: usize, const S: usize> {
    /// The sentences.
    pub source: [[usize; S]; B],
    /// How many tokens of each count.
    pub source_lens: [usize; B],
    /// Their translations.
    pub target: [[usize; S]; B],
    /// How many tokens of each count.
    pub target_lens: [usize; B],
}

impl<const B: usize, const S: usize> Batch<B, S> {
    /// At most B pairs. The rows that are left over have length 0: they are
    /// not attended to and do not enter the loss.
    ///
    /// # Errors
    /// There are more than B.
    pub fn new<'a>(
        pairs: impl IntoIterator<Item = &'a Pair>,
        languages: &Languages,
    ) -> Result<Self> {
        let empty = ([[PAD; S]; B], [0; B]);
        let (mut source, mut source_lens) = empty;
        let (mut target, mut target_lens) = empty;
        for (b, pair) in pairs.into_iter().enumerate() {
            ensure!(b < B, "more than {B} pairs for a batch");
            (source[b], source_lens[b]) = languages.source.row(&pair.source);
            (target[b], target_lens[b]) = languages.target.row(&pair.target);
        }
        Ok(Batch { source, source_lens, target, target_lens })
    }

    /// How many tokens of the translations count.
    pub fn tokens(&self) -> usize {
        self.target_lens.iter().sum()
    }

    /// What the decoder reads in training: [`BOS`], then the right
    /// translation, one step late (**teacher forcing**).
    pub fn forced(&self) -> [[usize; S]; B] {
        let late = |row: &[usize; S]| {
            std::array::from_fn(|s| if s == 0 { BOS } else { row[s - 1] })
        };
        self.target.each_ref().map(late)
    }
}
// ANCHOR_END: batch
