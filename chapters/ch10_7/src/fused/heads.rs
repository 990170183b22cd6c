// ANCHOR: heads_header
//! Section 10.7, the same in one pass: the scaled dot products of all heads.
//! Heads stay side by side in the rows, and what is masked is not computed.

use super::rows::kept;
use crate::attention::Seen;
use ch10_1::Dev;
use ch10_3::fused::{place, record, values};
use ch10_3::loops::exp;
use ch10_3::{Attended, DotProductAttention, ValidLens};
use dfdx::prelude::*;
use pulp::{Arch, NullaryFnOnce};
// ANCHOR_END: heads_header

// ANCHOR: heads_inputs
/// What the operation reads; a head has D columns of each row.
struct Heads<const D: usize> {
    /// (B, Q, M).
    queries: Vec<f32>,
    /// (B, K, M).
    keys: Vec<f32>,
    /// (B, K, M).
    values: Vec<f32>,
    /// For each weight (B, H, Q, K) the factor of dropout, if it is on.
    kept: Option<Vec<f32>>,
    /// For each query (B, Q), how many pairs count.
    lens: Vec<usize>,
    /// H, Q and K.
    sizes: [usize; 3],
}

/// One query of one head.
struct Look {
    /// Where its columns begin in the queries, and in the output.
    query: usize,
    /// Where the columns of its first pair begin.
    pairs: usize,
    /// Where its weights begin.
    cells: usize,
    /// How many pairs count.
    len: usize,
}
// ANCHOR_END: heads_inputs

// ANCHOR: heads_forward
impl<const D: usize> Heads<D> {
    #[inline(always)]
    fn looks(&self) -> impl Iterator<Item = Look> {
        let [heads, queries, pairs] = self.sizes;
        let lens = self.lens.iter().enumerate();
        lens.flat_map(move |(row, &len)| {
            let (b, q) = (row / queries, row % queries);
            (0..heads).map(move |h| Look {
                query: (row * heads + h) * D,
                pairs: (b * pairs * heads + h) * D,
                cells: ((b * heads + h) * queries + q) * pairs,
                len,
            })
        })
    }

    #[inline(always)]
    fn factor(&self, cell: usize) -> f32 {
        self.kept.as_ref().map_or(1.0, |kept| kept[cell])
    }

    /// For each pair that counts where its columns and its weight are.
    #[inline(always)]
    fn pairs(&self, look: &Look) -> impl Iterator<Item = (usize, usize)> + use<D> {
        let (width, first, cells) = (self.sizes[0] * D, look.pairs, look.cells);
        (0..look.len).map(move |pair| (first + pair * width, cells + pair))
    }

    /// The weights (B, H, Q, K) and the output (B, Q, M).
    #[inline(always)]
    fn forward(&self) -> (Vec<f32>, Vec<f32>) {
        let [heads, _, pairs] = self.sizes;
        let mut weights = vec![0.0; self.lens.len() * heads * pairs];
        let mut output = vec![0.0; self.queries.len()];
        let scale = 1.0 / (D as f32).sqrt();
        for look in self.looks() {
            let query = piece::<D>(&self.queries, look.query);
            let query = query.map(|x| x * scale);
            for (pair, cell) in self.pairs(&look) {
                weights[cell] = dot(&query, piece(&self.keys, pair));
            }
            softmax(&mut weights[look.cells..][..look.len]);
            let mut sum = [0.0; D];
            for (pair, cell) in self.pairs(&look) {
                let used = weights[cell] * self.factor(cell);
                add(&mut sum, used, piece(&self.values, pair));
            }
            output[look.query..][..D].copy_from_slice(&sum);
        }
        (weights, output)
    }
}
// ANCHOR_END: heads_forward

// ANCHOR: heads_backward
impl<const D: usize> Heads<D> {
    #[inline(always)]
    fn backward(&self, weights: &[f32], d_output: &[f32], d: [&mut [f32]; 3]) {
        let [d_queries, d_keys, d_values] = d;
        let scale = 1.0 / (D as f32).sqrt();
        let mut d_scores = vec![0.0; self.sizes[2]];
        for look in self.looks() {
            let d_output = piece::<D>(d_output, look.query);
            if d_output.iter().all(|d| *d == 0.0) {
                continue;
            }
            let mut mean = 0.0;
            for (i, (pair, cell)) in self.pairs(&look).enumerate() {
                let (weight, factor) = (weights[cell], self.factor(cell));
                add(piece_mut(d_values, pair), weight * factor, d_output);
                d_scores[i] = factor * dot(d_output, piece(&self.values, pair));
                mean += weight * d_scores[i];
            }
            let query = piece::<D>(&self.queries, look.query);
            let d_query = piece_mut::<D>(d_queries, look.query);
            for (i, (pair, cell)) in self.pairs(&look).enumerate() {
                let d_score = scale * weights[cell] * (d_scores[i] - mean);
                add(d_query, d_score, piece(&self.keys, pair));
                add(piece_mut(d_keys, pair), d_score, query);
            }
        }
    }
}
// ANCHOR_END: heads_backward

// ANCHOR: pieces
#[inline(always)]
fn piece<const D: usize>(x: &[f32], at: usize) -> &[f32; D] {
    x[at..].first_chunk().expect("a whole row")
}

#[inline(always)]
fn piece_mut<const D: usize>(x: &mut [f32], at: usize) -> &mut [f32; D] {
    x[at..].first_chunk_mut().expect("a whole row")
}

/// The halves are added up until one number is left: several at once.
#[inline(always)]
fn dot<const D: usize>(a: &[f32; D], b: &[f32; D]) -> f32 {
    let mut sums: [f32; D] = std::array::from_fn(|d| a[d] * b[d]);
    let mut len = D;
    while len > 1 {
        let half = len.div_ceil(2);
        for d in 0..len - half {
            sums[d] += sums[d + half];
        }
        len = half;
    }
    sums[0]
}

#[inline(always)]
fn add<const D: usize>(sum: &mut [f32; D], scale: f32, x: &[f32; D]) {
    *sum = std::array::from_fn(|d| sum[d] + scale * x[d]);
}

#[inline(always)]
fn softmax(scores: &mut [f32]) {
    let max = scores.iter().fold(f32::MIN, |max, &x| max.max(x));
    scores.iter_mut().for_each(|score| *score = exp(*score - max));
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
}
// ANCHOR_END: pieces

// ANCHOR: heads_work
/// One pass forward, as pulp compiles it for each generation of processors.
struct Forward<'a, const D: usize>(&'a Heads<D>);

impl<const D: usize> NullaryFnOnce for Forward<'_, D> {
    type Output = (Vec<f32>, Vec<f32>);

    #[inline(always)]
    fn call(self) -> Self::Output {
        self.0.forward()
    }
}

/// And one back.
struct Backward<'a, const D: usize>(
    &'a Heads<D>,
    &'a [f32],
    &'a [f32],
    [&'a mut [f32]; 3],
);

impl<const D: usize> NullaryFnOnce for Backward<'_, D> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.0.backward(self.1, self.2, self.3);
    }
}
// ANCHOR_END: heads_work

// ANCHOR: fused_look
/// [`look`](crate::attention::look) in one pass.
pub fn look<
    const B: usize,
    const Q: usize,
    const K: usize,
    const M: usize,
    const H: usize,
    const D: usize,
    T: Tape<f32, Dev>,
>(
    attention: &DotProductAttention,
    queries: Tensor<Rank3<B, Q, M>, f32, Dev, T>,
    seen: Seen<B, K, M, T>,
    lens: &ValidLens<B, Q>,
) -> Attended<Rank3<B, Q, M>, Rank4<B, H, Q, K>, T> {
    const { assert!(H * D == M, "H * D must be M") };
    let dev = queries.device().clone();
    let (q, tape) = queries.split_tape();
    let (k, more) = seen.keys.split_tape();
    let (v, most) = seen.values.split_tape();
    let heads: Heads<D> = Heads {
        queries: values(&q),
        keys: values(&k),
        values: values(&v),
        kept: kept::<T>(&dev, B * H * Q * K, attention.dropout),
        lens: (0..B * Q).map(|row| lens.get(row / Q, row % Q, K)).collect(),
        sizes: [H, Q, K],
    };
    let (cells, output) = Arch::new().dispatch(Forward(&heads));
    let weights = dev.tensor_from_vec(cells.clone(), Default::default());
    let output = dev.tensor_from_vec(output, Default::default());
    let places = [place(&q), place(&k), place(&v)];
    let tape = tape.merge(more).merge(most);
    let output = record(places, output, tape, move |d_output, d| {
        Arch::new().dispatch(Backward(&heads, &cells, d_output, d));
    });
    Attended { output, weights }
}
// ANCHOR_END: fused_look
