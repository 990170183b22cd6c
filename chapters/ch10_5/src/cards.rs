// ANCHOR: cards
//! A game of pairs, to train a layer on: section 10.5. Eight cards lie in a
//! circle; each has a place, a picture and a number, and each picture is on
//! two cards. Each card asks two things: which number does my left neighbour
//! have, and which has the other card with my picture?

use crate::multi_head::MultiHeadAttention;
use crate::projection::Projection;
use anyhow::Result;
use ch10_1::Dev;
use ch10_3::{Attended, ValidLens};
use dfdx::optim::{Adam, AdamConfig};
use dfdx::prelude::*;
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

/// Cards in the circle.
pub const CARDS: usize = 8;
/// Pictures, each on two cards.
pub const PICTURES: usize = CARDS / 2;
/// Numbers that a card can have.
pub const NUMBERS: usize = 8;
/// Width of a card's face: its place and its picture, both one-hot.
pub const FACE: usize = CARDS + PICTURES;
/// Width of the layer that plays.
pub const WIDTH: usize = 32;
// ANCHOR_END: cards

// ANCHOR: deal
/// B circles of cards, and the answers to all their questions.
pub struct Deal<const B: usize> {
    /// The picture of each card.
    pub pictures: Vec<[usize; CARDS]>,
    /// Place and picture of each card, the query and the key, one-hot.
    pub faces: Tensor<Rank3<B, CARDS, FACE>, f32, Dev>,
    /// The number of each card, the value, one-hot.
    pub numbers: Tensor<Rank3<B, CARDS, NUMBERS>, f32, Dev>,
    /// The numbers asked for: of the left neighbour, of the partner.
    pub answers: [Tensor<Rank3<B, CARDS, NUMBERS>, f32, Dev>; 2],
}

impl<const B: usize> Deal<B> {
    /// Shuffles the pictures and draws the numbers, each as likely.
    pub fn new(dev: &Dev, rng: &mut StdRng) -> Self {
        let mut pictures = vec![[0, 0, 1, 1, 2, 2, 3, 3]; B];
        pictures.iter_mut().for_each(|circle| circle.shuffle(rng));
        let mut draw = || rng.gen_range(0..NUMBERS as u32) as usize;
        let numbers: Vec<[usize; CARDS]> =
            (0..B).map(|_| std::array::from_fn(|_| draw())).collect();
        let face = |b: usize, card: usize| [card, CARDS + pictures[b][card]];
        let own = |b: usize, card: usize| [numbers[b][card]];
        let left = |b, card| own(b, (card + CARDS - 1) % CARDS);
        let partner = |b, card| own(b, partner_of(card, &pictures[b]));
        Self {
            faces: one_hot(dev, face),
            numbers: one_hot(dev, own),
            answers: [one_hot(dev, left), one_hot(dev, partner)],
            pictures,
        }
    }
}
// ANCHOR_END: deal

// ANCHOR: one_hot
/// The other card with the picture of `card`.
fn partner_of(card: usize, pictures: &[usize; CARDS]) -> usize {
    let same = |&c: &usize| c != card && pictures[c] == pictures[card];
    (0..CARDS).find(same).unwrap_or(card)
}

/// A row of O numbers for each card of each circle: 1 in the columns that are
/// named for it, 0 elsewhere.
fn one_hot<const B: usize, const O: usize, const ONES: usize>(
    dev: &Dev,
    columns: impl Fn(usize, usize) -> [usize; ONES],
) -> Tensor<Rank3<B, CARDS, O>, f32, Dev> {
    let mut cells = vec![0.0; B * CARDS * O];
    for (i, row) in cells.chunks_exact_mut(O).enumerate() {
        for column in columns(i / CARDS, i % CARDS) {
            row[column] = 1.0;
        }
    }
    dev.tensor_from_vec(cells, Default::default())
}
// ANCHOR_END: one_hot

// ANCHOR: player
/// Who plays: one layer of attention with H heads, and for each of the two
/// questions a projection that reads the answer off.
#[derive(Clone, Debug)]
pub struct Player<const H: usize, const D: usize> {
    /// Queries and keys are faces, values are numbers.
    pub attention: MultiHeadAttention<FACE, FACE, NUMBERS, H, D, WIDTH>,
    /// Reads the number of the left neighbour.
    pub left: Projection<WIDTH, NUMBERS, true>,
    /// Reads the number of the partner.
    pub partner: Projection<WIDTH, NUMBERS, true>,
}

support::layer! {
    Player<H, D> { attention: layer, left: layer, partner: layer }
}
// ANCHOR_END: player

// ANCHOR: play
/// What a player says to the two questions, as logits, and where it looked.
pub struct Said<const B: usize, const H: usize, T = NoneTape> {
    /// The higher, the likelier: for the left neighbour, for the partner.
    pub logits: [Tensor<Rank3<B, CARDS, NUMBERS>, f32, Dev, T>; 2],
    /// The weights of each head.
    pub weights: Tensor<Rank4<B, H, CARDS, CARDS>, f32, Dev>,
}

impl<const H: usize, const D: usize> Player<H, D> {
    /// A player that knows nothing yet. Does not build unless H·D = WIDTH.
    pub fn new(dev: &Dev) -> Self {
        Self {
            attention: MultiHeadAttention::new(dev, 0.0),
            left: Projection::new(dev),
            partner: Projection::new(dev),
        }
    }

    /// Answers for all cards. What head h of circle b finds is multiplied by
    /// its gate: 1 leaves it, 0 masks it out.
    pub fn play<const B: usize, T: Tape<f32, Dev>>(
        &self,
        deal: &Deal<B>,
        gates: Tensor<Rank2<B, H>, f32, Dev, T>,
    ) -> Said<B, H, T> {
        let layer = &self.attention;
        let queries = layer.queries(deal.faces.retaped::<T>());
        let pairs = layer.pairs(deal.faces.retaped(), deal.numbers.retaped());
        let Attended { output: found, weights } =
            layer.look(queries, pairs, &ValidLens::All);
        let gates: Tensor<Rank4<B, H, CARDS, D>, f32, Dev, T> =
            gates.broadcast::<_, Axes2<2, 3>>();
        let (output, tape) = layer.combine(found * gates).split_tape();
        let left = self.left.forward(output.clone().put_tape(tape));
        let partner = self.partner.forward(output.retaped());
        Said { logits: [left, partner], weights }
    }
}
// ANCHOR_END: play

// ANCHOR: said
impl<const B: usize, const H: usize, T: Tape<f32, Dev>> Said<B, H, T> {
    /// The cross-entropy of each question, in nats per card. A player that
    /// guesses has ln 8 = 2.08.
    pub fn losses(self, deal: &Deal<B>) -> [Tensor<Rank0, f32, Dev, T>; 2] {
        let [left, partner] = self.logits;
        let [to_left, to_partner] = deal.answers.clone();
        [
            cross_entropy_with_logits_loss(left, to_left),
            cross_entropy_with_logits_loss(partner, to_partner),
        ]
    }

    /// The share of cards whose likeliest answer is right, for each question.
    pub fn right(&self, deal: &Deal<B>) -> [f32; 2] {
        [0, 1].map(|which| {
            let said = self.logits[which].as_vec();
            let asked = deal.answers[which].as_vec();
            let pairs = said.chunks(NUMBERS).zip(asked.chunks(NUMBERS));
            let right = pairs.filter(|(a, b)| likeliest(a) == likeliest(b));
            right.count() as f32 / (B * CARDS) as f32
        })
    }
}

/// The place of the largest entry.
fn likeliest(row: &[f32]) -> Option<usize> {
    (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]))
}
// ANCHOR_END: said

// ANCHOR: train
/// Trains on new deals with Adam, and calls `seen` with each step, from 1,
/// and its loss: the sum of both questions, in nats.
///
/// # Errors
/// What the optimiser reports.
pub fn train<const H: usize, const D: usize>(
    player: &mut Player<H, D>,
    rng: &mut StdRng,
    steps: usize,
    mut seen: impl FnMut(usize, f32),
) -> Result<()> {
    const BATCH: usize = 64;
    let dev = Dev::default();
    let config = AdamConfig { lr: 0.01, ..Default::default() };
    let mut adam = Adam::new(player, config);
    let mut grads = player.alloc_grads();
    for step in 1..=steps {
        let deal: Deal<BATCH> = Deal::new(&dev, rng);
        let gates = dev.ones().trace(grads);
        let [left, partner] = player.play(&deal, gates).losses(&deal);
        let loss = left + partner;
        seen(step, loss.array());
        grads = loss.backward();
        adam.update(player, &grads)?;
        player.zero_grads(&mut grads);
    }
    Ok(())
}
// ANCHOR_END: train

// ANCHOR: without
impl<const H: usize, const D: usize> Player<H, D> {
    /// The losses of the two questions, in nats per card, with some heads
    /// masked out.
    pub fn losses_without<const B: usize>(
        &self,
        deal: &Deal<B>,
        masked: &[usize],
    ) -> [f32; 2] {
        let gates: [f32; H] = std::array::from_fn(|h| f32::from(!masked.contains(&h)));
        let gates = deal.faces.device().tensor(gates).broadcast();
        self.play(deal, gates).losses(deal).map(|loss| loss.array())
    }
}
// ANCHOR_END: without
