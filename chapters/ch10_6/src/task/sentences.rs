//! Sentences of our own in which one adjective decides what "it" refers to,
//! and the training of a model on them.

use super::classifier::likeliest;
use crate::coreference::{CoreferenceModel, HEADS, Masks, Tokens};
use ch10_2::parameters::{Parameters, step};
use ch10_3::{Adam, Mask};
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3, Tensor4};
use rand::Rng;
use rand::rngs::StdRng;

/// Animals act, and may be acted on.
pub const ANIMALS: [&str; 10] =
    ["animal", "dog", "cat", "horse", "fox", "hare", "goat", "bear", "duck", "mouse"];
/// Places, which may be acted on too.
pub const LOCATIONS: [&str; 10] = [
    "street", "road", "path", "bridge", "river", "valley", "field", "garden", "tunnel",
    "market",
];
/// What animals do to places: as in "did not", as in "was not … by".
pub const CROSS: [[&str; 2]; 4] = [
    ["cross", "crossed"],
    ["enter", "entered"],
    ["visit", "visited"],
    ["explore", "explored"],
];
/// What animals do to animals, likewise; sentences have the first form only.
pub const CHASE: [[&str; 2]; 4] = [
    ["chase", "chased"],
    ["catch", "caught"],
    ["follow", "followed"],
    ["stop", "stopped"],
];
/// Why an animal does not act: then "it" is the animal that acts.
pub const WEAK: [&str; 8] =
    ["tired", "ill", "lazy", "slow", "weak", "sleepy", "scared", "hungry"];
/// Why it is not done to a place: then "it" is the place.
pub const WIDE: [&str; 8] =
    ["wide", "long", "dark", "muddy", "noisy", "busy", "crowded", "narrow"];
/// Why it is not done to an animal: then "it" is that animal.
pub const FAST: [&str; 6] = ["fast", "quick", "clever", "strong", "nimble", "big"];
/// The words that hold a sentence together; the first is padding.
const OTHERS: [&str; 11] = [
    "",
    "the",
    "did",
    "was",
    "not",
    "by",
    "because",
    "it",
    "too",
    "today",
    "yesterday",
];

/// Words that a sentence has at most.
pub const LENGTH: usize = 14;
/// All words, each once.
pub const VOCABULARY: usize = 69;
/// The learning rate of the book's runs, chosen on the validation split.
pub const LR: f32 = 0.003;
/// The steps of the book's runs.
pub const STEPS: usize = 800;

/// The model for these sentences.
pub type Model = CoreferenceModel<VOCABULARY, LENGTH>;

/// All words; a word's id is its index.
pub fn vocabulary() -> Vec<&'static str> {
    let mut words = OTHERS.to_vec();
    words.extend(CROSS.concat());
    words.extend(CHASE.concat());
    words.extend(ANIMALS.iter().chain(&LOCATIONS));
    words.extend(WEAK.iter().chain(&WIDE).chain(&FAST));
    words
}

/// The id of a word; 0 if it is not known.
pub fn id(word: &str) -> usize {
    vocabulary().iter().position(|known| *known == word).unwrap_or(0)
}

/// What a sentence says: an animal did not do something to another animal or
/// to a place, and why.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// The animal that acts.
    pub agent: &'static str,
    /// The animal or place that is acted on.
    pub patient: &'static str,
    /// What is not done: "cross", "crossed".
    pub verb: [&'static str; 2],
    /// The adjective.
    pub why: &'static str,
    /// Whether the adjective describes the agent.
    pub of_agent: bool,
}

impl Fact {
    /// Draws one. Places and animals are acted on equally often, and the
    /// adjective describes the agent as often as the patient.
    pub fn new(rng: &mut StdRng) -> Self {
        let of_agent = rng.gen_bool(0.5);
        let (patients, verbs, whys) = match rng.gen_bool(0.5) {
            true => (&LOCATIONS, &CROSS, &WIDE[..]),
            false => (&ANIMALS, &CHASE, &FAST[..]),
        };
        let agent = pick(&ANIMALS, rng);
        let mut patient = agent;
        while patient == agent {
            patient = pick(patients, rng);
        }
        let whys = if of_agent { &WEAK } else { whys };
        let (verb, why) = (pick(verbs, rng), pick(whys, rng));
        Self { agent, patient, verb, why, of_agent }
    }

    /// The noun that "it" refers to, and the other one.
    pub fn nouns(&self) -> [&'static str; 2] {
        match self.of_agent {
            true => [self.agent, self.patient],
            false => [self.patient, self.agent],
        }
    }
}

fn pick<X: Copy>(from: &[X], rng: &mut StdRng) -> X {
    from[rng.gen_range(0..from.len() as u32) as usize]
}

/// What sentences are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// To train on.
    Train,
    /// To choose settings by.
    Validation,
    /// To judge a trained model by.
    Test,
}

// ANCHOR: splits
impl Split {
    /// The split of a noun with an adjective: three in five pairs are for the
    /// training, one for validation, one for the test.
    pub fn of(noun: &str, adjective: &str) -> Self {
        match (id(noun) + id(adjective)) % 5 {
            0 => Split::Test,
            1 => Split::Validation,
            _ => Split::Train,
        }
    }

    /// Whether a sentence may stand in this split: in the training, neither of
    /// its nouns makes a pair of another split with the adjective.
    pub fn has(self, fact: &Fact) -> bool {
        let [meant, other] = fact.nouns().map(|noun| Split::of(noun, fact.why));
        meant == self && (self != Split::Train || other == self)
    }
}
// ANCHOR_END: splits

/// A sentence with one "it".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Its words.
    pub words: Vec<&'static str>,
    /// The noun that "it" refers to.
    pub meant: &'static str,
    /// The other noun.
    pub other: &'static str,
}

/// How a fact is put into words.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// "was not crossed by" in place of "did not cross".
    pub passive: bool,
    /// Begins with the reason.
    pub reason_first: bool,
    /// Begins with "today" or "yesterday"; or empty.
    pub opening: &'static str,
}

/// A sentence may begin with one of these; or with none.
const OPENINGS: [&str; 3] = ["", "today", "yesterday"];

impl Style {
    /// All that a fact may be put into words with.
    pub fn all(fact: &Fact) -> impl Iterator<Item = Self> {
        let orders = if LOCATIONS.contains(&fact.patient) { 0..4 } else { 0..1 };
        let with = |opening| {
            move |order| Self {
                passive: order & 1 == 1,
                reason_first: order & 2 == 2,
                opening,
            }
        };
        OPENINGS.into_iter().flat_map(move |opening| orders.clone().map(with(opening)))
    }

    /// Draws one for a fact. With a place there are four orders of words; with
    /// two animals one, since nothing else marks their roles.
    pub fn new(fact: &Fact, rng: &mut StdRng) -> Self {
        let free = LOCATIONS.contains(&fact.patient);
        let (passive, reason_first) = (rng.gen_bool(0.5), rng.gen_bool(0.5));
        Self {
            passive: free && passive,
            reason_first: free && reason_first,
            opening: pick(&OPENINGS, rng),
        }
    }
}

impl Sentence {
    /// Puts a fact into words.
    pub fn new(fact: &Fact, style: &Style) -> Self {
        let Fact { agent, patient, verb: [plain, done], why, .. } = *fact;
        let mut words = vec!["the", agent, "did", "not", plain, "the", patient];
        if style.passive {
            words = vec!["the", patient, "was", "not", done, "by", "the", agent];
        }
        let reason = ["because", "it", "was", "too", why];
        match style.reason_first {
            true => words.splice(0..0, reason),
            false => words.splice(words.len().., reason),
        };
        if !style.opening.is_empty() {
            words.insert(0, style.opening);
        }
        let [meant, other] = fact.nouns();
        Self { words, meant, other }
    }

    /// Draws a sentence of a split.
    pub fn draw(rng: &mut StdRng, split: Split) -> Self {
        loop {
            let fact = Fact::new(rng);
            let style = Style::new(&fact, rng);
            if split.has(&fact) {
                return Self::new(&fact, &style);
            }
        }
    }

    /// The position of a word; 0 if it is not there.
    pub fn position(&self, word: &str) -> usize {
        self.words.iter().position(|w| *w == word).unwrap_or(0)
    }

    /// The position of the adjective.
    pub fn adjective(&self) -> usize {
        self.position("too") + 1
    }

    /// Whether one of its nouns is a place.
    pub fn has_location(&self) -> bool {
        LOCATIONS.contains(&self.meant) || LOCATIONS.contains(&self.other)
    }
}

/// B sentences in the form that a model reads.
pub struct SentenceBatch<const B: usize> {
    /// The sentences.
    pub sentences: Vec<Sentence>,
    /// Their words.
    pub tokens: Tokens<B, LENGTH>,
    /// The noun that "it" refers to, one-hot.
    pub answers: Tensor3<B, 1, VOCABULARY>,
}

impl<const B: usize> SentenceBatch<B> {
    /// Draws B sentences of a split.
    pub fn draw(dev: &Dev, rng: &mut StdRng, split: Split) -> Self {
        Self::new(dev, (0..B).map(|_| Sentence::draw(rng, split)).collect())
    }

    /// Of B sentences.
    pub fn new(dev: &Dev, sentences: Vec<Sentence>) -> Self {
        let mut tokens = Tokens { ids: [[0; LENGTH]; B], lens: [0; B], it: [0; B] };
        let mut answers = vec![0.0; B * VOCABULARY];
        let words = vocabulary();
        let id = |word| words.iter().position(|w| *w == word).unwrap_or(0);
        for (b, sentence) in sentences.iter().enumerate() {
            for (to, word) in tokens.ids[b].iter_mut().zip(&sentence.words) {
                *to = id(*word);
            }
            tokens.lens[b] = sentence.words.len();
            tokens.it[b] = sentence.position("it");
            answers[b * VOCABULARY + id(sentence.meant)] = 1.0;
        }
        let answers = dev.tensor_from_vec(answers, Default::default());
        Self { sentences, tokens, answers }
    }

    /// The masks that hide nothing but padding.
    pub fn masks(&self) -> Masks<B, LENGTH> {
        Masks::new(self.tokens.lens)
    }

    /// For "it", also the words at some positions of each sentence are hidden.
    pub fn without(&self, hidden: &[Vec<usize>]) -> Masks<B, LENGTH> {
        // ANCHOR: mask
        let lens = self.tokens.lens;
        let second = Mask::from_fn(|b, _, k| k < lens[b] && !hidden[b].contains(&k));
        Masks { second, ..Masks::new(lens) }
        // ANCHOR_END: mask
    }

    /// In the first layer nothing is attended to: it adds 0 to every row.
    pub fn without_first(&self) -> Masks<B, LENGTH> {
        // ANCHOR: one_layer
        Masks { first: Mask::valid_lens([0; B]), ..self.masks() }
        // ANCHOR_END: one_layer
    }

    /// Positions of each sentence: those that `of` gives for it.
    pub fn positions(&self, of: impl Fn(&Sentence) -> Vec<usize>) -> Vec<Vec<usize>> {
        self.sentences.iter().map(of).collect()
    }
}

/// The weights that "it" gives in the second layer, the mean of the heads: a
/// row for each sentence.
pub fn mean_weights<const B: usize>(
    second: &Tensor4<B, HEADS, 1, LENGTH>,
) -> Vec<Vec<f32>> {
    let mean: Tensor3<B, 1, LENGTH> = second.clone().mean();
    mean.as_vec().chunks(LENGTH).map(<[f32]>::to_vec).collect()
}

/// The likeliest word for each sentence.
pub fn answers<const B: usize>(
    logits: &Tensor3<B, 1, VOCABULARY>,
) -> Vec<&'static str> {
    let words = vocabulary();
    let rows = logits.as_vec();
    rows.chunks(VOCABULARY).map(|row| words[likeliest(row)]).collect()
}

/// The shares of sentences whose answer is the noun that "it" refers to, the
/// other noun, and neither.
pub fn shares<const B: usize>(
    batch: &SentenceBatch<B>,
    logits: &Tensor3<B, 1, VOCABULARY>,
) -> [f32; 3] {
    let given = answers(logits);
    let pairs = || batch.sentences.iter().zip(&given);
    let right = pairs().filter(|(s, given)| s.meant == **given).count();
    let other = pairs().filter(|(s, given)| s.other == **given).count();
    [right, other, B - right - other].map(|count| count as f32 / B as f32)
}

/// The scores when the values of the words at some positions count as 0 for
/// "it" in the second layer, and every weight stays as it is.
pub fn with_values_zeroed<const B: usize>(
    model: &Model,
    batch: &SentenceBatch<B>,
    zeroed: &[Vec<usize>],
) -> Tensor3<B, 1, VOCABULARY> {
    let cell = |b: usize, k: usize| f32::from(!zeroed[b].contains(&k));
    let factors: Vec<f32> =
        (0..B * LENGTH).map(|i| cell(i / LENGTH, i % LENGTH)).collect();
    let output =
        model.forward_with(&batch.tokens, &batch.masks(), NoneTape, |mut words| {
            let factors: Tensor2<B, LENGTH> =
                words.values.device().tensor_from_vec(factors, Default::default());
            words.values = words.values * factors.broadcast();
            words
        });
    output.logits
}

/// What a model has to work with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two layers, with positions.
    Full,
    /// One layer, with positions: the first layer adds nothing.
    OneLayer,
    /// Two layers, without positions.
    NoPositions,
}

impl Kind {
    /// The masks of this kind.
    pub fn masks<const B: usize>(self, batch: &SentenceBatch<B>) -> Masks<B, LENGTH> {
        if self == Kind::OneLayer { batch.without_first() } else { batch.masks() }
    }

    /// An untrained model.
    pub fn model(self, dev: &Dev) -> Model {
        Model::new(dev, self != Kind::NoPositions)
    }
}

/// Sentences in a batch.
const BATCH: usize = 64;

/// Compiled once, here, and not wherever a training is called.
fn train_step(
    model: &mut Model,
    adam: &mut Adam,
    batch: SentenceBatch<BATCH>,
    masks: &Masks<BATCH, LENGTH>,
) -> f32 {
    let output = model.forward(&batch.tokens, masks, OwnedTape::default());
    let loss = cross_entropy_with_logits_loss(output.logits, batch.answers);
    step(model, adam, loss)
}

/// Trains on sentences drawn anew with Adam, and calls `on_step` after each step
/// with the model and the loss, in nats a sentence.
pub fn train(
    model: &mut Model,
    kind: Kind,
    rng: &mut StdRng,
    (steps, lr): (usize, f32),
    mut on_step: impl FnMut(&Model, f32),
) {
    let dev = Dev::default();
    let mut adam = Adam::new(model.count(), lr);
    for _ in 0..steps {
        let batch = SentenceBatch::draw(&dev, rng, Split::Train);
        let masks = kind.masks(&batch);
        let loss = train_step(model, &mut adam, batch, &masks);
        on_step(model, loss);
    }
}
