// ANCHOR: corpus
//! Interlude, the book's own sentences: `data/pairs.tsv`, which a grammar wrote.

/// What a pair of sentences is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// To train with.
    Train,
    /// To choose settings by.
    Validation,
    /// To judge a model by, once the settings are chosen.
    HeldOut,
}

/// A sentence of the book's corpus and its translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorpusPair {
    /// In English.
    pub english: &'static str,
    /// In French.
    pub french: &'static str,
    /// What the pair is for.
    pub split: Split,
}

/// The corpus as text; a hash of it names a saved model.
pub const PAIRS: &str = include_str!("../data/pairs.tsv");

/// Every pair in the order of the file, in which the kinds of sentences are
/// mixed.
pub fn pairs() -> impl Iterator<Item = CorpusPair> {
    PAIRS.lines().map(pair)
}

/// The pair of a line.
///
/// # Panics
/// The line has no three columns, or the third names no [`Split`].
pub fn pair(line: &'static str) -> CorpusPair {
    let mut columns = line.split('\t');
    let mut column = || columns.next().expect("three columns");
    let (english, french) = (column(), column());
    let split = match column() {
        "train" => Split::Train,
        "validation" => Split::Validation,
        "test" => Split::HeldOut,
        other => panic!("{other:?} names no part of the corpus"),
    };
    CorpusPair { english, french, split }
}
// ANCHOR_END: corpus
