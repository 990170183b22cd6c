//! Section 10.5: the game of pairs, played by heads that are made by hand or
//! trained, and that can be switched off.

use crate::model::ModelFile;
use crate::one_head::OneHead;
use crate::{Page, cut, json};
use anyhow::Result;
use ch10_3::Mask;
use ch10_5::task::cards::{CARDS, CardBatch, CardModel, NUMBER, NUMBERS, WIDTH};
use dfdx::prelude::*;
use kernels::{Dev, Tensor1};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde::{Deserialize, Serialize};

/// Circles that no model was trained on: those of the section's program.
pub const CIRCLES: usize = 256;

/// The page.
pub struct Game {
    test: CardBatch<CIRCLES>,
    one: CardModel<1, 32>,
    two: CardModel<2, 16>,
    four: CardModel<4, 8>,
    by_hand: CardModel<2, 16>,
}

/// What the reader asks.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Question {
    /// The [`Cards`] of one of the test circles.
    Deal {
        /// Which: below 256.
        circle: usize,
    },
    /// What a model answers for a circle of cards: [`Play`].
    Play {
        /// Which.
        model: ModelName,
        /// The picture of each card, below 4; each is on two cards.
        pictures: [usize; CARDS],
        /// The number of each card, below 8.
        numbers: [usize; CARDS],
        /// Whether each head of the model is switched on.
        on: Vec<bool>,
    },
    /// What a head of a model computes for one card: [`OneHead`].
    Inside {
        /// Which model.
        model: ModelName,
        /// The picture of each card.
        pictures: [usize; CARDS],
        /// The number of each card.
        numbers: [usize; CARDS],
        /// Which head.
        head: usize,
        /// Which card asks: below 8.
        card: usize,
    },
    /// How well a model plays on all the test circles: [`Compared`].
    Compare {
        /// Which.
        model: ModelName,
        /// Whether each head of the model is switched on.
        on: Vec<bool>,
    },
}

/// A model of the game.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelName {
    /// Two heads, by hand.
    ByHand,
    /// One head, trained.
    One,
    /// Two heads, trained.
    Two,
    /// Four heads, trained.
    Four,
}

/// Eight cards.
#[derive(Serialize)]
pub struct Cards {
    /// The picture of each.
    pub pictures: [usize; CARDS],
    /// The number of each.
    pub numbers: Vec<usize>,
}

/// What a model answers.
#[derive(Serialize)]
pub struct Play {
    /// The weights of each head: a row for each card that asks.
    pub weights: Vec<Vec<Vec<f32>>>,
    /// Which number has my left neighbour?
    pub left: Asked,
    /// Which number has my partner?
    pub partner: Asked,
}

/// One of the two questions.
#[derive(Serialize)]
pub struct Asked {
    /// The likeliest number, for each card.
    pub answers: Vec<usize>,
    /// How likely it is to the model.
    pub probabilities: Vec<f32>,
    /// The right number.
    pub right: Vec<usize>,
}

/// How well a model plays on the 256 test circles: for the left neighbour, and
/// for the partner.
#[derive(Serialize)]
pub struct Compared {
    /// The losses, in nats a card.
    pub loss: [f32; 2],
    /// The shares of right answers.
    pub accuracy: [f32; 2],
}

impl Page for Game {
    type Question = Question;

    fn new(model: &[u8]) -> Result<Self> {
        let file = ModelFile::new(model)?;
        Ok(Game {
            test: test_circles(),
            one: loaded(&file, "one.")?,
            two: loaded(&file, "two.")?,
            four: loaded(&file, "four.")?,
            by_hand: CardModel::by_hand(&Dev::default()),
        })
    }

    fn answer(&mut self, question: Question) -> Result<String> {
        match question {
            Question::Deal { circle } => json(&self.deal(circle)),
            Question::Play { model, pictures, numbers, on } => {
                let cards = circle(pictures, numbers);
                json(&self.player(model).play(&cards, &on))
            }
            Question::Inside { model, pictures, numbers, head, card } => {
                let cards = circle(pictures, numbers);
                json(&self.player(model).inside(&cards, head, card))
            }
            Question::Compare { model, on } => {
                json(&self.player(model).compare(&self.test, &on))
            }
        }
    }
}

fn loaded<const H: usize, const D: usize>(
    file: &ModelFile<'_>,
    prefix: &str,
) -> Result<CardModel<H, D>> {
    let mut model = CardModel::new(&Dev::default());
    file.load(prefix, &mut model)?;
    Ok(model)
}

/// The circles on which the section's program compares its models.
pub fn test_circles() -> CardBatch<CIRCLES> {
    CardBatch::new(&Dev::default(), &mut StdRng::seed_from_u64(0))
}

/// The reader's circle.
fn circle(pictures: [usize; CARDS], numbers: [usize; CARDS]) -> CardBatch<1> {
    CardBatch::of(&Dev::default(), vec![pictures], &[numbers])
}

impl Game {
    fn deal(&self, circle: usize) -> Cards {
        let rows = self.test.rows.as_vec();
        let rows = rows.chunks_exact(WIDTH).skip(circle * CARDS).take(CARDS);
        Cards {
            pictures: self.test.pictures[circle],
            numbers: rows.map(|row| likeliest(&row[NUMBER..])).collect(),
        }
    }

    fn player(&self, model: ModelName) -> &dyn Player {
        match model {
            ModelName::ByHand => &self.by_hand,
            ModelName::One => &self.one,
            ModelName::Two => &self.two,
            ModelName::Four => &self.four,
        }
    }
}

/// A model, with however many heads; `on` says of each whether it is switched on.
trait Player {
    fn play(&self, cards: &CardBatch<1>, on: &[bool]) -> Play;
    fn inside(&self, cards: &CardBatch<1>, head: usize, card: usize) -> OneHead;
    fn compare(&self, test: &CardBatch<CIRCLES>, on: &[bool]) -> Compared;
}

impl<const H: usize, const D: usize> Player for CardModel<H, D> {
    fn play(&self, cards: &CardBatch<1>, on: &[bool]) -> Play {
        let played = self.forward(cards, gates::<H>(on).broadcast());
        let [left, partner] = [0, 1].map(|question| {
            let logits = played.logits[question].clone();
            let shares = logits.softmax::<Axis<2>>().as_vec();
            let shares = || shares.chunks_exact(NUMBERS);
            let right = cards.answers[question].as_vec();
            Asked {
                answers: shares().map(likeliest).collect(),
                probabilities: shares().map(|row| row[likeliest(row)]).collect(),
                right: right.chunks_exact(NUMBERS).map(likeliest).collect(),
            }
        });
        Play { weights: cut(&played.weights, (CARDS, CARDS)), left, partner }
    }

    fn inside(&self, cards: &CardBatch<1>, head: usize, card: usize) -> OneHead {
        let rows = || cards.rows.clone();
        OneHead::new(&self.attention, (rows(), rows()), &Mask::none(), (card, head)).0
    }

    fn compare(&self, test: &CardBatch<CIRCLES>, on: &[bool]) -> Compared {
        let played = self.forward(test, gates::<H>(on).broadcast());
        let accuracy = played.accuracy(test);
        let loss = played.losses(test).map(|loss| loss.array());
        Compared { loss, accuracy }
    }
}

/// 1 for each head that is on, 0 for the others.
fn gates<const H: usize>(on: &[bool]) -> Tensor1<H> {
    let on = on.iter().map(|&on| f32::from(on)).collect();
    Dev::default().tensor_from_vec(on, (Const,))
}

/// The index of the largest number.
fn likeliest(numbers: &[f32]) -> usize {
    let larger = |&a: &usize, &b: &usize| numbers[a].total_cmp(&numbers[b]);
    (0..numbers.len()).max_by(larger).unwrap_or(0)
}
