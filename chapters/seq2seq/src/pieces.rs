// ANCHOR: header
//! Interlude, pieces of words: byte-pair encoding on letters, Sennrich, Haddow
//! and Birch 2016, "Neural Machine Translation of Rare Words with Subword Units".

use crate::dataset::Dataset;
use crate::text::Pair;
use crate::train::Seq2SeqModel;
use crate::vocab::{Vocab, Vocabularies};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
// ANCHOR_END: header

// ANCHOR: pieces
/// Begins every word, so that pieces can be joined to words again. A word that
/// contains it is joined as several.
pub const START: char = '▁';

/// How many merges our translators learn of each language.
pub const MERGES: usize = 200;
/// Steps of a sentence in pieces, its end included.
pub const STEPS: usize = 24;

/// Pieces of the words of a language.
#[derive(Clone, Debug)]
pub struct Pieces {
    /// The letters of the text, then what the merges made of them.
    pub vocab: Vocab,
    /// In the order in which they were learned.
    pub merges: Vec<Merge>,
}

/// Two pieces that become one, by their numbers in the vocabulary.
#[derive(Clone, Copy, Debug)]
pub struct Merge {
    /// What stands side by side.
    pub pair: (usize, usize),
    /// What it becomes.
    pub whole: usize,
}
// ANCHOR_END: pieces

// ANCHOR: merge
impl Merge {
    /// Merges the pair wherever it stands in a word, from left to right.
    fn apply(&self, word: &mut Vec<usize>) {
        let mut at = 0;
        while at + 1 < word.len() {
            if (word[at], word[at + 1]) == self.pair {
                word.splice(at..at + 2, [self.whole]);
            }
            at += 1;
        }
    }
}
// ANCHOR_END: merge

impl Pieces {
    // ANCHOR: learn
    /// Learns at most `count` merges from the words of `sentences`. Of pairs
    /// that are as frequent, the one of the smallest numbers is merged first.
    pub fn learn<'a>(
        sentences: impl IntoIterator<Item = &'a Vec<String>>,
        count: usize,
    ) -> Self {
        let mut words: BTreeMap<&str, usize> = BTreeMap::new();
        for word in sentences.into_iter().flatten() {
            *words.entry(word).or_default() += 1;
        }
        let letters = words.keys().flat_map(|word| word.chars()).chain([START]);
        let mut vocab = Vocab::new([], 1);
        for letter in BTreeSet::from_iter(letters) {
            vocab.add(letter.to_string());
        }
        let mut pieces = Pieces { vocab, merges: vec![] };
        let numbers = words.iter().map(|(word, &n)| (pieces.letters(word), n));
        let mut words: Vec<(Vec<usize>, usize)> = numbers.collect();
        while pieces.merges.len() < count
            && let Some(pair) = most_frequent_pair(&words)
        {
            let merge = pieces.add(pair);
            words.iter_mut().for_each(|(word, _)| merge.apply(word));
        }
        pieces
    }
    // ANCHOR_END: learn

    // ANCHOR: add
    fn add(&mut self, pair: (usize, usize)) -> Merge {
        let whole = self.vocab.decode(&[pair.0, pair.1]).concat();
        let merge = Merge { pair, whole: self.vocab.add(whole) };
        self.merges.push(merge);
        merge
    }

    fn letters(&self, word: &str) -> Vec<usize> {
        let letters = [START].into_iter().chain(word.chars());
        letters.map(|letter| self.vocab.number(&letter.to_string())).collect()
    }
    // ANCHOR_END: add

    // ANCHOR: split
    /// The pieces of a word: its letters, after all merges in their order. A
    /// letter that was not in the text is `<unk>`.
    pub fn split(&self, word: &str) -> Vec<String> {
        let mut numbers = self.letters(word);
        self.merges.iter().for_each(|merge| merge.apply(&mut numbers));
        self.vocab.decode(&numbers)
    }

    /// The pieces of all words of a sentence.
    pub fn split_all(&self, words: &[String]) -> Vec<String> {
        words.iter().flat_map(|word| self.split(word)).collect()
    }
    // ANCHOR_END: split
}

// ANCHOR: pairs
/// The most frequent pair of neighbours in words, each of which counts so many
/// times; none if all words are whole.
fn most_frequent_pair(words: &[(Vec<usize>, usize)]) -> Option<(usize, usize)> {
    let mut counts: HashMap<(usize, usize), usize> = HashMap::new();
    for (word, count) in words {
        for pair in word.windows(2) {
            *counts.entry((pair[0], pair[1])).or_default() += count;
        }
    }
    counts.into_iter().max_by_key(|&(pair, n)| (n, Reverse(pair))).map(|(pair, _)| pair)
}
// ANCHOR_END: pairs

// ANCHOR: join
/// The words that pieces are of.
pub fn join(pieces: &[String]) -> Vec<String> {
    let text = pieces.concat();
    let words = text.split(START).filter(|word| !word.is_empty());
    words.map(String::from).collect()
}
// ANCHOR_END: join

// ANCHOR: dataset
/// Pieces of both languages of a translator.
#[derive(Clone, Debug)]
pub struct PairPieces {
    /// Of the language that is read.
    pub source: Pieces,
    /// Of the language that is written.
    pub target: Pieces,
}

impl PairPieces {
    /// Learns at most `count` merges of each language.
    pub fn learn(pairs: &[Pair], count: usize) -> Self {
        PairPieces {
            source: Pieces::learn(pairs.iter().map(|pair| &pair.source), count),
            target: Pieces::learn(pairs.iter().map(|pair| &pair.target), count),
        }
    }

    /// The same pairs with pieces for tokens.
    pub fn dataset(&self, words: &Dataset) -> Dataset {
        let split = |pair: &Pair| Pair {
            source: self.source.split_all(&pair.source),
            target: self.target.split_all(&pair.target),
        };
        let split = |pairs: &[Pair]| pairs.iter().map(split).collect();
        Dataset {
            train: split(&words.train),
            validation: split(&words.validation),
            held_out: split(&words.held_out),
            vocabularies: Vocabularies {
                source: self.source.vocab.clone(),
                target: self.target.vocab.clone(),
            },
        }
    }
    // ANCHOR_END: dataset

    // ANCHOR: translate
    /// Translates words by a model that reads and writes pieces, at most S.
    pub fn translate<const S: usize>(
        &self,
        model: &impl Seq2SeqModel,
        words: &[String],
    ) -> Vec<String> {
        let row = self.source.vocab.encode::<S>(&self.source.split_all(words));
        join(&self.target.vocab.decode(&model.decode(row)))
    }
    // ANCHOR_END: translate
}
