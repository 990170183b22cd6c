//! Side page of section 10.7, a head that copies: letters that the reader types,
//! read by two layers of attention.

use crate::model::ModelFile;
use crate::{Candidate, Page, cut, json, largest};
use anyhow::{Result, ensure};
use ch10_7::induction::{AttentionOnly, HEADS, LEN, Repetition, TOKENS};
use dfdx::prelude::*;
use kernels::Dev;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::greedy::argmax;
use serde::{Deserialize, Serialize};

/// Layers of the model.
pub const LAYERS: usize = 2;
/// So many letters are listed that may come next.
pub const LISTED: usize = 5;

/// The page.
pub struct CopyPage {
    /// The model of the section.
    pub model: AttentionOnly,
}

/// What the figure asks.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Question {
    /// Letters that come again and again in the same order: two periods, and
    /// four letters more, if there is room for them.
    Draw {
        /// At least 1.
        period: usize,
        /// Any; 0 and the period 8 draw the letters of the page's figure.
        seed: u64,
    },
    /// What the model makes of letters: [`Read`].
    Read {
        /// From a to z, at most 32 of them.
        letters: String,
        /// Whether each head of each layer is switched on.
        on: [[bool; HEADS]; LAYERS],
    },
}

/// What is drawn.
#[derive(Serialize)]
pub struct Drawn {
    /// One after another.
    pub letters: String,
}

/// Letters, and what the model makes of them.
#[derive(Serialize)]
pub struct Read {
    /// As they are read.
    pub letters: Vec<char>,
    /// In each layer, for each head: a row for each letter, a weight for each
    /// letter.
    pub weights: Vec<Vec<Vec<Vec<f32>>>>,
    /// After each letter, those that may come next, the most probable first.
    pub next: Vec<Vec<Candidate>>,
    /// How many letters follow one that was there before.
    pub repeats: usize,
    /// How many of these were the most probable.
    pub right: usize,
}

impl Page for CopyPage {
    type Question = Question;

    fn new(model: &[u8]) -> Result<Self> {
        let mut page = CopyPage { model: AttentionOnly::new(&Dev::default(), LAYERS) };
        ModelFile::new(model)?.load("", &mut page.model)?;
        Ok(page)
    }

    fn answer(&mut self, question: Question) -> Result<String> {
        match question {
            Question::Draw { period, seed } => {
                let mut rng = StdRng::seed_from_u64(seed);
                let drawn = Repetition::<LEN>::random_with_period(period, &mut rng);
                let len = LEN.min(2 * period + 4);
                let letters = drawn.tokens[..len].iter().map(letter).collect();
                json(&Drawn { letters })
            }
            Question::Read { letters, on } => json(&self.read(&numbers(&letters)?, on)),
        }
    }
}

/// The letter of a token.
fn letter(token: &usize) -> char {
    char::from(b'a' + *token as u8)
}

/// The tokens of letters; what separates words is left out.
fn numbers(letters: &str) -> Result<Vec<usize>> {
    let mut tokens = Vec::new();
    for letter in letters.chars().filter(|letter| !letter.is_whitespace()) {
        let letter = letter.to_ascii_lowercase();
        ensure!(letter.is_ascii_lowercase(), "“{letter}” is no letter from a to z");
        tokens.push(usize::from(letter as u8 - b'a'));
    }
    let len = tokens.len();
    ensure!(len > 0, "write letters from a to z, such as “ujgpujg”");
    ensure!(len <= LEN, "these are {len} letters; the model reads at most {LEN}");
    Ok(tokens)
}

impl CopyPage {
    fn read(&self, tokens: &[usize], on: [[bool; HEADS]; LAYERS]) -> Read {
        let mut model = self.model.clone();
        for head in (0..LAYERS * HEADS).filter(|head| !on.as_flattened()[*head]) {
            model = model.without(head / HEADS, head % HEADS);
        }
        // Filled up: what comes later changes nothing before it.
        let mut filled = [0; LEN];
        filled[..tokens.len()].copy_from_slice(tokens);
        let (rows, weights) = model.forward(&[filled], NoneTape);
        let logits = model.output.logits(rows);
        let shares = logits.softmax::<Axis<2>>().as_vec();
        let shares = || shares.chunks(TOKENS).take(tokens.len());
        let followed = shares().zip(tokens.iter().enumerate().skip(1));
        let repeats =
            followed.filter(|(_, (at, _))| tokens[..at - 1].contains(&tokens[at - 1]));
        let read = (tokens.len(), tokens.len());
        let right = repeats.clone().filter(|(row, (_, next))| argmax(row) == **next);
        Read {
            letters: tokens.iter().map(letter).collect(),
            weights: weights.iter().map(|layer| cut(layer, read)).collect(),
            next: shares().map(likeliest).collect(),
            repeats: repeats.clone().count(),
            right: right.count(),
        }
    }
}

/// The letters with most probability.
fn likeliest(row: &[f32]) -> Vec<Candidate> {
    let candidate = |token: usize| Candidate {
        token: letter(&token).to_string(),
        probability: row[token],
    };
    largest(row, LISTED).into_iter().map(candidate).collect()
}
