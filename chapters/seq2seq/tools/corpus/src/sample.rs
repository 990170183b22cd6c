//! Which sentences of the grammar the corpus holds, and which of them are
//! held out.

use crate::clause::{Draft, NOBODY};
use crate::dice::Dice;
use crate::grammar::{PATTERNS, Pattern};
use crate::tokens;
use std::collections::{BTreeMap, BTreeSet};

/// Fixes every choice of the grammar.
const SEED: u64 = 104;
/// The longest sentence, in tokens.
pub const LONGEST: usize = 9;
/// How many sentences are drawn for each that is kept: the one whose rarest
/// word is the rarest so far, so that no word stays rare.
const DRAWN: usize = 48;
/// Every pattern gives a tenth of its share in each round, so that each can
/// make up for the words that the others left rare.
const ROUNDS: usize = 10;
/// How often a pattern may draw before it counts as exhausted.
const TRIES: usize = 400;
/// One content in ten is held out.
const TENTH: u64 = 10;
/// Of the other contents, one in so many is for validation.
const VALIDATION: u64 = 19;
/// No word is in fewer sentences to train with.
pub const RAREST: usize = 10;
/// What the book asks the translator first: always there, always held out.
const SHOWN: [&str; 2] = ["the red car is new", "la voiture rouge est neuve"];

/// What a pair is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Split {
    /// To train with.
    Train,
    /// To choose settings by.
    Validation,
    /// To judge a model by: one in ten.
    HeldOut,
}

impl Split {
    /// All three.
    pub const ALL: [Split; 3] = [Split::Train, Split::Validation, Split::HeldOut];

    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::Validation => "validation",
            Split::HeldOut => "test",
        }
    }
}

/// A sentence of the corpus.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name of its pattern.
    pub pattern: &'static str,
    /// In English.
    pub english: String,
    /// In French.
    pub french: String,
    /// What it is for.
    pub split: Split,
    /// What a statement shares with its negation and its question.
    content: String,
}

impl Entry {
    fn new(pattern: &'static str, draft: &Draft) -> Self {
        let chosen = hash(&draft.content).is_multiple_of(TENTH);
        let split = match chosen || draft.content == SHOWN[0] {
            true => Split::HeldOut,
            false => Split::Train,
        };
        let Draft { english, french, content, .. } = draft.clone();
        Entry { pattern, english, french, split, content }
    }

    /// The line of the file.
    pub fn line(&self) -> String {
        format!("{}\t{}\t{}\n", self.english, self.french, self.split.name())
    }
}

/// The corpus in the order of the file, which mixes the patterns.
pub fn entries() -> Vec<Entry> {
    entries_from(SEED)
}

/// Another corpus of the same grammar, as a test of the grammar.
pub fn entries_from(seed: u64) -> Vec<Entry> {
    let mut sampler = Sampler {
        dice: Dice::new(seed),
        seen: BTreeSet::new(),
        count: BTreeMap::new(),
        kept: Vec::new(),
    };
    let shown = Draft::new(NOBODY, SHOWN[0], SHOWN[1], '.');
    sampler.keep(PATTERNS[1].name, shown.about(SHOWN[0].to_string()));
    for _ in 0..ROUNDS {
        PATTERNS.iter().for_each(|pattern| sampler.fill(pattern));
    }
    let mut entries = sampler.kept;
    entries.sort_by_key(|entry| hash(&entry.english));
    validate(&mut entries);
    entries
}

/// Takes contents out of training, whole: one in [`VALIDATION`] by a hash of
/// its own, but none whose words would then be too rare.
fn validate(entries: &mut [Entry]) {
    let train = entries.iter().filter(|entry| entry.split == Split::Train);
    let mut count: BTreeMap<(bool, String), usize> = BTreeMap::new();
    let mut contents: BTreeMap<String, Vec<(bool, String)>> = BTreeMap::new();
    for entry in train {
        words(entry).for_each(|word| *count.entry(word).or_default() += 1);
        contents.entry(entry.content.clone()).or_default().extend(words(entry));
    }
    let drawn = |content: &str| {
        hash(&format!("validation: {content}")).is_multiple_of(VALIDATION)
    };
    contents.retain(|content, words| {
        if !drawn(content) {
            return false;
        }
        for word in words.iter() {
            *count.entry(word.clone()).or_default() -= 1;
        }
        let spared = words.iter().all(|word| count[word] >= RAREST);
        if !spared {
            words.drain(..).for_each(|word| *count.entry(word).or_default() += 1);
        }
        spared
    });
    for entry in entries {
        if entry.split == Split::Train && contents.contains_key(&entry.content) {
            entry.split = Split::Validation;
        }
    }
}

/// The whole file.
pub fn file(entries: &[Entry]) -> String {
    entries.iter().map(Entry::line).collect()
}

struct Sampler {
    dice: Dice,
    seen: BTreeSet<String>,
    /// How often each word, of English or French, is in a sentence that is not
    /// held out.
    count: BTreeMap<(bool, String), usize>,
    kept: Vec<Entry>,
}

impl Sampler {
    fn fill(&mut self, pattern: &Pattern) {
        for _ in 0..pattern.share / ROUNDS {
            let drawn = (0..DRAWN).filter_map(|_| self.draw(pattern));
            let drawn: Vec<Draft> = drawn.collect();
            let rarest = drawn.into_iter().min_by_key(|d| self.rarity(d));
            if let Some(draft) = rarest {
                self.keep(pattern.name, draft);
            }
        }
    }

    /// A sentence that is new and short enough.
    fn draw(&mut self, pattern: &Pattern) -> Option<Draft> {
        let long = |text: &str| tokens(text).len() > LONGEST;
        (0..TRIES).find_map(|_| {
            let draft = (pattern.draw)(&mut self.dice)?;
            let fits = !self.seen.contains(&draft.english)
                && !long(&draft.english)
                && !long(&draft.french);
            fits.then_some(draft)
        })
    }

    /// How often the rarest word of the sentence is in training so far.
    fn rarity(&self, draft: &Draft) -> usize {
        let count = |word| self.count.get(&word).copied().unwrap_or(0);
        both(&draft.english, &draft.french).map(count).min().unwrap_or(0)
    }

    fn keep(&mut self, pattern: &'static str, draft: Draft) {
        self.seen.insert(draft.english.clone());
        let entry = Entry::new(pattern, &draft);
        if entry.split == Split::Train {
            for word in words(&entry) {
                *self.count.entry(word).or_default() += 1;
            }
        }
        self.kept.push(entry);
    }
}

fn words(entry: &Entry) -> impl Iterator<Item = (bool, String)> {
    both(&entry.english, &entry.french)
}

/// The words of both languages, those of French marked.
fn both(english: &str, french: &str) -> impl Iterator<Item = (bool, String)> {
    let side =
        |text: &str, french| tokens(text).into_iter().map(move |word| (french, word));
    side(english, false).chain(side(french, true))
}

/// FNV-1a over the seed and the text, its bits mixed once more.
fn hash(text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ SEED;
    let step = |h: u64, byte| (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let h = text.bytes().fold(start, step);
    (h ^ (h >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}
