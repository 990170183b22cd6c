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
use crate::definitions::by_definition;
use crate::dropout::{in_training, training_mask};
use crate::edited;
use crate::simd::{add_scaled, dot, tanh, vectorized};
use crate::{Dev, Tensor1, Tensor3};
use dfdx::prelude::*;

// ANCHOR: inputs
/// What the operation reads, row by row. The queries of all examples are
/// numbered from 0 to B·Q - 1, the pairs of a key and a value from 0 to
/// B·K - 1.
struct Additive<const Q: usize, const K: usize, const HIDDEN: usize, const DV: usize> {
    queries: Vec<[f32; HIDDEN]>,
    keys: Vec<[f32; HIDDEN]>,
    values: Vec<[f32; DV]>,
    w_v: [f32; HIDDEN],
    /// Which of the K pairs of its example each query may attend to.
    allowed: AllowedPairs,
    /// For each weight of each query the factor of dropout, 1 where it is off.
    factors: Vec<[f32; K]>,
}

/// What it computes.
struct Outputs<const K: usize, const HIDDEN: usize, const DV: usize> {
    /// For each query and each of its K pairs, tanh(query + key).
    hidden: Vec<[f32; HIDDEN]>,
    /// For each query the weights of its pairs, before dropout.
    weights: Vec<[f32; K]>,
    output: Vec<[f32; DV]>,
}
// ANCHOR_END: inputs

impl<const Q: usize, const K: usize, const HIDDEN: usize, const DV: usize>
    Additive<Q, K, HIDDEN, DV>
{
    // ANCHOR: pairs
    /// The pairs that query `q` may attend to: for each its number in the
    /// example, 0 to K - 1, and its number among all.
    #[inline(always)]
    fn pairs(&self, q: usize) -> impl Iterator<Item = (usize, usize)> {
        let first = q / Q * K;
        self.allowed.of(q).map(move |k| (k, first + k))
    }
    // ANCHOR_END: pairs

    // ANCHOR: forward
    /// The score of a query and a key is w_v · tanh(query + key). The softmax
    /// of its scores gives a query its weights, and with these it sums the
    /// values.
    #[inline(always)]
    fn forward(&self) -> Outputs<K, HIDDEN, DV> {
        let mut out = Outputs::zeros(self.queries.len());
        for (q, query) in self.queries.iter().enumerate() {
            let weights = &mut out.weights[q];
            for (k, pair) in self.pairs(q) {
                let hidden = &mut out.hidden[q * K + k];
                tanh_of_sum(hidden, query, &self.keys[pair]);
                weights[k] = dot(&self.w_v, hidden);
            }
            self.allowed.softmax(q, weights);
            for (k, pair) in self.pairs(q) {
                let weight = weights[k] * self.factors[q][k];
                add_scaled(&mut out.output[q], weight, &self.values[pair]);
            }
        }
        out
    }
    // ANCHOR_END: forward

    // ANCHOR: backward
    /// Adds to the gradients of queries, keys, values and w_v, query by query:
    /// from its output to its scores, and from these to what they came from.
    #[inline(always)]
    fn backward(
        &self,
        out: &Outputs<K, HIDDEN, DV>,
        d_output: &[f32],
        [d_queries, d_keys, d_values, d_w_v]: &mut [&mut [f32]; 4],
    ) {
        let (d_queries, _) = d_queries.as_chunks_mut();
        let (d_keys, _) = d_keys.as_chunks_mut();
        let (d_values, _) = d_values.as_chunks_mut();
        for (q, d_output) in d_output.as_chunks().0.iter().enumerate() {
            let d_scores = self.through_sum(out, q, d_output, d_values);
            self.through_scores(out, q, &d_scores, &mut d_queries[q], d_keys, d_w_v);
        }
    }
    // ANCHOR_END: backward

    // ANCHOR: through_sum
    /// Back through the weighted sum and the softmax of query `q`, to its
    /// scores. A value gets the gradient of the output times its weight and its
    /// factor of dropout; a weight gets the dot product of that gradient and its
    /// value, times the factor. Weights sum to 1, so a score can only raise its
    /// own weight at the cost of the others: it gets its weight, times what the
    /// gradient of this weight is above the weighted mean of all.
    #[inline(always)]
    fn through_sum(
        &self,
        out: &Outputs<K, HIDDEN, DV>,
        q: usize,
        d_output: &[f32; DV],
        d_values: &mut [[f32; DV]],
    ) -> [f32; K] {
        let weights = &out.weights[q];
        let mut d_weights = [0.0; K];
        for (k, pair) in self.pairs(q) {
            let factor = self.factors[q][k];
            add_scaled(&mut d_values[pair], weights[k] * factor, d_output);
            d_weights[k] = factor * dot(d_output, &self.values[pair]);
        }
        let mean = dot(weights, &d_weights);
        std::array::from_fn(|k| weights[k] * (d_weights[k] - mean))
    }
    // ANCHOR_END: through_sum

    // ANCHOR: through_scores
    /// Back through the scores of query `q`, each w_v · t with
    /// t = tanh(query + key). w_v gets the gradient of the score times t, and
    /// t gets it times w_v. The slope of tanh is 1 - t²; what the sum gets,
    /// query and key both get.
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
        for (k, pair) in self.pairs(q) {
            let (d_score, hidden) = (d_scores[k], &out.hidden[q * K + k]);
            add_scaled(d_w_v, d_score, hidden);
            let d_parts = d_query.iter_mut().zip(&mut d_keys[pair]);
            for ((t, w), (d_query, d_key)) in hidden.iter().zip(&self.w_v).zip(d_parts)
            {
                let d_sum = d_score * w * (1.0 - t * t);
                *d_query += d_sum;
                *d_key += d_sum;
            }
        }
    }
    // ANCHOR_END: through_scores
}

// ANCHOR: rows
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
            hidden: vec![[0.0; HIDDEN]; queries * K],
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
    if const { by_definition::<T>(&edited::ADDITIVE_ATTENTION) } {
        return edited::ADDITIVE_ATTENTION.run(|| definition(queries, keys, values));
    }
    let dev = queries.device().clone();
    let (queries, tape) = split(queries);
    let (keys, of_keys) = split(keys);
    let (values, of_values) = split(values);
    let mask = training_mask(&dev, B * Q * K, in_training::<T>(dropout));
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
    let output = custom_op(slots, output, tape, move |d_output, mut d| {
        vectorized(
            #[inline(always)]
            || inputs.backward(&out, d_output, &mut d),
        );
    });
    (output, weights)
}
// ANCHOR_END: additive_attention
