// ANCHOR: course_header
//! Interlude, what is learnt and what is asked: sentences to train with and
//! sentences that are held out, one epoch, and a score.

use crate::bleu::bleu;
use crate::context::Context;
use crate::text::{Pair, read_pairs};
use crate::train::{Learner, Training};
use crate::translator::{Dropouts, Translator};
use crate::vocab::{Batch, Languages, Vocab};
use anyhow::{Context as _, Result};
use ch10_1::Dev;
use rand::{Rng, SeedableRng, rngs::StdRng, seq::SliceRandom};
use std::collections::BTreeMap;
use std::path::Path;
use support::Progress;
// ANCHOR_END: course_header

// ANCHOR: settings
/// Steps of a sentence, its end included.
pub const STEPS: usize = 10;
/// Pairs in a batch, and workers that share it.
pub const BATCH: usize = 64;
/// Workers, as many whatever the machine: so the result is the same.
pub const WORKERS: usize = 2;
/// A worker's part of a batch.
pub const PART: usize = BATCH / WORKERS;

/// How long a model learns, and how fast.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// How often the sentences are gone through.
    pub epochs: usize,
    /// The learning rate that it falls from.
    pub rate: f32,
    /// Share of it that is left in the last epoch.
    pub left: f32,
    /// In so many epochs before that, it rises.
    pub warm_up: usize,
}

impl Schedule {
    /// The learning rate of an epoch, counted from 0: it falls by the same
    /// amount each time; after the warm-up, if there is one.
    pub fn rate_of(&self, epoch: usize) -> f32 {
        if epoch < self.warm_up {
            return self.rate * (epoch + 1) as f32 / (self.warm_up + 1) as f32;
        }
        let last = self.epochs.saturating_sub(self.warm_up + 1).max(1);
        let gone = (epoch - self.warm_up) as f32 / last as f32;
        self.rate * (1.0 - (1.0 - self.left) * gone)
    }
}

/// How a translator is made and trained.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Layers of the encoder, and of the decoder.
    pub layers: usize,
    /// What is set to 0.
    pub dropouts: Dropouts,
    /// How it learns.
    pub schedule: Schedule,
}

/// For the sentences of the book.
pub const BOOK: Settings = Settings {
    layers: 1,
    dropouts: Dropouts { words: 0.15, layers: 0.0 },
    schedule: Schedule { epochs: 40, rate: 0.005, left: 0.05, warm_up: 0 },
};

/// As in *Dive into Deep Learning*.
pub const D2L: Settings = Settings {
    layers: 2,
    dropouts: Dropouts { words: 0.0, layers: 0.1 },
    schedule: Schedule { epochs: 250, rate: 0.005, left: 1.0, warm_up: 0 },
};
// ANCHOR_END: settings

// ANCHOR: course
/// Pairs of sentences to train with, and others to ask.
#[derive(Clone, Debug)]
pub struct Course {
    /// To train with.
    pub training: Vec<Pair>,
    /// To ask. Where nothing is held out they are those of the training.
    pub asked: Vec<Pair>,
    /// The vocabularies, of the training alone.
    pub languages: Languages,
}
// ANCHOR_END: course

// ANCHOR: course_impl
impl Course {
    /// The corpus of the book, of which a tenth is held out.
    ///
    /// # Errors
    /// The corpus is not as it should be.
    pub fn book() -> Result<Self> {
        let (mut training, mut asked) = (String::new(), String::new());
        for pair in corpus::pairs() {
            let side = if pair.held_out { &mut asked } else { &mut training };
            *side += &format!("{}\t{}\n", pair.english, pair.french);
        }
        let training = read_pairs(training.as_bytes(), usize::MAX)?;
        let asked = read_pairs(asked.as_bytes(), usize::MAX)?;
        let languages = Languages::of(&training);
        Ok(Course { training, asked, languages })
    }

    /// The first `limit` pairs of a file. Nothing is held out.
    ///
    /// # Errors
    /// The file cannot be read, or is not as [`read_pairs`] wants it.
    pub fn file(path: &Path, limit: usize) -> Result<Self> {
        let bytes = support::read_whole(path)?;
        let pairs = read_pairs(&bytes, limit);
        let pairs = pairs.with_context(|| path.display().to_string())?;
        let languages = Languages::of(&pairs);
        Ok(Course { training: pairs.clone(), asked: pairs, languages })
    }

    /// How many words each language has.
    pub fn words(&self) -> (usize, usize) {
        let Languages { source, target } = &self.languages;
        (source.tokens().len(), target.tokens().len())
    }

    /// How many batches an epoch has.
    pub fn batches(&self) -> usize {
        self.training.len().div_ceil(BATCH)
    }

    /// A translator for these sentences, as training starts from it.
    pub fn translator<const EMBED: usize, const HIDDEN: usize, C>(
        &self,
        dev: &Dev,
        how: &Settings,
        context: C,
    ) -> Translator<EMBED, HIDDEN, C>
    where
        C: Context<HIDDEN>,
    {
        let Settings { layers, dropouts, .. } = *how;
        Translator::new(dev, self.words(), layers, dropouts, context)
    }
}
// ANCHOR_END: course_impl

// ANCHOR: learn
impl Course {
    /// Trains a model from the start. The result is the model, and the loss a
    /// token of each epoch. `what` names it while it is trained; `model` makes
    /// it on a device.
    ///
    /// # Errors
    /// As [`epoch`](Self::epoch).
    pub fn learn<L: Learner>(
        &self,
        what: &'static str,
        how: &Schedule,
        seed: u64,
        model: impl Fn(&Dev) -> L,
    ) -> Result<(L, Vec<f32>)> {
        self.learn_watched(what, how, seed, model, |_, _| ())
    }

    /// The same; after each epoch, `after` is shown its number, from 1 on,
    /// and the model.
    ///
    /// # Errors
    /// As [`epoch`](Self::epoch).
    pub fn learn_watched<L: Learner>(
        &self,
        what: &'static str,
        how: &Schedule,
        seed: u64,
        model: impl Fn(&Dev) -> L,
        mut after: impl FnMut(usize, &L),
    ) -> Result<(L, Vec<f32>)> {
        let mut training = Training::new(WORKERS, seed, how.rate, model);
        let mut random = StdRng::seed_from_u64(seed);
        let mut progress = Progress::new(what, how.epochs * self.batches());
        let losses = (0..how.epochs).map(|epoch| {
            training.set_rate(how.rate_of(epoch));
            let told = |loss, tokens| progress.step_of(tokens, loss);
            let loss = self.epoch(&mut training, &mut random, told);
            after(epoch + 1, training.model());
            loss
        });
        let losses = losses.collect::<Result<_>>()?;
        Ok((training.into_model(), losses))
    }

    /// One epoch: each pair once, in an order drawn anew. `told` is told the
    /// loss and the number of tokens of each batch. The result is the loss a
    /// token.
    ///
    /// # Errors
    /// None that is known.
    pub fn epoch<L: Learner>(
        &self,
        training: &mut Training<L>,
        random: &mut impl Rng,
        mut told: impl FnMut(f32, usize),
    ) -> Result<f32> {
        let mut pairs: Vec<&Pair> = self.training.iter().collect();
        pairs.shuffle(random);
        let (mut sum, mut count) = (0.0, 0);
        for batch in pairs.chunks(BATCH) {
            let parts = batch.chunks(batch.len().div_ceil(WORKERS));
            let parts =
                parts.map(|part| Batch::new(part.iter().copied(), &self.languages));
            let parts: Vec<Batch<PART, STEPS>> = parts.collect::<Result<_>>()?;
            let tokens = parts.iter().map(Batch::tokens).sum();
            // What is minimised is divided by the steps, not by the tokens.
            let loss = training.step(&parts) * STEPS as f32;
            told(loss / tokens as f32, tokens);
            (sum, count) = (sum + loss, count + tokens);
        }
        Ok(sum / count as f32)
    }
}
// ANCHOR_END: learn

// ANCHOR: score
impl Course {
    /// The mean BLEU of translations of all sentences asked. One that has
    /// several translations is asked once, and the best counts.
    pub fn score<L: Learner>(&self, model: &L, k: usize) -> f64 {
        let mut right: BTreeMap<&[String], Vec<&[String]>> = BTreeMap::new();
        for pair in &self.asked {
            right.entry(&pair.source).or_default().push(&pair.target);
        }
        let scores = right.iter().map(|(source, targets)| {
            let row = self.languages.source.row(source);
            let written = model.answer::<STEPS>(row);
            let ours = words(&self.languages.target, &written);
            let scores = targets.iter().map(|target| bleu(&ours, target, k));
            scores.fold(0.0, f64::max)
        });
        scores.sum::<f64>() / right.len() as f64
    }
}
// ANCHOR_END: score

// ANCHOR: words
/// Numbers as tokens.
pub fn words(vocab: &Vocab, numbers: &[usize]) -> Vec<String> {
    numbers.iter().map(|&number| vocab.tokens()[number].clone()).collect()
}
// ANCHOR_END: words
