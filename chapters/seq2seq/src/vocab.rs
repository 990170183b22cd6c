// ANCHOR: header
//! Interlude, sentences as data: vocabularies, and sentences as rows of equally
//! many numbers.

use crate::text::Pair;
use anyhow::{Result, ensure};
use std::cmp::Reverse;
use std::collections::HashMap;
// ANCHOR_END: header

// ANCHOR: special
/// Stands for a word that is not in the vocabulary.
pub const UNK: usize = 0;
/// Fills a row up.
pub const PAD: usize = 1;
/// Begins a translation.
pub const BOS: usize = 2;
/// Ends a sentence.
pub const EOS: usize = 3;

/// The tokens of these four.
const SPECIAL: [&str; 4] = ["<unk>", "<pad>", "<bos>", "<eos>"];
// ANCHOR_END: special

// ANCHOR: vocab
/// The tokens of a language, numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocab {
    tokens: Vec<String>,
    numbers: HashMap<String, usize>,
}
// ANCHOR_END: vocab

impl Vocab {
    // ANCHOR: vocab_new
    /// The tokens that occur at least `min_count` times in `sentences`. The
    /// most frequent come first, after the four special ones; of two as
    /// frequent, the one that occurs first.
    pub fn new<'a>(
        sentences: impl IntoIterator<Item = &'a Vec<String>>,
        min_count: usize,
    ) -> Self {
        let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
        for (position, token) in sentences.into_iter().flatten().enumerate() {
            counts.entry(token).or_insert((0, position)).0 += 1;
        }
        let frequent =
            |(token, (count, _)): &_| *count >= min_count && !SPECIAL.contains(token);
        let mut frequent: Vec<(&str, (usize, usize))> =
            counts.into_iter().filter(frequent).collect();
        frequent.sort_by_key(|&(_, (count, first))| (Reverse(count), first));
        let frequent = frequent.into_iter().map(|(token, _)| token);
        Self::from_tokens(
            SPECIAL.into_iter().chain(frequent).map(String::from).collect(),
        )
    }
    // ANCHOR_END: vocab_new

    // ANCHOR: vocab_plumbing
    /// A vocabulary from its tokens in order, the four special ones included.
    pub fn from_tokens(tokens: Vec<String>) -> Self {
        let mut numbers = HashMap::new();
        // A reader who types `<eos>` types a word, and not the end.
        for (number, token) in tokens.iter().enumerate().skip(SPECIAL.len()) {
            numbers.entry(token.clone()).or_insert(number);
        }
        Vocab { tokens, numbers }
    }

    /// The number of a token, which becomes the last one if it has none.
    pub fn add(&mut self, token: String) -> usize {
        let next = self.tokens.len();
        let number = *self.numbers.entry(token.clone()).or_insert(next);
        if number == next {
            self.tokens.push(token);
        }
        number
    }

    /// Its tokens, in order.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// How many tokens it has.
    pub fn size(&self) -> usize {
        self.tokens.len()
    }
    // ANCHOR_END: vocab_plumbing

    // ANCHOR: encode
    /// The number of a token, [`UNK`] if it has none.
    pub fn number(&self, token: &str) -> usize {
        self.numbers.get(token).copied().unwrap_or(UNK)
    }

    /// A sentence as S numbers and its valid length: its tokens, [`EOS`], then
    /// [`PAD`]. What is too long is cut off.
    pub fn encode<const S: usize>(&self, sentence: &[String]) -> ([usize; S], usize) {
        let numbers = sentence.iter().map(|token| self.number(token));
        let mut row = [PAD; S];
        for (cell, number) in row.iter_mut().zip(numbers.chain([EOS])) {
            *cell = number;
        }
        (row, S.min(sentence.len() + 1))
    }

    /// Numbers as tokens.
    pub fn decode(&self, numbers: &[usize]) -> Vec<String> {
        numbers.iter().map(|&number| self.tokens[number].clone()).collect()
    }
    // ANCHOR_END: encode
}

// ANCHOR: vocabularies
/// The two vocabularies of a translator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabularies {
    /// Of the language that is read.
    pub source: Vocab,
    /// Of the language that is written.
    pub target: Vocab,
}

impl Vocabularies {
    /// The tokens that occur twice or more often in `pairs`.
    pub fn new(pairs: &[Pair]) -> Self {
        Vocabularies {
            source: Vocab::new(pairs.iter().map(|pair| &pair.source), 2),
            target: Vocab::new(pairs.iter().map(|pair| &pair.target), 2),
        }
    }

    /// The sizes of both.
    pub fn sizes(&self) -> (usize, usize) {
        (self.source.size(), self.target.size())
    }
}
// ANCHOR_END: vocabularies

// ANCHOR: batch
/// Sentences and translations as numbers: B pairs of S steps a side.
#[derive(Clone, Debug)]
pub struct Batch<const B: usize, const S: usize> {
    /// The sentences.
    pub source: [[usize; S]; B],
    /// How many tokens of each count.
    pub source_lens: [usize; B],
    /// Their translations, the labels of the decoder.
    pub target: [[usize; S]; B],
    /// How many tokens of each count.
    pub target_lens: [usize; B],
}
// ANCHOR_END: batch

impl<const B: usize, const S: usize> Batch<B, S> {
    // ANCHOR: batch_new
    /// At most B pairs. The rows that are left over have length 0: nothing
    /// attends to them, and they do not enter the loss.
    ///
    /// # Errors
    /// There are more than B.
    pub fn new<'a>(
        pairs: impl IntoIterator<Item = &'a Pair>,
        vocabularies: &Vocabularies,
    ) -> Result<Self> {
        let empty = ([[PAD; S]; B], [0; B]);
        let (mut source, mut source_lens) = empty;
        let (mut target, mut target_lens) = empty;
        for (b, pair) in pairs.into_iter().enumerate() {
            ensure!(b < B, "more than {B} pairs for a batch");
            (source[b], source_lens[b]) = vocabularies.source.encode(&pair.source);
            (target[b], target_lens[b]) = vocabularies.target.encode(&pair.target);
        }
        Ok(Batch { source, source_lens, target, target_lens })
    }

    /// How many tokens of the translations count.
    pub fn target_tokens(&self) -> usize {
        self.target_lens.iter().sum()
    }
    // ANCHOR_END: batch_new

    // ANCHOR: teacher_forcing
    /// What the decoder reads in training: [`BOS`], then the right
    /// translation, one step late (**teacher forcing**).
    pub fn teacher_forcing(&self) -> [[usize; S]; B] {
        let late = |row: &[usize; S]| {
            std::array::from_fn(|s| if s == 0 { BOS } else { row[s - 1] })
        };
        self.target.each_ref().map(late)
    }
    // ANCHOR_END: teacher_forcing
}
