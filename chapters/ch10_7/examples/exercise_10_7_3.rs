//! A model of what comes next, with the mask of a decoder and with that of an
//! encoder. Which loss is lower, and which model can write?
//!
//! Worked answer to exercise 3 of section 10.7. The language: digits that
//! rise by the same step, modulo 10.

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_7::decoder::causal;
use ch10_7::{NormAt, TransformerEncoder, words};
use dfdx::prelude::*;
use rand::{Rng, SeedableRng, rngs::StdRng};
use seq2seq::loss::{Words, logits};
use seq2seq::parameters::{Named, Parameters, within};
use seq2seq::train::{Adam, clip};
use support::Progress;

const S: usize = 12;
const B: usize = 32;
const DIGITS: usize = 10;
const STEPS: usize = 800;
const M: usize = 32;

type Digits = [[usize; S]; B];
/// What the positions see of rows of such lengths.
type Mask = fn(&[usize; B]) -> ValidLens<B, S>;

/// Rows of digits, and the same one place further on.
fn draw(random: &mut StdRng) -> [Digits; 2] {
    let mut below = |n: u32| random.gen_range(0..n) as usize;
    let starts: [(usize, usize); B] =
        std::array::from_fn(|_| (below(10), 1 + below(9)));
    [0, 1].map(|from| {
        let digit = |(start, step), i| (start + step * (from + i)) % DIGITS;
        starts.map(|start| std::array::from_fn(|i| digit(start, i)))
    })
}

struct Model {
    body: TransformerEncoder<M, 2, 16, 64>,
    w_out: Tensor<(usize, Const<M>), f32, Dev>,
    b_out: Tensor<(usize,), f32, Dev>,
}

impl Model {
    fn new(dev: &Dev) -> Self {
        let body = TransformerEncoder::new(dev, DIGITS, 2, 0.0, NormAt::Post);
        let normal = rand_distr::StandardNormal;
        let w_out = dev.sample_like(&(DIGITS, Const), normal);
        let w_out = w_out / (M as f32).sqrt();
        Model { body, w_out, b_out: dev.zeros_like(&(DIGITS,)) }
    }

    fn words(&self) -> Words<'_, M> {
        (&self.w_out, &self.b_out)
    }

    /// The mask alone decides whether this is an encoder or a decoder.
    fn rows<T: Tape<f32, Dev>>(
        &self,
        digits: &Digits,
        lens: &ValidLens<B, S>,
        tape: T,
    ) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
        let body = &self.body;
        let (vectors, positions) = (&body.embedding, &body.positions);
        let mut x = words::embed(digits, vectors, positions, 0, tape);
        for block in &body.blocks {
            x = block.forward(x, lens).output;
        }
        x
    }

    /// The share of right digits if only the first `known` of each row are
    /// there, as when the model writes.
    fn right(&self, [digits, next]: &[Digits; 2], mask: Mask, known: usize) -> f64 {
        let rows = self.rows(digits, &mask(&[known; B]), NoneTape);
        let logits = logits(rows, self.words()).as_vec();
        let row = |b: usize| &logits[(b * S + known - 1) * DIGITS..][..DIGITS];
        let best = |row: &[f32]| (0..DIGITS).max_by(|&a, &b| row[a].total_cmp(&row[b]));
        let right = (0..B).filter(|&b| best(row(b)) == Some(next[b][known - 1]));
        right.count() as f64 / B as f64
    }
}

impl Parameters for Model {
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("body", self.body.parameters());
        all.push(("w_out".into(), &mut self.w_out));
        all.push(("b_out".into(), &mut self.b_out));
        all
    }
}

/// The model, and its loss a digit at the end, in nats.
fn trained(name: &str, mask: Mask) -> (Model, f32) {
    let mut model = Model::new(&Dev::seed_from_u64(0));
    let mut random = StdRng::seed_from_u64(0);
    let mut row = model.row();
    let mut adam = Adam::new(row.len(), 0.003);
    let mut progress = Progress::new(name.to_string(), STEPS);
    let mut last = f32::NAN;
    for _ in 0..STEPS {
        let [digits, next] = draw(&mut random);
        let rows = model.rows(&digits, &mask(&[S; B]), OwnedTape::default());
        let losses = words::losses(rows, model.words(), &next, &[S; B]);
        let loss = losses.mean();
        last = loss.array();
        progress.step(last);
        let mut gradient = model.gradient(loss.backward());
        clip(&mut gradient, 1.0);
        adam.update(&mut row, &gradient);
        model.set_row(&row);
    }
    (model, last)
}

fn main() {
    let new = draw(&mut StdRng::seed_from_u64(1));
    // The second digit can be any of nine; all after it are certain.
    let least = 9_f32.ln() / S as f32;
    println!("least possible loss {least:.4}\n");
    println!("mask      loss    right next digit, of 2, 5 and 9 known");
    let mut outcomes = Vec::new();
    let none: Mask = |lens| ValidLens::PerExample(*lens);
    for (name, mask) in [("causal", causal as Mask), ("none", none)] {
        let (model, loss) = trained(name, mask);
        let shares = [2, 5, 9].map(|known| model.right(&new, mask, known));
        let [a, b, c] = shares;
        println!("{name:6} {loss:7.4} {a:8.3} {b:8.3} {c:8.3}");
        outcomes.push((loss, shares));
    }
    let [(honest, can), (too_good, cannot)] = outcomes[..] else {
        unreachable!("two models were trained")
    };
    assert!(honest > 0.9 * least && too_good < 0.7 * least);
    assert!(can[1] > 0.9 && cannot[1] < 0.5);
}
