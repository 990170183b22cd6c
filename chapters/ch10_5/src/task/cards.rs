//! A game of pairs, and a model that plays it. Eight cards lie in a circle;
//! each has a position, a picture and a number, and each picture is on two
//! cards. Each card asks: which number has my left neighbour, and which has the
//! other card with my picture?

use crate::MultiHeadAttention;
use ch10_2::parameters;
use ch10_2::parameters::{Parameters, step};
use ch10_3::{Adam, Linear, Mask};
use dfdx::prelude::*;
use kernels::{Dev, Tensor0, Tensor2, Tensor3, Tensor4};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

// ANCHOR: sizes
/// Cards in the circle.
pub const CARDS: usize = 8;
/// Numbers that a card can have.
pub const NUMBERS: usize = 8;
/// Width of a card's row.
pub const WIDTH: usize = 32;
// ANCHOR_END: sizes
/// Pictures, each on two cards.
pub const PICTURES: usize = CARDS / 2;
/// The first column for pictures; positions begin at column 0.
pub const PICTURE: usize = CARDS;
/// The first column for numbers.
pub const NUMBER: usize = PICTURE + PICTURES;
/// The size of the hand-made weights of queries and keys: a match scores 9.
const SHARP: f32 = 6.0;
/// The learning rate of the book's runs.
pub const LR: f32 = 0.03;
/// The steps of the book's runs.
pub const STEPS: usize = 150;
/// Steps and learning rate of a model with a layer that is not linear.
pub const NONLINEAR: (usize, f32) = (500, 0.01);
/// Numbers between the two matrices of a [`Nonlinear`] layer.
const HIDDEN: usize = 128;

/// B circles of cards, and the answers to all their questions.
pub struct CardBatch<const B: usize> {
    /// The picture of each card.
    pub pictures: Vec<[usize; CARDS]>,
    /// A row for each card: position, picture and number, each one-hot; the
    /// columns that are left are 0.
    pub rows: Tensor3<B, CARDS, WIDTH>,
    /// The numbers of the left neighbours and of the partners, one-hot.
    pub answers: [Tensor3<B, CARDS, NUMBERS>; 2],
}

impl<const B: usize> CardBatch<B> {
    /// Shuffles the pictures and draws the numbers, all equally likely.
    pub fn new(dev: &Dev, rng: &mut StdRng) -> Self {
        let mut pictures = vec![[0, 0, 1, 1, 2, 2, 3, 3]; B];
        pictures.iter_mut().for_each(|circle| circle.shuffle(rng));
        let mut draw = || rng.gen_range(0..NUMBERS as u32) as usize;
        let numbers: Vec<[usize; CARDS]> =
            (0..B).map(|_| std::array::from_fn(|_| draw())).collect();
        Self::of(dev, pictures, &numbers)
    }

    /// Circles whose cards are known: in `pictures` each of the four stands on
    /// two cards.
    ///
    /// # Panics
    /// There are not B circles, or a picture is not below [`PICTURES`] or a
    /// number not below [`NUMBERS`].
    pub fn of(
        dev: &Dev,
        pictures: Vec<[usize; CARDS]>,
        numbers: &[[usize; CARDS]],
    ) -> Self {
        assert_eq!([pictures.len(), numbers.len()], [B; 2], "so many circles");
        assert!(pictures.as_flattened().iter().all(|&picture| picture < PICTURES));
        assert!(numbers.as_flattened().iter().all(|&number| number < NUMBERS));
        let card =
            |b: usize, i: usize| [i, PICTURE + pictures[b][i], NUMBER + numbers[b][i]];
        let left = |b: usize, i: usize| [numbers[b][(i + CARDS - 1) % CARDS]];
        let partner = |b: usize, i: usize| [numbers[b][partner_of(i, &pictures[b])]];
        Self {
            rows: one_hot(dev, card),
            answers: [one_hot(dev, left), one_hot(dev, partner)],
            pictures,
        }
    }
}

/// The other card with the picture of card `i`.
pub fn partner_of(i: usize, pictures: &[usize; CARDS]) -> usize {
    let same = |&j: &usize| j != i && pictures[j] == pictures[i];
    (0..CARDS).find(same).unwrap_or(i)
}

/// A row of O numbers for each card of each circle: 1 in the columns that
/// `columns(b, i)` names for card i of circle b, 0 elsewhere.
fn one_hot<const B: usize, const O: usize, const ONES: usize>(
    dev: &Dev,
    columns: impl Fn(usize, usize) -> [usize; ONES],
) -> Tensor3<B, CARDS, O> {
    let mut cells = vec![0.0; B * CARDS * O];
    for (row, cells) in cells.chunks_exact_mut(O).enumerate() {
        for column in columns(row / CARDS, row % CARDS) {
            cells[column] = 1.0;
        }
    }
    dev.tensor_from_vec(cells, Default::default())
}

// ANCHOR: model
/// One layer of attention with H heads, and for each of the two questions a
/// linear layer that scores the numbers.
#[derive(Clone, Debug)]
pub struct CardModel<const H: usize, const D: usize> {
    /// Every card attends to every card.
    pub attention: MultiHeadAttention<WIDTH, H, D>,
    /// A layer that is not linear behind the attention, or none.
    pub nonlinear: Option<Nonlinear>,
    /// Scores the numbers of the left neighbour.
    pub left: Linear<WIDTH, NUMBERS>,
    /// Scores the numbers of the partner.
    pub partner: Linear<WIDTH, NUMBERS>,
}

parameters! { CardModel<H, D> { attention, nonlinear, left, partner } }
// ANCHOR_END: model

/// Two linear layers, and between them a ReLU: what is negative becomes 0.
#[derive(Clone, Debug)]
pub struct Nonlinear {
    /// Before the ReLU.
    pub first: Linear<WIDTH, HIDDEN>,
    /// After it.
    pub second: Linear<HIDDEN, WIDTH>,
}

parameters! { Nonlinear { first, second } }

impl Nonlinear {
    /// Two layers with biases.
    pub fn new(dev: &Dev) -> Self {
        Self { first: Linear::with_bias(dev), second: Linear::with_bias(dev) }
    }

    fn forward<const B: usize, T: Tape<f32, Dev>>(
        &self,
        rows: Tensor3<B, CARDS, WIDTH, T>,
    ) -> Tensor3<B, CARDS, WIDTH, T> {
        self.second.forward(self.first.forward(rows).relu())
    }
}

// ANCHOR: predictions
/// What a model answers, and where its heads attend.
pub struct Predictions<const B: usize, const H: usize, T = NoneTape> {
    /// Scores of the numbers, for the left neighbour and for the partner.
    pub logits: [Tensor3<B, CARDS, NUMBERS, T>; 2],
    /// The weights of each head.
    pub weights: Tensor4<B, H, CARDS, CARDS>,
}
// ANCHOR_END: predictions

impl<const H: usize, const D: usize> CardModel<H, D> {
    /// An untrained model. Does not build unless H·D = WIDTH.
    pub fn new(dev: &Dev) -> Self {
        Self {
            attention: MultiHeadAttention::new(dev, 0.0),
            nonlinear: None,
            left: Linear::with_bias(dev),
            partner: Linear::with_bias(dev),
        }
    }

    // ANCHOR: play
    /// Answers for all cards. What head h of circle b found is multiplied by
    /// gate (b, h): 1 leaves it, 0 masks it out.
    pub fn forward<const B: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &CardBatch<B>,
        gates: Tensor2<B, H, T>,
    ) -> Predictions<B, H, T> {
        let layer = &self.attention;
        let cards = || batch.rows.retaped::<T>();
        let kv = layer.project_kv(cards(), cards());
        let found = layer.attend_heads(layer.w_q.forward(cards()), kv, &Mask::none());
        let gates: Tensor4<B, CARDS, H, D, T> = gates.broadcast::<_, Axes2<1, 3>>();
        let gated = found.output * gates.reshape();
        let mut output = layer.w_o.forward(gated);
        if let Some(nonlinear) = &self.nonlinear {
            output = nonlinear.forward(output);
        }
        let (output, tape) = output.split_tape();
        let left = self.left.forward(output.clone().put_tape(tape));
        let partner = self.partner.forward(output.retaped());
        Predictions { logits: [left, partner], weights: found.weights }
    }
    // ANCHOR_END: play

    /// The losses of the two questions, in nats a card, with some heads masked
    /// out.
    pub fn losses<const B: usize>(
        &self,
        batch: &CardBatch<B>,
        masked: &[usize],
    ) -> [f32; 2] {
        let gates: [f32; H] = std::array::from_fn(|h| f32::from(!masked.contains(&h)));
        let gates = batch.rows.device().tensor(gates).broadcast();
        self.forward(batch, gates).losses(batch).map(|loss| loss.array())
    }

    /// Returns by how much two heads can stand in for each other: a question's
    /// loss without both, less the sum of its losses without each, at its
    /// largest over all pairs of heads and both questions.
    pub fn stand_ins<const B: usize>(&self, batch: &CardBatch<B>) -> f32 {
        let alone: [[f32; 2]; H] = std::array::from_fn(|h| self.losses(batch, &[h]));
        let pairs = (0..H).flat_map(|a| (a + 1..H).map(move |b| [a, b]));
        let excess = pairs.map(|[a, b]| {
            let both = self.losses(batch, &[a, b]);
            let over = [0, 1].map(|q| both[q] - alone[a][q] - alone[b][q]);
            over[0].max(over[1])
        });
        excess.fold(f32::NEG_INFINITY, f32::max)
    }

    /// What each head gives to the left neighbour and to the partner: mean
    /// weights over the cards for which these are two cards.
    pub fn attended<const B: usize>(&self, batch: &CardBatch<B>) -> [[f32; 2]; H] {
        let weights = self.forward(batch, batch.rows.device().ones()).weights.as_vec();
        let (mut sums, mut count) = ([[0.0; 2]; H], 0.0);
        for (b, pictures) in batch.pictures.iter().enumerate() {
            for i in 0..CARDS {
                let to = [(i + CARDS - 1) % CARDS, partner_of(i, pictures)];
                if to[0] == to[1] {
                    continue;
                }
                count += 1.0;
                for (h, sums) in sums.iter_mut().enumerate() {
                    let row = &weights[((b * H + h) * CARDS + i) * CARDS..][..CARDS];
                    sums.iter_mut().zip(to).for_each(|(sum, k)| *sum += row[k]);
                }
            }
        }
        sums.map(|sums| sums.map(|sum| sum / count))
    }

    /// The shares of cards whose likeliest answer is right.
    pub fn accuracy<const B: usize>(&self, batch: &CardBatch<B>) -> [f32; 2] {
        self.forward(batch, batch.rows.device().ones()).accuracy(batch)
    }
}

/// A matrix of zeros with `value` in each cell (row, column) named.
fn cells(
    dev: &Dev,
    value: f32,
    named: impl IntoIterator<Item = (usize, usize)>,
) -> Tensor2<WIDTH, WIDTH> {
    let mut cells = [[0.0; WIDTH]; WIDTH];
    named.into_iter().for_each(|(row, column)| cells[row][column] = value);
    dev.tensor(cells)
}

impl CardModel<2, 16> {
    /// The layer with weights that are chosen, not learned.
    pub fn by_hand(dev: &Dev) -> Self {
        let mut model = Self::new(dev);
        let layer = &mut model.attention;
        let positions = 0..CARDS;
        let pictures = PICTURE..PICTURE + PICTURES;
        let both = || (0..NUMBER).map(|c| (16 + c, c));
        // Head 0: the query is the card's position. A key is its position,
        // moved on by one: it equals the position of the right neighbour.
        let shifted = positions.clone().map(|p| ((p + 1) % CARDS, p));
        // Head 1: the query is position and picture. A key is the picture,
        // and minus the position.
        let minus = cells(dev, -SHARP, positions.clone().map(|p| (16 + p, p)));
        let plus = shifted.chain(pictures.map(|c| (16 + c, c)));
        layer.w_q.weight = cells(dev, SHARP, positions.map(|p| (p, p)).chain(both()));
        layer.w_k.weight = cells(dev, SHARP, plus) + minus;
        // Values are numbers, for both heads; W_o leaves them where they are.
        let number = |h: usize| (0..NUMBERS).map(move |n| (16 * h + n, NUMBER + n));
        layer.w_v.weight = cells(dev, 1.0, number(0).chain(number(1)));
        layer.w_o.weight = cells(dev, 1.0, (0..WIDTH).map(|c| (c, c)));
        let read = |h: usize| -> Tensor2<NUMBERS, WIDTH> {
            let rows = cells(dev, 10.0, (0..NUMBERS).map(|n| (n, 16 * h + n)));
            rows.slice((..NUMBERS, ..)).realize()
        };
        model.left.weight = read(0);
        model.partner.weight = read(1);
        model
    }
}

impl<const B: usize, const H: usize, T: Tape<f32, Dev>> Predictions<B, H, T> {
    /// The cross-entropy of each question, in nats a card. Guessing costs
    /// ln 8 = 2.08.
    pub fn losses(self, batch: &CardBatch<B>) -> [Tensor0<T>; 2] {
        let [left, partner] = self.logits;
        let [to_left, to_partner] = batch.answers.clone();
        [
            cross_entropy_with_logits_loss(left, to_left),
            cross_entropy_with_logits_loss(partner, to_partner),
        ]
    }

    /// The shares of cards whose likeliest answer is right, for each question.
    pub fn accuracy(&self, batch: &CardBatch<B>) -> [f32; 2] {
        [0, 1].map(|question| {
            let given = self.logits[question].as_vec();
            let wanted = batch.answers[question].as_vec();
            let pairs = given.chunks(NUMBERS).zip(wanted.chunks(NUMBERS));
            let right = pairs.filter(|(a, b)| likeliest(a) == likeliest(b));
            right.count() as f32 / (B * CARDS) as f32
        })
    }
}

/// The index of the largest entry.
fn likeliest(scores: &[f32]) -> Option<usize> {
    (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b]))
}

/// Trains on new cards with Adam, and calls `on_step` with the loss of each
/// step: the sum of both questions, in nats.
pub fn train<const H: usize, const D: usize>(
    model: &mut CardModel<H, D>,
    rng: &mut StdRng,
    (steps, lr): (usize, f32),
    on_step: impl FnMut(f32),
) {
    train_by(model, rng, (steps, |_| lr), on_step);
}

/// As [`train`], with a learning rate for each step, counted from 0.
fn train_by<const H: usize, const D: usize>(
    model: &mut CardModel<H, D>,
    rng: &mut StdRng,
    (steps, lr): (usize, impl Fn(usize) -> f32),
    mut on_step: impl FnMut(f32),
) {
    const BATCH: usize = 64;
    let dev = Dev::default();
    let mut adam = Adam::new(model.count(), lr(0));
    for n in 0..steps {
        adam.lr = lr(n);
        let batch: CardBatch<BATCH> = CardBatch::new(&dev, rng);
        let gates: Tensor2<BATCH, H> = dev.ones();
        let [left, partner] = model.forward(&batch, gates.leaky_trace()).losses(&batch);
        on_step(step(model, &mut adam, left + partner));
    }
}

/// Returns the model of a seed, trained, with a layer that is not linear or
/// without.
pub fn trained<const H: usize, const D: usize>(
    seed: u64,
    nonlinear: bool,
    (steps, lr): (usize, f32),
    on_step: impl FnMut(f32),
) -> CardModel<H, D> {
    trained_by(seed, nonlinear, (steps, |_| lr), on_step)
}

/// As [`trained`], with a learning rate that falls from `lr` by the same
/// amount at each step, and would be 0 after the last.
pub fn trained_falling<const H: usize, const D: usize>(
    seed: u64,
    nonlinear: bool,
    (steps, lr): (usize, f32),
    on_step: impl FnMut(f32),
) -> CardModel<H, D> {
    let falling = |n| lr * (1.0 - n as f32 / steps as f32);
    trained_by(seed, nonlinear, (steps, falling), on_step)
}

fn trained_by<const H: usize, const D: usize>(
    seed: u64,
    nonlinear: bool,
    settings: (usize, impl Fn(usize) -> f32),
    on_step: impl FnMut(f32),
) -> CardModel<H, D> {
    let dev = Dev::seed_from_u64(seed);
    let mut model = CardModel::new(&dev);
    model.nonlinear = nonlinear.then(|| Nonlinear::new(&dev));
    let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1000));
    train_by(&mut model, &mut rng, settings, on_step);
    model
}
