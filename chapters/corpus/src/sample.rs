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
/// What the book asks the translator first: always there, always held out.
const SHOWN: [&str; 2] = ["the red car is new", "la voiture rouge est neuve"];

/// A sentence of the corpus.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name of its pattern.
    pub pattern: &'static str,
    /// In English.
    pub english: String,
    /// In French.
    pub french: String,
    /// Whether it is kept out of training.
    pub held_out: bool,
}

impl Entry {
    fn new(pattern: &'static str, draft: &Draft) -> Self {
        let chosen = hash(&draft.content).is_multiple_of(TENTH);
        let held_out = chosen || draft.content == SHOWN[0];
        let Draft { english, french, .. } = draft.clone();
        Entry { pattern, english, french, held_out }
    }

    /// The line of the file.
    pub fn line(&self) -> String {
        let use_ = if self.held_out { "test" } else { "train" };
        format!("{}\t{}\t{use_}\n", self.english, self.french)
    }
}

/// The corpus in the order of the file, which mixes the patterns: its first
/// lines are a fair sample of it.
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
    entries
}

/// The whole file.
pub fn file(entries: &[Entry]) -> String {
    entries.iter().map(Entry::line).collect()
}

struct Sampler {
    dice: Dice,
    seen: BTreeSet<String>,
    /// How often each word, of English or French, is in training.
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
        words(draft).map(count).min().unwrap_or(0)
    }

    fn keep(&mut self, pattern: &'static str, draft: Draft) {
        self.seen.insert(draft.english.clone());
        let entry = Entry::new(pattern, &draft);
        if !entry.held_out {
            for word in words(&draft) {
                *self.count.entry(word).or_default() += 1;
            }
        }
        self.kept.push(entry);
    }
}

/// The words of both languages, those of French marked.
fn words(draft: &Draft) -> impl Iterator<Item = (bool, String)> {
    let side =
        |text: &str, french| tokens(text).into_iter().map(move |word| (french, word));
    side(&draft.english, false).chain(side(&draft.french, true))
}

/// FNV-1a over the seed and the text, its bits mixed once more.
fn hash(text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ SEED;
    let step = |h: u64, byte| (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let h = text.bytes().fold(start, step);
    (h ^ (h >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}
