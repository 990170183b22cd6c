// ANCHOR: header
//! Section 10.1, attention cues: a soft look-up, and heat maps of weights.
//!
//! Nothing here prints, writes files or draws random numbers.

mod colours;
mod heatmap;

pub use heatmap::{Labels, show_heatmaps};

use dfdx::prelude::*;

/// Where tensors live: in this book the processor.
pub type Dev = AutoDevice;
// ANCHOR_END: header

// ANCHOR: desk
/// What lies on the desk.
pub const OBJECTS: [&str; 5] = ["newspaper", "paper", "cup", "notebook", "book"];

/// One key for each object: how much it catches the eye, and how much there
/// is to read in it.
pub const KEYS: [[f32; 2]; 5] =
    [[0.1, 0.8], [0.0, 0.2], [1.0, 0.0], [0.2, 0.4], [0.2, 1.0]];

/// One value for each object, what the senses get from it: red, words,
/// warmth, scent.
pub const VALUES: [[f32; 4]; 5] = [
    [0.0, 0.9, 0.0, 0.1],
    [0.0, 0.3, 0.0, 0.0],
    [1.0, 0.0, 0.8, 0.9],
    [0.1, 0.4, 0.0, 0.0],
    [0.2, 1.0, 0.0, 0.2],
];
// ANCHOR_END: desk

// ANCHOR: average
/// Average pooling: the mean of the K values, whatever the cues.
pub fn average<const K: usize, const DV: usize>(
    values: Tensor<Rank2<K, DV>, f32, Dev>,
) -> Tensor<Rank1<DV>, f32, Dev> {
    values.mean::<Rank1<DV>, Axis<0>>()
}
// ANCHOR_END: average

// ANCHOR: score
/// How well each query fits each key: their dot product.
pub fn score<const Q: usize, const K: usize, const D: usize>(
    queries: Tensor<Rank2<Q, D>, f32, Dev>,
    keys: Tensor<Rank2<K, D>, f32, Dev>,
) -> Tensor<Rank2<Q, K>, f32, Dev> {
    let keys: Tensor<Rank2<D, K>, f32, Dev> = keys.permute();
    queries.matmul(keys)
}
// ANCHOR_END: score

// ANCHOR: weigh
/// Turns the scores of each query into weights that are positive and sum to
/// 1. The lower the temperature, the more the best key gets.
///
/// # Panics
/// The temperature is not above 0.
pub fn weigh<const Q: usize, const K: usize>(
    scores: Tensor<Rank2<Q, K>, f32, Dev>,
    temperature: f32,
) -> Tensor<Rank2<Q, K>, f32, Dev> {
    assert!(temperature > 0.0, "a temperature is above 0");
    (scores / temperature).softmax::<Axis<1>>()
}
// ANCHOR_END: weigh

// ANCHOR: pool
/// Attention pooling: for each query, the weighted sum of the values.
pub fn pool<const Q: usize, const K: usize, const DV: usize>(
    weights: Tensor<Rank2<Q, K>, f32, Dev>,
    values: Tensor<Rank2<K, DV>, f32, Dev>,
) -> Tensor<Rank2<Q, DV>, f32, Dev> {
    weights.matmul(values)
}
// ANCHOR_END: pool

// ANCHOR: look_up
/// What a look-up gives back.
pub struct LookedUp<const Q: usize, const K: usize, const DV: usize> {
    /// For each query, what came out.
    pub output: Tensor<Rank2<Q, DV>, f32, Dev>,
    /// For each query, how much each value had part in it.
    pub weights: Tensor<Rank2<Q, K>, f32, Dev>,
}

/// Looks up each query among the keys; the better a key fits, the more of
/// its value comes out.
///
/// # Panics
/// The temperature is not above 0.
pub fn soft_look_up<const Q: usize, const K: usize, const D: usize, const DV: usize>(
    queries: Tensor<Rank2<Q, D>, f32, Dev>,
    keys: Tensor<Rank2<K, D>, f32, Dev>,
    values: Tensor<Rank2<K, DV>, f32, Dev>,
    temperature: f32,
) -> LookedUp<Q, K, DV> {
    let weights = weigh(score(queries, keys), temperature);
    LookedUp { output: pool(weights.clone(), values), weights }
}
// ANCHOR_END: look_up

// ANCHOR: hard
/// The weights of a hard look-up: 1 for the key with the highest score, the
/// first such key if there are several, and 0 for the others.
pub fn hard_weights<const Q: usize, const K: usize>(
    scores: Tensor<Rank2<Q, K>, f32, Dev>,
) -> Tensor<Rank2<Q, K>, f32, Dev> {
    let one_hot = scores.array().map(|row| {
        let highest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let best = row.iter().position(|&score| score == highest);
        std::array::from_fn(|k| if Some(k) == best { 1.0 } else { 0.0 })
    });
    scores.device().tensor(one_hot)
}
// ANCHOR_END: hard

// ANCHOR: distance
/// How far the output of a soft look-up is from that of the hard one: the
/// length of their difference, over all queries.
///
/// # Panics
/// The temperature is not above 0.
pub fn distance_to_hard<const Q: usize, const K: usize, const DV: usize>(
    scores: Tensor<Rank2<Q, K>, f32, Dev>,
    values: Tensor<Rank2<K, DV>, f32, Dev>,
    temperature: f32,
) -> f32 {
    let soft = pool(weigh(scores.clone(), temperature), values.clone());
    let hard = pool(hard_weights(scores), values);
    (soft - hard).square().sum::<Rank0, _>().sqrt().array()
}
// ANCHOR_END: distance
