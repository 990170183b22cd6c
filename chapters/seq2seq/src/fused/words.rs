// ANCHOR: fused_words_header
//! Interlude, the same in one pass: from words to vectors and back.

use crate::loss::Words;
use ch10_1::Dev;
use ch10_3::fused::{place, record, values};
use ch10_3::loops::{add_scaled, exp, matmul, matmul_transposed, transposed};
use dfdx::prelude::*;
// ANCHOR_END: fused_words_header

// ANCHOR: fused_losses
/// [`losses`](crate::loss::losses) in one pass; for a token that does not
/// count nothing is computed.
pub fn losses<
    const S: usize,
    const B: usize,
    const HIDDEN: usize,
    T: Tape<f32, Dev>,
>(
    states: Tensor<Rank3<S, B, HIDDEN>, f32, Dev, T>,
    words: Words<HIDDEN>,
    labels: &[[usize; S]; B],
    lens: &[usize; B],
) -> Tensor<Rank1<B>, f32, Dev, T> {
    let (states, tape) = states.split_tape();
    let tokens = (0..B).flat_map(|b| (0..lens[b].min(S)).map(move |s| (s, b)));
    let tokens = tokens.map(|(s, b)| Token {
        example: b,
        state: s * B + b,
        label: labels[b][s],
    });
    let mut scored = Scored::new(tokens.collect(), &values(&states), words);
    let mut sums = [0.0; B];
    for (token, logits) in scored.each() {
        sums[token.example] += loss(logits, token.label) / S as f32;
    }
    let sums = states.device().tensor(sums);
    let places = [place(&states), place(words.0), place(words.1)];
    record(places, sums, tape, move |d_sums, d| {
        let d_losses: Vec<f32> = d_sums.iter().map(|d| d / S as f32).collect();
        scored.backward(&d_losses, d);
    })
}
// ANCHOR_END: fused_losses

// ANCHOR: scored
/// A token that counts.
struct Token {
    /// Whose it is.
    example: usize,
    /// Which of the states (S, B) it is computed from.
    state: usize,
    /// Which word is right.
    label: usize,
}

/// The tokens that count, and for each its state, and logits that later
/// become probabilities.
struct Scored {
    tokens: Vec<Token>,
    states: Vec<f32>,
    logits: Vec<f32>,
    w: Vec<f32>,
    hidden: usize,
}

impl Scored {
    fn new<const HIDDEN: usize>(
        tokens: Vec<Token>,
        states: &[f32],
        (w, b): Words<HIDDEN>,
    ) -> Self {
        let state = |token: &Token| &states[token.state * HIDDEN..][..HIDDEN];
        let states: Vec<f32> = tokens.iter().flat_map(state).copied().collect();
        let w = values(w);
        let mut logits = values(b).repeat(tokens.len());
        matmul(&mut logits, &states, &transposed(&w, HIDDEN), HIDDEN);
        Scored { tokens, states, logits, w, hidden: HIDDEN }
    }

    fn words(&self) -> usize {
        self.w.len() / self.hidden
    }

    fn each(&mut self) -> impl Iterator<Item = (&Token, &mut [f32])> {
        let words = self.words();
        self.tokens.iter().zip(self.logits.chunks_mut(words))
    }

    fn backward(&mut self, d_losses: &[f32], d: [&mut [f32]; 3]) {
        let [d_states, d_w, d_b] = d;
        let (words, hidden) = (self.words(), self.hidden);
        for (token, d_logits) in self.each() {
            d_logits[token.label] -= 1.0;
            scale(d_logits, d_losses[token.example]);
            add_scaled(d_b, 1.0, d_logits);
        }
        let mut d_rows = vec![0.0; self.states.len()];
        matmul(&mut d_rows, &self.logits, &self.w, words);
        for (token, d) in self.tokens.iter().zip(d_rows.chunks(hidden)) {
            add_scaled(&mut d_states[token.state * hidden..][..hidden], 1.0, d);
        }
        let count = self.tokens.len();
        matmul_transposed(d_w, &self.logits, &self.states, count);
    }
}
// ANCHOR_END: scored

// ANCHOR: label_loss
fn scale(x: &mut [f32], by: f32) {
    x.iter_mut().for_each(|x| *x *= by);
}

/// -ln of the probability of `label`; logits become probabilities.
fn loss(logits: &mut [f32], label: usize) -> f32 {
    let right = logits[label];
    let max = logits.iter().fold(f32::MIN, |max, &x| max.max(x));
    for x in logits.iter_mut() {
        *x = exp(*x - max);
    }
    let sum = total(logits);
    scale(logits, 1.0 / sum);
    sum.ln() + max - right
}

/// The sum, in eight parts that are added up last.
fn total(x: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    for x in x.chunks(8) {
        for (sum, x) in sums.iter_mut().zip(x) {
            *sum += x;
        }
    }
    sums.iter().sum()
}
// ANCHOR_END: label_loss

// ANCHOR: fused_embed
/// [`embed`](crate::words::embed) in one pass.
pub fn embed<const S: usize, const B: usize, const EMBED: usize, T: Tape<f32, Dev>>(
    tokens: &[[usize; S]; B],
    w: &Tensor<(usize, Const<EMBED>), f32, Dev>,
    tape: T,
) -> Tensor<Rank3<S, B, EMBED>, f32, Dev, T> {
    let rows: Vec<usize> =
        (0..S).flat_map(|s| tokens.iter().map(move |row| row[s])).collect();
    let all = values(w);
    let vectors = rows.iter().flat_map(|&row| &all[row * EMBED..][..EMBED]);
    let vectors = vectors.copied().collect();
    let out = w.device().tensor_from_vec(vectors, Default::default());
    record([place(w)], out, tape, move |d, [d_w]| {
        for (row, d) in rows.iter().zip(d.chunks(EMBED)) {
            add_scaled(&mut d_w[row * EMBED..][..EMBED], 1.0, d);
        }
    })
}
// ANCHOR_END: fused_embed
