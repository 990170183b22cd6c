//! Section 10.5: the game of pairs, played by heads that are made by hand or
//! trained, and that can be switched off.

use crate::Page;
use crate::model::ModelFile;
use crate::one_head::OneHead;
use anyhow::{Context, Result, ensure};
use ch10_3::Mask;
use ch10_5::task::cards::{
    CARDS, CardBatch, CardModel, NUMBER, NUMBERS, PICTURES, WIDTH,
};
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
    dev: Dev,
    one: CardModel<1, 32>,
    two: CardModel<2, 16>,
    four: CardModel<4, 8>,
    by_hand: CardModel<2, 16>,
}

/// What the reader asks.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Question {
    /// The cards of one of the test circles.
    Deal {
        /// Which: below 256.
        circle: usize,
    },
    /// What a model answers for a circle of eight cards.
    Play {
        /// Which.
        model: ModelName,
        /// The picture of each card, below 4; each is on two cards.
        pictures: Vec<usize>,
        /// The number of each card, below 8.
        numbers: Vec<usize>,
        /// Whether each head of the model is switched on.
        on: Vec<bool>,
    },
    /// What a head of a model computes for one card.
    Inside {
        /// Which model.
        model: ModelName,
        /// The picture of each card.
        pictures: Vec<usize>,
        /// The number of each card.
        numbers: Vec<usize>,
        /// Which head.
        head: usize,
        /// Which card asks: below 8.
        card: usize,
    },
    /// How well a model plays on all the test circles.
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

/// What the page answers, by the question.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// To `deal`.
    Cards(Cards),
    /// To `play`.
    Play(Play),
    /// To `inside`.
    Inside(OneHead),
    /// To `compare`.
    Compared(Compared),
}

/// Eight cards.
#[derive(Serialize)]
pub struct Cards {
    /// The picture of each.
    pub pictures: Vec<usize>,
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
    type Answer = Answer;

    fn new(model: &[u8]) -> Result<Self> {
        let dev = Dev::default();
        let file = ModelFile::new(model)?;
        Ok(Game {
            test: test_circles(),
            one: loaded(&file, "one.")?,
            two: loaded(&file, "two.")?,
            four: loaded(&file, "four.")?,
            by_hand: CardModel::by_hand(&dev),
            dev,
        })
    }

    fn answer(&mut self, question: Question) -> Result<Answer> {
        match question {
            Question::Deal { circle } => {
                ensure!(
                    circle < CIRCLES,
                    "there is no circle {circle}: ask for one below {CIRCLES}"
                );
                Ok(Answer::Cards(self.deal(circle)))
            }
            Question::Play { model, pictures, numbers, on } => {
                let cards = self.circle(&pictures, &numbers)?;
                let play = match model {
                    ModelName::ByHand => self.play(&self.by_hand, &cards, &on),
                    ModelName::One => self.play(&self.one, &cards, &on),
                    ModelName::Two => self.play(&self.two, &cards, &on),
                    ModelName::Four => self.play(&self.four, &cards, &on),
                };
                Ok(Answer::Play(play?))
            }
            Question::Inside { model, pictures, numbers, head, card } => {
                let cards = self.circle(&pictures, &numbers)?;
                let inside = match model {
                    ModelName::ByHand => inside(&self.by_hand, &cards, head, card),
                    ModelName::One => inside(&self.one, &cards, head, card),
                    ModelName::Two => inside(&self.two, &cards, head, card),
                    ModelName::Four => inside(&self.four, &cards, head, card),
                };
                Ok(Answer::Inside(inside?))
            }
            Question::Compare { model, on } => {
                let compared = match model {
                    ModelName::ByHand => self.compare(&self.by_hand, &on),
                    ModelName::One => self.compare(&self.one, &on),
                    ModelName::Two => self.compare(&self.two, &on),
                    ModelName::Four => self.compare(&self.four, &on),
                };
                Ok(Answer::Compared(compared?))
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

fn inside<const H: usize, const D: usize>(
    model: &CardModel<H, D>,
    cards: &CardBatch<1>,
    head: usize,
    card: usize,
) -> Result<OneHead> {
    ensure!(head < H, "there is no head {head}: give one below {H}");
    ensure!(card < CARDS, "there is no card {card}: give one below {CARDS}");
    let rows = || cards.rows.clone();
    let place = (card, head);
    Ok(OneHead::new(&model.attention, (rows(), rows()), &Mask::none(), place).0)
}

/// The circles on which the section's program compares its models.
pub fn test_circles() -> CardBatch<CIRCLES> {
    CardBatch::new(&Dev::default(), &mut StdRng::seed_from_u64(0))
}

impl Game {
    fn deal(&self, circle: usize) -> Cards {
        let rows = self.test.rows.as_vec();
        let rows = rows.chunks_exact(WIDTH).skip(circle * CARDS).take(CARDS);
        Cards {
            pictures: self.test.pictures[circle].to_vec(),
            numbers: rows.map(|row| likeliest(&row[NUMBER..])).collect(),
        }
    }

    /// The reader's circle.
    fn circle(&self, pictures: &[usize], numbers: &[usize]) -> Result<CardBatch<1>> {
        let eight = "give eight pictures and eight numbers, one for each card";
        let pictures: [usize; CARDS] = pictures.try_into().ok().context(eight)?;
        let numbers: [usize; CARDS] = numbers.try_into().ok().context(eight)?;
        for picture in 0..PICTURES {
            let count = pictures.iter().filter(|&&p| p == picture).count();
            ensure!(
                count == 2,
                "picture {picture} is on {count} cards: put each of the pictures 0 \
                 to {} on two",
                PICTURES - 1
            );
        }
        for (i, number) in numbers.iter().enumerate() {
            ensure!(
                *number < NUMBERS,
                "card {i} has the number {number}: give one from 0 to {}",
                NUMBERS - 1
            );
        }
        Ok(CardBatch::of(&self.dev, vec![pictures], &[numbers]))
    }

    fn play<const H: usize, const D: usize>(
        &self,
        model: &CardModel<H, D>,
        cards: &CardBatch<1>,
        on: &[bool],
    ) -> Result<Play> {
        let gates: Tensor1<H> = self.gates(on)?;
        let played = model.forward(cards, gates.broadcast());
        let weights = played.weights.as_vec();
        let rows = |head: &[f32]| head.chunks_exact(CARDS).map(Vec::from).collect();
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
        let weights = weights.chunks_exact(CARDS * CARDS).map(rows).collect();
        Ok(Play { weights, left, partner })
    }

    fn compare<const H: usize, const D: usize>(
        &self,
        model: &CardModel<H, D>,
        on: &[bool],
    ) -> Result<Compared> {
        let gates: Tensor1<H> = self.gates(on)?;
        let played = model.forward(&self.test, gates.broadcast());
        let accuracy = played.accuracy(&self.test);
        let loss = played.losses(&self.test).map(|loss| loss.array());
        Ok(Compared { loss, accuracy })
    }

    /// 1 for each head that is on, 0 for the others.
    fn gates<const H: usize>(&self, on: &[bool]) -> Result<Tensor1<H>> {
        let on: Result<[bool; H], _> = on.try_into();
        let heads = if H == 1 { "head" } else { "heads" };
        let on = on.ok().with_context(|| format!("this model has {H} {heads}"))?;
        Ok(self.dev.tensor(on.map(f32::from)))
    }
}

/// The index of the largest number.
fn likeliest(numbers: &[f32]) -> usize {
    let larger = |&a: &usize, &b: &usize| numbers[a].total_cmp(&numbers[b]);
    (0..numbers.len()).max_by(larger).unwrap_or(0)
}
