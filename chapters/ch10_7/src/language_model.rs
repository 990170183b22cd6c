// ANCHOR: language_model
//! Section 10.7, the decoder alone: a model of the token that comes next. Its
//! blocks are those of the encoder; the causal mask makes a decoder of them.

use crate::encoder::TransformerEncoder;
use crate::kv_cache::KvCache;
use crate::ngram::perplexity;
use crate::norm::NormPosition;
use crate::stories::{STEPS, Stories};
use crate::training::train_steps;
use ch10_2::parameters;
use ch10_2::parameters::Parameters;
use ch10_3::Mask;
use dfdx::prelude::*;
use kernels::{Dev, MaybeSend, Row, Tensor1, Tensor3, Tensor4};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use seq2seq::greedy::argmax;
use seq2seq::loss::{logits, masked_cross_entropy};
use seq2seq::train::{Loss, WORKERS};
use seq2seq::vocab::{BOS, EOS, PAD};
use std::cell::Cell;

/// A causal stack of blocks: at each position of a text a probability for each
/// token that may come next.
#[derive(Clone, Debug)]
pub struct LanguageModel<
    const M: usize,
    const H: usize,
    const D: usize,
    const FFN: usize,
> {
    /// Embedding and blocks. A token is read and predicted with the same vector.
    pub stack: TransformerEncoder<M, H, D, FFN>,
    /// Added to the logits of the tokens.
    pub b_out: Row,
    /// How many tokens a position attends to: itself and those right before it. A
    /// control has fewer than all.
    pub reach: usize,
}

parameters! { LanguageModel<M, H, D, FFN> { stack, b_out } }
// ANCHOR_END: language_model

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    LanguageModel<M, H, D, FFN>
{
    // ANCHOR: language_model_new
    /// Returns an untrained model for a vocabulary of so many tokens.
    pub fn new(dev: &Dev, vocabulary: usize, layers: usize, dropout: f32) -> Self {
        let position = NormPosition::Pre;
        LanguageModel {
            stack: TransformerEncoder::new(dev, vocabulary, layers, dropout, position),
            b_out: dev.zeros_like(&(vocabulary,)),
            reach: usize::MAX,
        }
    }
    // ANCHOR_END: language_model_new

    // ANCHOR: language_model_forward
    /// Returns rows for the tokens of B texts, of which the first `lens` count, and
    /// the weights of each layer.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &[[usize; S]; B],
        lens: &[usize; B],
        tape: T,
    ) -> (Tensor3<B, S, M, T>, Vec<Tensor4<B, H, S, S>>) {
        let near = |q, k| k <= q && q - k < self.reach;
        let mask = if self.reach >= S {
            Mask::causal_within(*lens)
        } else {
            Mask::from_fn(|b, q, k| q < lens[b] && near(q, k))
        };
        self.stack.forward(tokens, &mask, tape)
    }
    // ANCHOR_END: language_model_forward

    // ANCHOR: language_model_loss
    /// Returns for each text the sum of -ln p over its tokens, in nats, each token
    /// after those before it. A text of more than S tokens is cut off.
    ///
    /// # Panics
    /// If there are more than B texts.
    pub fn loss<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        texts: &[impl AsRef<[usize]>],
        tape: T,
    ) -> Tensor1<B, T> {
        let (inputs, labels, lens) = inputs_and_labels::<B, S>(texts);
        let (rows, _) = self.forward(&inputs, &lens, tape);
        let vectors = &self.stack.embedding.vectors;
        masked_cross_entropy(rows, vectors, &self.b_out, &labels, &lens) * S as f32
    }
    // ANCHOR_END: language_model_loss

    // ANCHOR: perplexity
    /// Returns the perplexity of texts.
    ///
    /// # Panics
    /// If a text has more than S tokens.
    pub fn perplexity<const S: usize>(&self, texts: &[Vec<usize>]) -> f64 {
        perplexity_of::<S>(texts, |text| self.loss::<1, S, _>(&[text], NoneTape))
    }
    // ANCHOR_END: perplexity

    // ANCHOR: generate
    /// Continues `prompt` with tokens that `choose` picks from the logits: at most
    /// `most` of them, to the end of the text, or until the text has P tokens.
    ///
    /// # Panics
    /// If the prompt has P tokens or more, or positions attend to fewer than P.
    pub fn generate<const P: usize>(
        &self,
        prompt: &[usize],
        most: usize,
        choose: impl FnMut(&[f32]) -> usize,
    ) -> Vec<usize> {
        assert!(self.reach >= P, "the cache hides no token");
        let dev = self.b_out.device();
        let mut cache: KvCache<1, P, M> = KvCache::new(dev, self.stack.blocks.len());
        let mut next = |token| {
            let (row, _) = self.stack.step(&[token], &mut cache);
            logits(row, &self.stack.embedding.vectors, &self.b_out).as_vec()
        };
        let mut scores = next(BOS);
        for &token in prompt {
            scores = next(token);
        }
        write(scores, most.min(P - prompt.len()), choose, next)
    }
    // ANCHOR_END: generate
}

// ANCHOR: write
/// Returns at most `most` tokens, up to the end of the text. `choose` picks each
/// from its logits, of which `scores` are the first; `next` reads a token and returns
/// the logits of the token after it.
pub(crate) fn write(
    mut scores: Vec<f32>,
    most: usize,
    mut choose: impl FnMut(&[f32]) -> usize,
    mut next: impl FnMut(usize) -> Vec<f32>,
) -> Vec<usize> {
    let mut written = Vec::new();
    while written.len() < most {
        let token = choose(&scores);
        if token == EOS {
            break;
        }
        written.push(token);
        if written.len() < most {
            scores = next(token);
        }
    }
    written
}
// ANCHOR_END: write

// ANCHOR: perplexity_of
/// Returns the perplexity of texts, of which `loss` returns the sum of -ln p.
///
/// # Panics
/// If a text has more than S tokens, since the loss of S tokens leaves out the rest.
pub fn perplexity_of<const S: usize>(
    texts: &[Vec<usize>],
    loss: impl Fn(&[usize]) -> Tensor1<1>,
) -> f64 {
    assert!(texts.iter().all(|text| text.len() <= S), "a text of over {S} tokens");
    let nats = texts.iter().map(|text| f64::from(loss(text).array()[0])).sum();
    perplexity(nats, texts.iter().map(Vec::len).sum())
}
// ANCHOR_END: perplexity_of

// ANCHOR: inputs_and_labels
/// Returns what is read, what is to be predicted, and how many tokens of each text
/// count.
///
/// # Panics
/// If there are more than B texts.
pub fn inputs_and_labels<const B: usize, const S: usize>(
    texts: &[impl AsRef<[usize]>],
) -> ([[usize; S]; B], [[usize; S]; B], [usize; B]) {
    let (mut inputs, mut labels) = ([[PAD; S]; B], [[PAD; S]; B]);
    let mut lens = [0; B];
    for (b, text) in texts.iter().map(AsRef::as_ref).enumerate() {
        lens[b] = text.len().min(S);
        labels[b][..lens[b]].copy_from_slice(&text[..lens[b]]);
        inputs[b][0] = BOS;
        inputs[b][1..].copy_from_slice(&labels[b][..S - 1]);
    }
    (inputs, labels, lens)
}
// ANCHOR_END: inputs_and_labels

// ANCHOR: sample
/// Draws a token, from [`EOS`] on, with the probabilities of the logits divided
/// by the temperature. At temperature 0 returns the most probable one.
///
/// # Panics
/// If the temperature is negative or NaN.
pub fn sample(logits: &[f32], temperature: f32, rng: &mut impl Rng) -> usize {
    assert!(temperature >= 0.0, "temperature {temperature}");
    let best = EOS + argmax(&logits[EOS..]);
    if temperature == 0.0 {
        return best;
    }
    let odds = |token: usize| ((logits[token] - logits[best]) / temperature).exp();
    let total: f32 = (EOS..logits.len()).map(odds).sum();
    let mut rest = rng.gen_range(0.0..1.0) * total;
    for token in EOS..logits.len() {
        rest -= odds(token);
        if rest < 0.0 {
            return token;
        }
    }
    best
}
// ANCHOR_END: sample

// ANCHOR: storyteller
/// The model of this section's stories: two blocks of four heads.
pub type Storyteller = LanguageModel<64, 4, 16, 128>;

/// Stories in a worker's part of a batch.
pub const PART: usize = 4;
// ANCHOR_END: storyteller

// ANCHOR: setting
/// Settings that are chosen on the validation stories.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Steps of the training.
    pub steps: usize,
    /// The highest rate of [`lr_of_step`](crate::training::lr_of_step), about.
    pub lr: f32,
    /// In embedding and blocks.
    pub dropout: f32,
    /// As in [`LanguageModel`].
    pub reach: usize,
}

impl Setting {
    /// The section's.
    pub const BOOK: Self =
        Setting { steps: 1200, lr: 0.004, dropout: 0.2, reach: usize::MAX };
}

impl Storyteller {
    /// Returns an untrained model for the vocabulary of these stories.
    pub fn of_stories(dev: &Dev, stories: &Stories, setting: &Setting) -> Self {
        let Setting { dropout, reach, .. } = *setting;
        let model = LanguageModel::new(dev, stories.vocab_size(), 2, dropout);
        LanguageModel { reach, ..model }
    }
}
// ANCHOR_END: setting

// ANCHOR: train_storyteller
/// Trains a [`Storyteller`]. Calls `on_step` with the number of each step, the sum
/// of -ln p over the tokens of its stories, the number of these tokens, and the model.
///
/// # Panics
/// If there is no story to learn from.
pub fn train_storyteller(
    stories: &Stories,
    setting: &Setting,
    seed: u64,
    on_step: impl FnMut(usize, f32, usize, &Storyteller),
) -> Storyteller {
    let loss = |model: &Storyteller, part: &[&[usize]]| {
        model.loss::<PART, STEPS, _>(part, OwnedTape::default()).sum()
    };
    let model = |dev: &Dev| Storyteller::of_stories(dev, stories, setting);
    let rates = (setting.steps, setting.lr);
    train_on_stories(stories, rates, seed, model, loss, on_step)
}
// ANCHOR_END: train_storyteller

// ANCHOR: train_on_stories
/// Trains any model by its `loss` of some stories, as [`train_storyteller`] does, with
/// the rates of [`lr_of_step`](crate::training::lr_of_step).
///
/// # Panics
/// If there is no story to learn from.
pub fn train_on_stories<M: Parameters + MaybeSend>(
    stories: &Stories,
    (steps, lr): (usize, f32),
    seed: u64,
    model: impl Fn(&Dev) -> M,
    loss: impl Fn(&M, &[&[usize]]) -> Loss + Sync,
    mut on_step: impl FnMut(usize, f32, usize, &M),
) -> M {
    assert!(!stories.train.is_empty(), "no story to learn from");
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut waiting, tokens) = (Vec::new(), Cell::new(0));
    let batch = || -> Vec<Vec<&[usize]>> {
        while waiting.len() < WORKERS * PART {
            let mut all: Vec<_> = stories.train.iter().map(Vec::as_slice).collect();
            all.shuffle(&mut rng);
            waiting.extend(all);
        }
        let drawn: Vec<_> = waiting.drain(..WORKERS * PART).collect();
        tokens.set(drawn.iter().map(|story| story.len()).sum());
        drawn.chunks(PART).map(<[_]>::to_vec).collect()
    };
    let of_part = |model: &M, part: &Vec<&[usize]>| loss(model, part);
    train_steps(steps, lr, seed, model, batch, of_part, |step, loss, model| {
        on_step(step, loss, tokens.get(), model)
    })
}
// ANCHOR_END: train_on_stories
