// ANCHOR: header
//! Section 10.1, attention cues: attention over five things on a desk.
//!
//! Pure functions: nothing is learned, and nothing is random.

pub use kernels::{Dev, Tensor0, Tensor1, Tensor2, Tensor3, Tensor4};

use dfdx::prelude::*;
// ANCHOR_END: header

// ANCHOR: desk
/// What lies on the desk.
pub const OBJECTS: [&str; 5] = ["newspaper", "paper", "cup", "notebook", "book"];

/// One key for each object: how much it catches the eye, and how much there is
/// to read in it.
pub const KEYS: [[f32; 2]; 5] =
    [[0.1, 0.8], [0.0, 0.2], [1.0, 0.0], [0.2, 0.4], [0.2, 1.0]];

/// One value for each object: red, words, warmth, scent.
pub const VALUES: [[f32; 4]; 5] = [
    [0.0, 0.9, 0.0, 0.1],
    [0.0, 0.3, 0.0, 0.0],
    [1.0, 0.0, 0.8, 0.9],
    [0.1, 0.4, 0.0, 0.0],
    [0.2, 1.0, 0.0, 0.2],
];
// ANCHOR_END: desk

// ANCHOR: average_pooling
/// Returns the mean of the K values, whatever the cues: average pooling.
pub fn average_pooling<const K: usize, const DV: usize>(
    values: Tensor2<K, DV>,
) -> Tensor1<DV> {
    values.mean::<Rank1<DV>, Axis<0>>()
}
// ANCHOR_END: average_pooling

// ANCHOR: score
/// Returns the dot product of each query and each key: how well they fit.
pub fn score<const Q: usize, const K: usize, const D: usize>(
    queries: Tensor2<Q, D>,
    keys: Tensor2<K, D>,
) -> Tensor2<Q, K> {
    let keys: Tensor2<D, K> = keys.permute();
    queries.matmul(keys)
}
// ANCHOR_END: score

// ANCHOR: attention_weights
/// Returns the softmax of the scores of each query. The lower the temperature,
/// the more of the weight goes to the best key.
///
/// # Panics
/// If the temperature is not above 0.
pub fn attention_weights<const Q: usize, const K: usize>(
    scores: Tensor2<Q, K>,
    temperature: f32,
) -> Tensor2<Q, K> {
    assert!(temperature > 0.0, "a temperature is above 0");
    (scores / temperature).softmax::<Axis<1>>()
}
// ANCHOR_END: attention_weights

// ANCHOR: pool
/// Returns the weighted sum of the values for each query: attention pooling.
pub fn pool<const Q: usize, const K: usize, const DV: usize>(
    weights: Tensor2<Q, K>,
    values: Tensor2<K, DV>,
) -> Tensor2<Q, DV> {
    weights.matmul(values)
}
// ANCHOR_END: pool

// ANCHOR: soft_attention
/// The result of attention for Q queries.
pub struct AttentionOutput<const Q: usize, const K: usize, const DV: usize> {
    /// The pooled values, one row for each query.
    pub output: Tensor2<Q, DV>,
    /// How much each value counts in it; each row sums to 1.
    pub weights: Tensor2<Q, K>,
}

/// Scores the keys for each query, weighs them, and pools their values.
///
/// # Panics
/// If the temperature is not above 0.
pub fn soft_attention<
    const Q: usize,
    const K: usize,
    const D: usize,
    const DV: usize,
>(
    queries: Tensor2<Q, D>,
    keys: Tensor2<K, D>,
    values: Tensor2<K, DV>,
    temperature: f32,
) -> AttentionOutput<Q, K, DV> {
    let weights = attention_weights(score(queries, keys), temperature);
    AttentionOutput { output: pool(weights.clone(), values), weights }
}
// ANCHOR_END: soft_attention

// ANCHOR: hard_weights
/// Returns the weights of hard attention: 1 for the key with the highest score,
/// the first of them if there are several, and 0 for the others.
pub fn hard_weights<const Q: usize, const K: usize>(
    scores: Tensor2<Q, K>,
) -> Tensor2<Q, K> {
    let one_hot = scores.array().map(|row| {
        let highest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let best = row.iter().position(|&score| score == highest);
        std::array::from_fn(|k| if Some(k) == best { 1.0 } else { 0.0 })
    });
    scores.device().tensor(one_hot)
}
// ANCHOR_END: hard_weights
