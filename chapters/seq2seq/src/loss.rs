//! Interlude, the loss: cross-entropy over the tokens that count.

use crate::ops;
use ch10_1::Dev;
use dfdx::prelude::*;

/// For each step, each example and each word of the vocabulary a number: the
/// larger, the more probable the word.
pub type Logits<const S: usize, const B: usize, T = NoneTape> =
    Tensor<(Const<S>, Const<B>, usize), f32, Dev, T>;

/// **Masked cross-entropy**: for each example the sum over its first `lens`
/// tokens of -ln p(label), divided by the number S of steps.
pub fn masked_cross_entropy<
    const S: usize,
    const B: usize,
    T: Tape<f32, Dev>,
>(
    logits: Logits<S, B, T>,
    labels: &[[usize; S]; B],
    lens: &[usize; B],
) -> Tensor<Rank1<B>, f32, Dev, T> {
    let sums = ops::losses(logits, labels, lens);
    sums / S as f32
}

/// The sums alone.
pub fn losses<const S: usize, const B: usize, T: Tape<f32, Dev>>(
    logits: Logits<S, B, T>,
    labels: &[[usize; S]; B],
    lens: &[usize; B],
) -> Tensor<Rank1<B>, f32, Dev, T> {
    let dev = logits.device().clone();
    let labels = by_step(|s, b| labels[b][s]);
    let counts = by_step(|s, b| f32::from(s < lens[b]));
    let (logits, tape) = logits.split_tape();
    let label: Tensor<Rank2<S, B>, f32, Dev, T> =
        logits.retaped::<T>().select(dev.tensor(labels));
    let all: Tensor<Rank2<S, B>, f32, Dev, T> =
        logits.put_tape(tape).logsumexp::<_, Axis<2>>();
    ((all - label) * dev.tensor(counts)).sum::<_, Axis<0>>()
}

fn by_step<const S: usize, const B: usize, E>(
    cell: impl Fn(usize, usize) -> E,
) -> [[E; B]; S] {
    std::array::from_fn(|s| std::array::from_fn(|b| cell(s, b)))
}
