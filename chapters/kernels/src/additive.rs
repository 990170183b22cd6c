//! Additive attention as one operation, from the projected queries and keys
//! to the weighted sum of the values.
//!
//! In dfdx's operations the sums of each query with each key are a tensor of
//! B·Q·K·HIDDEN numbers, their tanh is another, and each has a gradient of
//! that size. Here all is computed for one query before the next, and what a
//! mask hides is not computed.
//!
//! In names, `d_` is a gradient: `d_keys` is that of the loss by the keys.

use crate::allowed::{Allowed, AllowedPairs};
use crate::custom_op::{custom_op, grad_slot, split, tensor, to_rows};
use crate::dropout::training_mask;
use crate::simd::{add_scaled, dot, tanh, vectorized};
use crate::{Dev, Tensor1, Tensor3, uses_definitions};
use dfdx::prelude::*;
use std::ops::Range;

// ANCHOR: inputs
/// What the operation reads, row by row. The queries of all examples are
/// numbered from 0 to B·Q - 1, keys and values from 0 to B·K - 1.
struct Additive<const Q: usize, const K: usize, const HIDDEN: usize, const DV: usize> {
    queries: Vec<[f32; HIDDEN]>,
    keys: Vec<[f32; HIDDEN]>,
    values: Vec<[f32; DV]>,
    w_v: [f32; HIDDEN],
    /// Which of its K pairs each query may attend to.
    allowed: AllowedPairs,
    /// For each weight the factor of dropout: 1 where it is off.
    factors: Vec<[f32; K]>,
}

/// What it computes for each query; only the first two are needed again.
struct Outputs<const K: usize, const HIDDEN: usize, const DV: usize> {
    /// tanh(q + k) for each key k.
    hidden: Vec<[[f32; HIDDEN]; K]>,
    /// Before dropout.
    weights: Vec<[f32; K]>,
    output: Vec<[f32; DV]>,
}
// ANCHOR_END: inputs

impl<const Q: usize, const K: usize, const HIDDEN: usize, const DV: usize>
    Additive<Q, K, HIDDEN, DV>
{
    // ANCHOR: forward
    /// The score of query q and key k is w_v · tanh(q + k). The softmax of its
    /// scores gives the weights of a query, and they weight the values.
    #[inline(always)]
    fn forward(&self) -> Outputs<K, HIDDEN, DV> {
        let mut out = Outputs::zeros(self.queries.len());
        for (q, query) in self.queries.iter().enumerate() {
            let (keys, values) =
                (&self.keys[pairs::<Q, K>(q)], &self.values[pairs::<Q, K>(q)]);
            let (hidden, weights) = (&mut out.hidden[q], &mut out.weights[q]);
            for k in self.allowed.of(q) {
                tanh_of_sum(&mut hidden[k], query, &keys[k]);
                weights[k] = dot(&self.w_v, &hidden[k]);
            }
            self.allowed.softmax(q, weights);
            for k in self.allowed.of(q) {
                let weight = weights[k] * self.factors[q][k];
                add_scaled(&mut out.output[q], weight, &values[k]);
            }
        }
        out
    }
    // ANCHOR_END: forward

    // ANCHOR: backward
    /// Adds to the gradients of the inputs, from that of the output: query by
    /// query, from its output to its scores and from these to their inputs.
    #[inline(always)]
    fn backward(
        &self,
        out: &Outputs<K, HIDDEN, DV>,
        d_output: &[f32],
        [d_queries, d_keys, d_values, d_w_v]: [&mut [f32]; 4],
    ) {
        let (d_queries, _) = d_queries.as_chunks_mut();
        let (d_keys, _) = d_keys.as_chunks_mut();
        let (d_values, _) = d_values.as_chunks_mut();
        for (q, d_output) in d_output.as_chunks().0.iter().enumerate() {
            let pairs = pairs::<Q, K>(q);
            let d_values = &mut d_values[pairs.clone()];
            let d_scores = self.through_sum(out, q, d_output, d_values);
            let d_keys = &mut d_keys[pairs];
            self.through_scores(out, q, &d_scores, &mut d_queries[q], d_keys, d_w_v);
        }
    }
    // ANCHOR_END: backward

    // ANCHOR: through_sum
    /// Back through the weighted sum and the softmax, to the scores of query
    /// q. A value gets the gradient of the output times its weight; a weight
    /// gets the dot product of that gradient with its value. The weights of a
    /// query sum to 1: a score that rises takes from all others. So a score
    /// gets its weight times what the gradient of this weight is above the
    /// weighted mean of them all.
    #[inline(always)]
    fn through_sum(
        &self,
        out: &Outputs<K, HIDDEN, DV>,
        q: usize,
        d_output: &[f32; DV],
        d_values: &mut [[f32; DV]],
    ) -> [f32; K] {
        let (values, weights) = (&self.values[pairs::<Q, K>(q)], &out.weights[q]);
        let mut d_weights = [0.0; K];
        for k in self.allowed.of(q) {
            let factor = self.factors[q][k];
            add_scaled(&mut d_values[k], weights[k] * factor, d_output);
            d_weights[k] = factor * dot(d_output, &values[k]);
        }
        let mean = dot(weights, &d_weights);
        std::array::from_fn(|k| weights[k] * (d_weights[k] - mean))
    }
    // ANCHOR_END: through_sum

    // ANCHOR: through_scores
    /// Back through the scores of query q, to the query, its keys and w_v.
    /// A score is w_v · t with t = tanh(q + k): w_v gets the gradient of the
    /// score times t, and t gets it times w_v. The slope of tanh is 1 - t²,
    /// and what the sum q + k gets, its two parts get alike.
    #[inline(always)]
    fn through_scores(
        &self,
        out: &Outputs<K, HIDDEN, DV>,
        q: usize,
        d_scores: &[f32; K],
        d_query: &mut [f32; HIDDEN],
        d_keys: &mut [[f32; HIDDEN]],
        d_w_v: &mut [f32],
    ) {
        for k in self.allowed.of(q) {
            let hidden = &out.hidden[q][k];
            add_scaled(d_w_v, d_scores[k], hidden);
            let parts = d_query.iter_mut().zip(&mut d_keys[k]);
            for ((t, w), (d_query, d_key)) in hidden.iter().zip(&self.w_v).zip(parts) {
                let d_sum = d_scores[k] * w * (1.0 - t * t);
                *d_query += d_sum;
                *d_key += d_sum;
            }
        }
    }
    // ANCHOR_END: through_scores
}

// ANCHOR: rows
/// The keys and values of the example that query q belongs to.
fn pairs<const Q: usize, const K: usize>(q: usize) -> Range<usize> {
    let example = q / Q;
    example * K..(example + 1) * K
}

/// tanh(a + b), number by number.
#[inline(always)]
fn tanh_of_sum<const N: usize>(to: &mut [f32; N], a: &[f32; N], b: &[f32; N]) {
    for (to, (a, b)) in to.iter_mut().zip(a.iter().zip(b)) {
        *to = tanh(a + b);
    }
}

impl<const K: usize, const HIDDEN: usize, const DV: usize> Outputs<K, HIDDEN, DV> {
    fn zeros(queries: usize) -> Self {
        Self {
            hidden: vec![[[0.0; HIDDEN]; K]; queries],
            weights: vec![[0.0; K]; queries],
            output: vec![[0.0; DV]; queries],
        }
    }
}
// ANCHOR_END: rows

// ANCHOR: additive_attention
/// Additive attention: the softmax of w_v · tanh(query + key) over the pairs
/// that a query may attend to, then dropout, then the weighted sum of the
/// values. The result is the output, and the weights before dropout. A query
/// that may attend to nothing gets zeros.
pub fn additive_attention<
    const B: usize,
    const Q: usize,
    const K: usize,
    const HIDDEN: usize,
    const DV: usize,
    T: Tape<f32, Dev>,
>(
    queries: Tensor3<B, Q, HIDDEN, T>,
    keys: Tensor3<B, K, HIDDEN, T>,
    values: Tensor3<B, K, DV, T>,
    w_v: &Tensor1<HIDDEN>,
    allowed: impl FnOnce() -> Allowed,
    dropout: f32,
    definition: impl FnOnce(
        Tensor3<B, Q, HIDDEN, T>,
        Tensor3<B, K, HIDDEN, T>,
        Tensor3<B, K, DV, T>,
    ) -> (Tensor3<B, Q, DV, T>, Tensor3<B, Q, K>),
) -> (Tensor3<B, Q, DV, T>, Tensor3<B, Q, K>) {
    if uses_definitions() {
        return definition(queries, keys, values);
    }
    let dev = queries.device().clone();
    let (queries, tape) = split(queries);
    let (keys, of_keys) = split(keys);
    let (values, of_values) = split(values);
    let mask = training_mask::<T>(&dev, B * Q * K, dropout);
    let inputs = Additive::<Q, K, HIDDEN, DV> {
        queries: to_rows(&queries),
        keys: to_rows(&keys),
        values: to_rows(&values),
        w_v: w_v.array(),
        allowed: AllowedPairs::new(allowed(), B * Q, K),
        factors: mask.map_or(vec![[1.0; K]; B * Q], |mask| mask.as_chunks().0.to_vec()),
    };
    let out = vectorized(
        #[inline(always)]
        || inputs.forward(),
    );
    let output = tensor(&dev, out.output.as_flattened().to_vec());
    let weights = tensor(&dev, out.weights.as_flattened().to_vec());
    let slots =
        [grad_slot(&queries), grad_slot(&keys), grad_slot(&values), grad_slot(w_v)];
    let tape = tape.merge(of_keys).merge(of_values);
    let output = custom_op(slots, output, tape, move |d_output, d| {
        vectorized(
            #[inline(always)]
            || inputs.backward(&out, d_output, d),
        );
    });
    (output, weights)
}
// ANCHOR_END: additive_attention
