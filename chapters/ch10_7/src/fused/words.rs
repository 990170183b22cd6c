// ANCHOR: fused_words_header
//! Section 10.7, the same in one pass: from words to rows and back.

use super::rows::{drop, kept};
use crate::encoder::Positions;
use ch10_1::Dev;
use ch10_3::fused::{place, record, values};
use ch10_3::loops::add_scaled;
use dfdx::prelude::*;
use seq2seq::loss::Words;
use seq2seq::words::Embedding;
// ANCHOR_END: fused_words_header

// ANCHOR: fused_embed
/// [`embed`](crate::words::embed) in one pass.
pub fn embed<const B: usize, const S: usize, const M: usize, T: Tape<f32, Dev>>(
    tokens: &[[usize; S]; B],
    embedding: &Embedding<M>,
    positions: &Positions<M>,
    from: usize,
    tape: T,
) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
    let (dev, scale) = (embedding.device(), (M as f32).sqrt());
    let table = positions.table.clone().slice((from..from + S, ..));
    let (words, mut x) = (values(embedding), values(&table).repeat(B));
    let words_of = |token: &usize| &words[token * M..][..M];
    for (x, token) in x.chunks_mut(M).zip(tokens.as_flattened()) {
        add_scaled(x, scale, words_of(token));
    }
    let kept = kept::<T>(dev, B * S * M, positions.dropout);
    drop(&mut x, kept.as_ref());
    let x = dev.tensor_from_vec(x, Default::default());
    let tokens = *tokens;
    record([place(embedding)], x, tape, move |d_x, [d_words]| {
        let mut d_x = d_x.to_vec();
        drop(&mut d_x, kept.as_ref());
        for (d, token) in d_x.chunks(M).zip(tokens.as_flattened()) {
            add_scaled(&mut d_words[token * M..][..M], scale, d);
        }
    })
}
// ANCHOR_END: fused_embed

// ANCHOR: fused_losses
/// [`losses`](crate::words::losses) in one pass: the rows change places, and
/// the rest is the operation of the interlude.
pub fn losses<const B: usize, const S: usize, const M: usize, T: Tape<f32, Dev>>(
    states: Tensor<Rank3<B, S, M>, f32, Dev, T>,
    words: Words<M>,
    labels: &[[usize; S]; B],
    lens: &[usize; B],
) -> Tensor<Rank1<B>, f32, Dev, T> {
    let (states, tape) = states.split_tape();
    let rows = values(&states);
    let from = |at: usize| (at % B * S + at / B) * M;
    let mut by_step = Vec::with_capacity(rows.len());
    for at in 0..S * B {
        by_step.extend_from_slice(&rows[from(at)..][..M]);
    }
    let dev = states.device();
    let by_step: Tensor<Rank3<S, B, M>, f32, Dev> =
        dev.tensor_from_vec(by_step, Default::default());
    let by_step = record([place(&states)], by_step, tape, move |d, [to]| {
        for (at, d) in d.chunks(M).enumerate() {
            add_scaled(&mut to[from(at)..][..M], 1.0, d);
        }
    });
    seq2seq::fused::losses(by_step, words, labels, lens)
}
// ANCHOR_END: fused_losses
