// ANCHOR: loss_header
//! Interlude, the loss: cross-entropy over the tokens that count.

use ch10_1::Dev;
use dfdx::prelude::*;
// ANCHOR_END: loss_header

// ANCHOR: logits
/// For each step, each example and each word of the vocabulary a number: the
/// larger, the more probable the word.
pub type Logits<const S: usize, const B: usize, T = NoneTape> =
    Tensor<(Const<S>, Const<B>, usize), f32, Dev, T>;

/// What turns a state into logits: a row of weights for each word, and a bias.
pub type Words<'a, const HIDDEN: usize> =
    (&'a Tensor<(usize, Const<HIDDEN>), f32, Dev>, &'a Tensor<(usize,), f32, Dev>);

/// From the states of the last layer, by a matrix and a bias for each word.
pub fn logits<
    const S: usize,
    const B: usize,
    const HIDDEN: usize,
    T: Tape<f32, Dev>,
>(
    states: Tensor<Rank3<S, B, HIDDEN>, f32, Dev, T>,
    (w, b): Words<HIDDEN>,
) -> Logits<S, B, T> {
    let w: Tensor<(Const<HIDDEN>, usize), f32, Dev, T> = w.retaped::<T>().permute();
    let x = states.matmul(w);
    let shape = *x.shape();
    x + b.retaped::<T>().broadcast_like(&shape)
}
// ANCHOR_END: logits

// ANCHOR: masked_cross_entropy
/// **Masked cross-entropy**: for each example the sum over its first `lens`
/// tokens of -ln p(label), divided by the number S of steps.
pub fn masked_cross_entropy<const S: usize, const B: usize, T: Tape<f32, Dev>>(
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
    let each = (all - label) * dev.tensor(counts);
    each.sum::<_, Axis<0>>() / S as f32
}

fn by_step<const S: usize, const B: usize, E>(
    cell: impl Fn(usize, usize) -> E,
) -> [[E; B]; S] {
    std::array::from_fn(|s| std::array::from_fn(|b| cell(s, b)))
}
// ANCHOR_END: masked_cross_entropy

// ANCHOR: losses
/// The same from the states of the last layer.
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
    masked_cross_entropy(logits(states, words), labels, lens)
}
// ANCHOR_END: losses
