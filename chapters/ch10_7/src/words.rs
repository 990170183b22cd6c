// ANCHOR: words_header
//! Section 10.7: from words to rows with their positions, and from rows to
//! words. As in the interlude, but with the batch on the first axis.

use crate::encoder::Positions;
use ch10_1::Dev;
use dfdx::prelude::*;
use seq2seq::loss::Words;
use seq2seq::words::Embedding;
// ANCHOR_END: words_header

// ANCHOR: embed
/// The vectors of the tokens times √M, plus the encoding of their positions,
/// of which `from` is the first; then dropout.
pub fn embed<const B: usize, const S: usize, const M: usize, T: Tape<f32, Dev>>(
    tokens: &[[usize; S]; B],
    embedding: &Embedding<M>,
    positions: &Positions<M>,
    from: usize,
    tape: T,
) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
    let rows: Tensor<Rank2<B, S>, usize, Dev> = embedding.device().tensor(*tokens);
    let x: Tensor<Rank3<B, S, M>, f32, Dev, T> =
        embedding.clone().put_tape(tape).gather(rows);
    positions.forward_from(x * (M as f32).sqrt(), from)
}
// ANCHOR_END: embed

// ANCHOR: losses
/// The loss of each pair from the rows of the last layer: see
/// [`seq2seq::loss::losses`].
pub fn losses<const B: usize, const S: usize, const M: usize, T: Tape<f32, Dev>>(
    states: Tensor<Rank3<B, S, M>, f32, Dev, T>,
    words: Words<M>,
    labels: &[[usize; S]; B],
    lens: &[usize; B],
) -> Tensor<Rank1<B>, f32, Dev, T> {
    let by_step: Tensor<Rank3<S, B, M>, f32, Dev, T> =
        states.permute::<_, Axes3<1, 0, 2>>();
    seq2seq::loss::losses(by_step, words, labels, lens)
}
// ANCHOR_END: losses
