// ANCHOR: header
//! Interlude, sentences as data: pairs to train with, pairs to choose settings
//! by, and pairs that are held out; and how well a model translates them.

use crate::bleu::{bleu, corpus_bleu};
use crate::corpus::{self, Split};
use crate::text::Pair;
use crate::train::{PART, STEPS, Seq2SeqModel, WORKERS};
use crate::vocab::{Batch, Vocabularies};
use anyhow::{Result, ensure};
use rand::{Rng, seq::SliceRandom};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
// ANCHOR_END: header

// ANCHOR: dataset
/// Pairs of sentences, split by what they are for.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// To train with.
    pub train: Vec<Pair>,
    /// To choose settings by.
    pub validation: Vec<Pair>,
    /// To judge a trained model by, once.
    pub held_out: Vec<Pair>,
    /// The vocabularies, of the training pairs alone.
    pub vocabularies: Vocabularies,
}
// ANCHOR_END: dataset

impl Dataset {
    // ANCHOR: book
    /// The corpus of the book.
    pub fn book() -> Self {
        let split = |split| {
            let pairs = corpus::pairs().filter(move |pair| pair.split == split);
            pairs.map(|pair| Pair::new(pair.english, pair.french)).collect()
        };
        let train: Vec<Pair> = split(Split::Train);
        Dataset {
            vocabularies: Vocabularies::new(&train),
            train,
            validation: split(Split::Validation),
            held_out: split(Split::HeldOut),
        }
    }

    /// Pairs that are all to train with.
    pub fn without_split(train: Vec<Pair>) -> Self {
        let (validation, held_out) = (vec![], vec![]);
        Dataset { vocabularies: Vocabularies::new(&train), train, validation, held_out }
    }
    // ANCHOR_END: book

    // ANCHOR: first
    /// The first `count` training pairs, and of the validation and the held-out
    /// pairs those whose words all occur in them, in both languages. The
    /// vocabularies stay: a model for it has as many parameters as before.
    pub fn first(&self, count: usize) -> Self {
        let train: Vec<Pair> = self.train.iter().take(count).cloned().collect();
        let words = |side: fn(&Pair) -> &Vec<String>| -> HashSet<String> {
            train.iter().flat_map(side).cloned().collect()
        };
        let (source, target) = (words(|pair| &pair.source), words(|pair| &pair.target));
        let known = |pair: &&Pair| {
            pair.source.iter().all(|word| source.contains(word))
                && pair.target.iter().all(|word| target.contains(word))
        };
        let known = |pairs: &[Pair]| pairs.iter().filter(known).cloned().collect();
        Dataset {
            validation: known(&self.validation),
            held_out: known(&self.held_out),
            vocabularies: self.vocabularies.clone(),
            train,
        }
    }
    // ANCHOR_END: first

    // ANCHOR: hold_out
    /// `count` source sentences, drawn at random, are held out with all their
    /// translations, and as many are there to validate.
    ///
    /// # Errors
    /// None would be left to train with.
    pub fn hold_out(
        pairs: Vec<Pair>,
        count: usize,
        rng: &mut impl Rng,
    ) -> Result<Self> {
        let sources: BTreeSet<Vec<String>> =
            pairs.iter().map(|pair| pair.source.clone()).collect();
        let mut sources = Vec::from_iter(sources);
        let most = sources.len().saturating_sub(1) / 2;
        let few = count <= most;
        ensure!(few, "of {} sentences at most {most} can be held out", sources.len());
        sources.shuffle(rng);
        let place: HashMap<_, _> = sources.into_iter().zip(0..).collect();
        let before = |end: usize, pair: &Pair| place[&pair.source] < end;
        let (held_out, pairs): (Vec<Pair>, Vec<Pair>) =
            pairs.into_iter().partition(|pair| before(count, pair));
        let (validation, train) =
            pairs.into_iter().partition(|pair| before(2 * count, pair));
        Ok(Dataset { validation, held_out, ..Dataset::without_split(train) })
    }
    // ANCHOR_END: hold_out

    // ANCHOR: near_and_far
    /// These pairs in two parts: those whose source becomes that of a training
    /// pair when one token is replaced, and the others.
    pub fn near_and_far(&self, pairs: &[Pair]) -> [Vec<Pair>; 2] {
        let near = |pair: &&Pair| {
            self.train.iter().any(|known| differ_in_one(&known.source, &pair.source))
        };
        let (near, far) = pairs.iter().partition::<Vec<&Pair>, _>(near);
        [near, far].map(|part| part.into_iter().cloned().collect())
    }
    // ANCHOR_END: near_and_far

    // ANCHOR: shuffled_batches
    /// Each training pair once, in an order drawn anew: batches of S steps, each
    /// in parts for the workers.
    ///
    /// # Errors
    /// There is no pair.
    pub fn shuffled_batches<const S: usize>(
        &self,
        rng: &mut impl Rng,
    ) -> Result<Vec<Vec<Batch<PART, S>>>> {
        ensure!(!self.train.is_empty(), "no pair to train with");
        let mut pairs: Vec<&Pair> = self.train.iter().collect();
        pairs.shuffle(rng);
        let part =
            |pairs: &[&Pair]| Batch::new(pairs.iter().copied(), &self.vocabularies);
        let batch = |pairs: &[&Pair]| {
            pairs.chunks(pairs.len().div_ceil(WORKERS)).map(part).collect()
        };
        pairs.chunks(PART * WORKERS).map(batch).collect()
    }
    // ANCHOR_END: shuffled_batches
}

// ANCHOR: differ_in_one
fn differ_in_one(a: &[String], b: &[String]) -> bool {
    a.len() == b.len() && a.iter().zip(b).filter(|(a, b)| a != b).count() == 1
}
// ANCHOR_END: differ_in_one

// ANCHOR: evaluation
/// How well a model translates sentences that have one right translation or
/// more: of several, the nearest counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// How many sentences there are.
    pub sentences: usize,
    /// The mean [`bleu`] of their translations, with k = 2.
    pub mean_bleu: f64,
    /// The [`corpus_bleu`] of all translations together.
    pub corpus_bleu: f64,
    /// Share of the translations that are right as a whole.
    pub exact: f64,
    /// How many translations are wrong as a whole.
    pub wrong: usize,
    /// How many of the wrong ones are sentences of the training, word for word.
    pub copied: usize,
}
// ANCHOR_END: evaluation

// ANCHOR: evaluate
impl Evaluation {
    /// Translates the sources of `pairs`, each once. Without any, the scores
    /// are 0.
    pub fn new<M: Seq2SeqModel>(model: &M, dataset: &Dataset, pairs: &[Pair]) -> Self {
        let Vocabularies { source, target } = &dataset.vocabularies;
        let translate = |sentence: &[String]| {
            target.decode(&model.decode(source.encode::<STEPS>(sentence)))
        };
        Self::of(translate, &dataset.train, pairs)
    }

    /// The same for whatever translates, trained with the pairs `train`.
    pub fn of(
        translate: impl Fn(&[String]) -> Vec<String>,
        train: &[Pair],
        pairs: &[Pair],
    ) -> Self {
        let trained: HashSet<&[String]> =
            train.iter().map(|pair| &pair.target[..]).collect();
        let mut references: BTreeMap<&[String], Vec<&[String]>> = BTreeMap::new();
        for pair in pairs {
            references.entry(&pair.source).or_default().push(&pair.target);
        }
        let translations: Vec<(Vec<String>, Vec<&[String]>)> = references
            .into_iter()
            .map(|(source, references)| (translate(source), references))
            .collect();
        let sentences = translations.len();
        let share = |of: f64| of / sentences.max(1) as f64;
        let (mut sum, mut wrong, mut copied) = (0.0, 0, 0);
        for (translation, references) in &translations {
            let scores = references.iter().map(|right| bleu(translation, right, 2));
            sum += scores.fold(0.0, f64::max);
            if !references.contains(&&translation[..]) {
                wrong += 1;
                copied += usize::from(trained.contains(&translation[..]));
            }
        }
        Evaluation {
            sentences,
            mean_bleu: share(sum),
            corpus_bleu: corpus_bleu(&translations),
            exact: share((sentences - wrong) as f64),
            wrong,
            copied,
        }
    }
}
// ANCHOR_END: evaluate
