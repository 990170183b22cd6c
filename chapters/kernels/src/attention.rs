//! The scaled dot products of all heads. Heads stay side by side in the rows,
//! and what is masked is not computed.

use crate::allowed::{Allowed, AllowedPairs};
use crate::custom_op::{Computed, grad_slot, numbers, split, tensor};
use crate::definitions::by_definition;
use crate::dropout::{in_training, training_mask};
use crate::edited;
use crate::simd::vectorized;
use crate::{Dev, Row, Tensor3, Tensor4};
use dfdx::prelude::*;

/// Attention by the scaled dot product, of H heads, each with D columns of
/// the rows of queries, keys, values and output: softmax(q·k / √D) over the
/// pairs that a query may attend to, then dropout, then the weighted sum of
/// the values. The result is the output, and the weights before dropout. A
/// query that may attend to nothing gets zeros.
pub fn attention<
    const B: usize,
    const Q: usize,
    const K: usize,
    const M: usize,
    const H: usize,
    const D: usize,
    T: Tape<f32, Dev>,
>(
    queries: Tensor3<B, Q, M, T>,
    keys: Tensor3<B, K, M, T>,
    values: Tensor3<B, K, M, T>,
    allowed: impl FnOnce() -> Allowed,
    dropout: f32,
    definition: impl FnOnce(
        Tensor3<B, Q, M, T>,
        Tensor3<B, K, M, T>,
        Tensor3<B, K, M, T>,
    ) -> (Tensor3<B, Q, M, T>, Tensor4<B, H, Q, K>),
) -> (Tensor3<B, Q, M, T>, Tensor4<B, H, Q, K>) {
    const { assert!(H * D == M, "H * D must be M") };
    if const { by_definition::<T>(&edited::ATTENTION) } {
        return edited::ATTENTION.run(|| definition(queries, keys, values));
    }
    let (queries, tape) = split(queries);
    let (keys, of_keys) = split(keys);
    let (values, of_values) = split(values);
    let tape = tape.merge(of_keys).merge(of_values);
    let inputs = [queries, keys, values];
    let (cells, output) =
        Heads::<D>::compute(inputs, allowed(), in_training::<T>(dropout), [H, Q, K]);
    let weights = tensor(&output.dev, cells);
    (output.onto(tape), weights)
}

/// What the kernel reads; a head has D columns of each row.
struct Heads<const D: usize> {
    /// (B, Q, M).
    queries: Vec<f32>,
    /// (B, K, M).
    keys: Vec<f32>,
    /// (B, K, M).
    values: Vec<f32>,
    /// For each weight (B, H, Q, K) the factor of dropout, if it is on.
    mask: Option<Vec<f32>>,
    allowed: AllowedPairs,
    /// H, Q and K.
    sizes: [usize; 3],
}

/// One query of one head.
struct HeadQuery {
    /// Which of the B·Q queries it is.
    row: usize,
    /// Where its columns begin in the queries, and in the output.
    query: usize,
    /// Where the columns of its first pair begin.
    pairs: usize,
    /// Where its weights begin.
    cells: usize,
}

impl<const D: usize> Heads<D> {
    /// The weights, and the output.
    fn compute(
        inputs: [Row; 3],
        allowed: Allowed,
        dropout: f32,
        sizes: [usize; 3],
    ) -> (Vec<f32>, Computed<3>) {
        let dev = inputs[0].device().clone();
        let [h, q, k] = sizes;
        let [queries, keys, values] = inputs.each_ref().map(numbers);
        let batch = queries.len() / (h * q * D).max(1);
        let heads = Self {
            queries,
            keys,
            values,
            mask: training_mask(&dev, batch * h * q * k, dropout),
            allowed: AllowedPairs::new(allowed, batch * q, k),
            sizes,
        };
        let (weights, output) = heads.forward();
        let cells = weights.clone();
        let backward = Box::new(move |d_output: &[f32], d: [&mut [f32]; 3]| {
            heads.backward(&cells, d_output, d);
        });
        let inputs = inputs.each_ref().map(grad_slot);
        (weights, Computed { dev, inputs, output, backward })
    }

    #[inline(always)]
    fn head_queries(&self) -> impl Iterator<Item = HeadQuery> {
        let [heads, queries, pairs] = self.sizes;
        (0..self.allowed.queries()).flat_map(move |row| {
            let (b, q) = (row / queries, row % queries);
            (0..heads).map(move |h| HeadQuery {
                row,
                query: (row * heads + h) * D,
                pairs: (b * pairs * heads + h) * D,
                cells: ((b * heads + h) * queries + q) * pairs,
            })
        })
    }

    #[inline(always)]
    fn factor(&self, cell: usize) -> f32 {
        self.mask.as_ref().map_or(1.0, |mask| mask[cell])
    }

    /// For each pair that is allowed its number, where its columns begin, and
    /// where its weight is.
    #[inline(always)]
    fn pairs(&self, of: &HeadQuery) -> impl Iterator<Item = (usize, usize, usize)> {
        let (width, first, cells) = (self.sizes[0] * D, of.pairs, of.cells);
        let pairs = self.allowed.of(of.row);
        pairs.map(move |pair| (pair, first + pair * width, cells + pair))
    }

    /// The weights (B, H, Q, K) and the output (B, Q, M).
    fn forward(&self) -> (Vec<f32>, Vec<f32>) {
        vectorized(
            #[inline(always)]
            || self.forward_loops(),
        )
    }

    /// From the gradient of the output to those of queries, keys and values.
    fn backward(&self, weights: &[f32], d_output: &[f32], mut d: [&mut [f32]; 3]) {
        vectorized(
            #[inline(always)]
            || self.backward_loops(weights, d_output, &mut d),
        );
    }

    #[inline(always)]
    fn forward_loops(&self) -> (Vec<f32>, Vec<f32>) {
        let [heads, _, pairs] = self.sizes;
        let mut weights = vec![0.0; self.allowed.queries() * heads * pairs];
        let mut output = vec![0.0; self.queries.len()];
        let scale = 1.0 / (D as f32).sqrt();
        for of in self.head_queries() {
            let query = piece::<D>(&self.queries, of.query).map(|x| x * scale);
            for (_, pair, cell) in self.pairs(&of) {
                weights[cell] = dot(&query, piece(&self.keys, pair));
            }
            self.allowed.softmax(of.row, &mut weights[of.cells..][..pairs]);
            let mut sum = [0.0; D];
            for (_, pair, cell) in self.pairs(&of) {
                let weight = weights[cell] * self.factor(cell);
                add(&mut sum, weight, piece(&self.values, pair));
            }
            output[of.query..][..D].copy_from_slice(&sum);
        }
        (weights, output)
    }

    #[inline(always)]
    fn backward_loops(
        &self,
        weights: &[f32],
        d_output: &[f32],
        d: &mut [&mut [f32]; 3],
    ) {
        let [d_queries, d_keys, d_values] = d;
        let scale = 1.0 / (D as f32).sqrt();
        let mut d_weights = vec![0.0; self.sizes[2]];
        for of in self.head_queries() {
            let d_output = piece::<D>(d_output, of.query);
            if d_output.iter().all(|d| *d == 0.0) {
                continue;
            }
            let mut mean = 0.0;
            for (i, pair, cell) in self.pairs(&of) {
                let (weight, factor) = (weights[cell], self.factor(cell));
                add(piece_mut(d_values, pair), weight * factor, d_output);
                d_weights[i] = factor * dot(d_output, piece(&self.values, pair));
                mean += weight * d_weights[i];
            }
            let query = piece::<D>(&self.queries, of.query);
            let d_query = piece_mut::<D>(d_queries, of.query);
            for (i, pair, cell) in self.pairs(&of) {
                let d_score = scale * weights[cell] * (d_weights[i] - mean);
                add(d_query, d_score, piece(&self.keys, pair));
                add(piece_mut(d_keys, pair), d_score, query);
            }
        }
    }
}

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
