//! Page "The encoder alone, the decoder alone": a story that the language model
//! goes on with, one token a question.

use crate::model::ModelFile;
use crate::sentence::Words;
use crate::{Candidate, Page, json, largest};
use anyhow::{Result, ensure};
use ch10_7::KvCache;
use ch10_7::language_model::{Setting, Storyteller, sample};
use ch10_7::stories::{STEPS, Stories, tokens};
use dfdx::prelude::{AsArray, Axis, TensorFromVec};
use kernels::{Dev, Row, Tensor4};
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::loss::logits;
use seq2seq::vocab::{BOS, EOS, UNK};
use serde::{Deserialize, Serialize};

/// Width of the model.
const WIDTH: usize = 64;
/// So many tokens of the end of a text are shown with their weights.
pub const SHOWN: usize = 18;
/// So many tokens are listed that may come next.
pub const LISTED: usize = 10;

/// The language model, and what it has read.
pub struct StoryPage {
    /// The vocabulary; the stories themselves are not in it.
    pub stories: Stories,
    /// The model of the section.
    pub model: Storyteller,
    cache: KvCache<1, STEPS, WIDTH>,
    /// The tokens whose keys and values are in the cache.
    read: Vec<usize>,
    /// For each of them: in each layer, for each head, a weight for each token
    /// up to it.
    weights: Vec<Heads>,
    /// The logits after the last of them.
    logits: Vec<f32>,
}

/// In each layer, for each head, weights.
type Heads = Vec<Vec<Vec<f32>>>;

/// What the figure asks.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// The [`Words`] and marks that the model knows.
    Words {},
    /// What comes next: [`Sampled`].
    Next(Next),
}

/// A text so far, and how the next token is to be drawn.
#[derive(Clone, Debug, Deserialize)]
pub struct Next {
    /// How the story begins, in the reader's words.
    pub beginning: String,
    /// The tokens that were drawn so far.
    pub written: Vec<String>,
    /// 0 takes the most probable token, 1 samples with its probability.
    pub temperature: f32,
    /// Another seed, another story. The tokens drawn with a seed are those that
    /// the section's program draws with it.
    pub seed: u32,
}

/// A token, drawn after a text, and how it came about.
#[derive(Debug, Serialize)]
pub struct Sampled {
    /// The text so far, without the token.
    pub text: String,
    /// The text with the token.
    pub longer: String,
    /// The tokens that may come next, the most probable first, with their
    /// probabilities at the temperature of the question.
    pub likeliest: Vec<Candidate>,
    /// The one that is drawn.
    pub sampled: Candidate,
    /// Whether nothing comes after it: it is the end, or the model has no more
    /// positions.
    pub ended: bool,
    /// How many positions are in the cache.
    pub cached: usize,
    /// How many of them were computed for this answer.
    pub computed: usize,
    /// Numbers in the cache: keys and values of each layer.
    pub numbers: usize,
    /// The last tokens that are in the cache, at most [`SHOWN`].
    pub shown: Vec<String>,
    /// For each layer and head a row for each of them, a weight for each of
    /// them.
    pub weights: Vec<Vec<Vec<Vec<f32>>>>,
}

impl Page for StoryPage {
    type Question = Question;

    fn new(model: &[u8]) -> Result<Self> {
        let file = ModelFile::new(model)?;
        let [vocab] = file.vocabularies()?;
        let (train, validation, held_out) = (vec![], vec![], vec![]);
        let stories = Stories { train, validation, held_out, vocab };
        let dev = Dev::default();
        let mut model = Storyteller::of_stories(&dev, &stories, &Setting::BOOK);
        file.load("", &mut model)?;
        let cache = KvCache::new(&dev, model.stack.blocks.len());
        let (read, weights, logits) = (vec![], vec![], vec![]);
        Ok(StoryPage { stories, model, cache, read, weights, logits })
    }

    fn answer(&mut self, question: Question) -> Result<String> {
        match question {
            Question::Words {} => json(&Words::new(&self.stories.vocab)),
            Question::Next(next) => json(&self.next(&next)?),
        }
    }
}

impl StoryPage {
    /// Draws the token that comes next. What of the text is in the cache
    /// already is not computed again.
    ///
    /// # Errors
    /// A word is not in the stories, or the text has no room for one more.
    pub fn next(&mut self, next: &Next) -> Result<Sampled> {
        let mut text = self.numbers(&tokens(&next.beginning))?;
        text.extend(self.numbers(&next.written)?);
        let most = STEPS - 1;
        ensure!(
            text.len() <= most,
            "these are {} words and marks; the model has room for {most}",
            text.len()
        );
        let computed = self.read_on(&text);
        let token = self.sample(next);
        let probabilities = self.probabilities(next.temperature);
        let candidate = |token: usize| Candidate {
            token: self.stories.vocab.tokens()[token].clone(),
            probability: probabilities[token - EOS],
        };
        let likeliest = largest(&self.logits[EOS..], LISTED).into_iter();
        let longer = [text.as_slice(), &[token]].concat();
        let cached = self.cache.len();
        Ok(Sampled {
            text: self.stories.text(&text),
            longer: self.stories.text(&longer),
            likeliest: likeliest.map(|token| candidate(EOS + token)).collect(),
            sampled: candidate(token),
            ended: token == EOS || longer.len() == STEPS,
            cached,
            computed,
            numbers: cached * 2 * WIDTH * self.model.stack.blocks.len(),
            shown: self.shown(),
            weights: self.shown_weights(),
        })
    }

    /// The numbers of words.
    fn numbers(&self, words: &[String]) -> Result<Vec<usize>> {
        let vocab = &self.stories.vocab;
        let number = |word: &String| match vocab.number(word) {
            UNK => {
                let word: String = word.chars().take(24).collect();
                anyhow::bail!("“{word}” is not in the stories; take another word")
            }
            number => Ok(number),
        };
        words.iter().map(number).collect()
    }

    /// Reads `<bos>` and a text, or what is new of them; returns how many
    /// positions that were.
    fn read_on(&mut self, text: &[usize]) -> usize {
        let whole: Vec<usize> = [&[BOS], text].concat();
        if !whole.starts_with(&self.read) {
            let layers = self.model.stack.blocks.len();
            self.cache = KvCache::new(self.model.b_out.device(), layers);
            (self.read, self.weights) = (vec![], vec![]);
        }
        let new = &whole[self.read.len()..];
        for &token in new {
            let (row, weights) = self.model.stack.step(&[token], &mut self.cache);
            let vectors = &self.model.stack.embedding.vectors;
            self.logits = logits(row, vectors, &self.model.b_out).as_vec();
            let len = self.cache.len();
            self.weights.push(weights.iter().map(|layer| cut(layer, len)).collect());
        }
        let computed = new.len();
        self.read = whole;
        computed
    }

    /// The token that the program draws with this seed after so many others.
    fn sample(&self, &Next { ref written, temperature, seed, .. }: &Next) -> usize {
        let mut rng = StdRng::seed_from_u64(seed.into());
        for _ in written {
            sample(&[0.0; EOS + 1], temperature, &mut rng);
        }
        sample(&self.logits, temperature, &mut rng)
    }

    /// The probabilities of the tokens from [`EOS`] on.
    fn probabilities(&self, temperature: f32) -> Vec<f32> {
        let logits = &self.logits[EOS..];
        if temperature == 0.0 {
            let best = seq2seq::greedy::argmax(logits);
            return (0..logits.len()).map(|n| f32::from(n == best)).collect();
        }
        // From the largest on, so that no quotient is too large.
        let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let tempered = logits.iter().map(|x| (x - most) / temperature).collect();
        let row: Row = Dev::default().tensor_from_vec(tempered, (logits.len(),));
        row.softmax::<Axis<0>>().as_vec()
    }

    fn first_shown(&self) -> usize {
        self.read.len().saturating_sub(SHOWN)
    }

    fn shown(&self) -> Vec<String> {
        self.stories.vocab.decode(&self.read[self.first_shown()..])
    }

    /// The weights of the tokens that are shown; 0 for what comes later.
    fn shown_weights(&self) -> Vec<Vec<Vec<Vec<f32>>>> {
        let from = self.first_shown();
        let row = |row: &Vec<f32>| {
            let mut row = row[from..].to_vec();
            row.resize(self.read.len() - from, 0.0);
            row
        };
        let rows = &self.weights[from..];
        let head = |l: usize, h: usize| rows.iter().map(|at| row(&at[l][h])).collect();
        let layer = |l: usize| (0..rows[0][l].len()).map(|h| head(l, h)).collect();
        (0..self.model.stack.blocks.len()).map(layer).collect()
    }
}

/// The heads of a layer: the first `len` weights of each.
fn cut<const H: usize, const P: usize>(
    weights: &Tensor4<1, H, 1, P>,
    len: usize,
) -> Vec<Vec<f32>> {
    let [heads] = weights.array();
    heads.iter().map(|[row]| row[..len].to_vec()).collect()
}
