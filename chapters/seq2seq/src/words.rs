// ANCHOR: words_header
//! Interlude, words as vectors.

use ch10_1::Dev;
use dfdx::prelude::*;
// ANCHOR_END: words_header

// ANCHOR: embed
/// A vector for each word. How many words there are is known only when the
/// sentences are read, so that one axis is not in the type.
pub type Embedding<const EMBED: usize> = Tensor<(usize, Const<EMBED>), f32, Dev>;

/// The vectors of the tokens, steps first.
pub fn embed<const S: usize, const B: usize, const EMBED: usize, T: Tape<f32, Dev>>(
    tokens: &[[usize; S]; B],
    w: &Embedding<EMBED>,
    tape: T,
) -> Tensor<Rank3<S, B, EMBED>, f32, Dev, T> {
    let by_step: [[usize; B]; S] =
        std::array::from_fn(|s| std::array::from_fn(|b| tokens[b][s]));
    w.clone().put_tape(tape).gather(w.device().tensor(by_step))
}
// ANCHOR_END: embed
