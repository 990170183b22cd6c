// ANCHOR: one_pass_header
//! Section 10.3, the same in one pass: additive attention as one operation.
//!
//! Not a second mechanism: it computes what `forward_projected` computes, and
//! a test compares values and gradients.
//!
//! In names, `d_` is a gradient: `d_keys` is that of the loss by the keys. A
//! row is a query, a cell is a place in the weights (B, Q, K).

use crate::fused::{place, record, values};
use crate::loops::{add_scaled, dot, exp, tanh};
use crate::{AdditiveAttention, Attended, ValidLens};
use ch10_1::Dev;
use dfdx::prelude::*;
// ANCHOR_END: one_pass_header

// ANCHOR: one_pass_inputs
/// What the operation reads.
struct Inputs {
    /// Projected, (B, Q, HIDDEN).
    queries: Vec<f32>,
    /// Projected, (B, K, HIDDEN).
    keys: Vec<f32>,
    /// (B, K, DV).
    values: Vec<f32>,
    /// (HIDDEN).
    w_v: Vec<f32>,
    /// For each weight (B, Q, K) the factor of dropout; none where it is off.
    kept: Option<Vec<f32>>,
    /// For each query (B, Q), how many pairs count.
    lens: Vec<usize>,
    /// Q, K and DV.
    sizes: [usize; 3],
}

/// What it computes.
struct Outputs {
    /// The tanh of each pair that counts, (B, Q, K, HIDDEN).
    hidden: Vec<f32>,
    /// (B, Q, K).
    weights: Vec<f32>,
    /// (B, Q, DV).
    output: Vec<f32>,
}
// ANCHOR_END: one_pass_inputs

// ANCHOR: one_pass_impl
impl Inputs {
    /// The rows of keys and of values that query `row` looks at.
    fn pairs_of(&self, row: usize) -> impl Iterator<Item = usize> + use<> {
        let [queries, pairs, _] = self.sizes;
        let first = row / queries * pairs;
        first..first + self.lens[row]
    }

    fn factor(&self, cell: usize) -> f32 {
        self.kept.as_ref().map_or(1.0, |kept| kept[cell])
    }

    fn forward(&self) -> Outputs {
        let (h, [_, pairs, dv]) = (self.w_v.len(), self.sizes);
        let rows = self.lens.len();
        let mut hidden = vec![0.0; rows * pairs * h];
        let mut weights = vec![0.0; rows * pairs];
        let mut output = vec![0.0; rows * dv];
        for row in 0..rows {
            let query = &self.queries[row * h..][..h];
            let first = row * pairs;
            for (cell, pair) in (first..).zip(self.pairs_of(row)) {
                let hidden = &mut hidden[cell * h..][..h];
                add_and_tanh(hidden, query, &self.keys[pair * h..][..h]);
                weights[cell] = dot(&self.w_v, hidden);
            }
            softmax(&mut weights[first..][..self.lens[row]]);
            let output = &mut output[row * dv..][..dv];
            for (cell, pair) in (first..).zip(self.pairs_of(row)) {
                let used = weights[cell] * self.factor(cell);
                add_scaled(output, used, &self.values[pair * dv..][..dv]);
            }
        }
        Outputs { hidden, weights, output }
    }

    fn backward(&self, out: &Outputs, d_output: &[f32], d: [&mut [f32]; 4]) {
        let (h, [_, _, dv]) = (self.w_v.len(), self.sizes);
        let [d_queries, d_keys, d_values, d_w_v] = d;
        for row in 0..self.lens.len() {
            let d_output = &d_output[row * dv..][..dv];
            let d_scores = self.to_scores(row, out, d_output, d_values);
            let d_query = &mut d_queries[row * h..][..h];
            self.to_hidden(row, out, &d_scores, [d_query, d_keys, d_w_v]);
        }
    }

    /// Back through the weighted sum and the softmax of query `row`.
    fn to_scores(
        &self,
        row: usize,
        out: &Outputs,
        d_output: &[f32],
        d_values: &mut [f32],
    ) -> Vec<f32> {
        let [_, pairs, dv] = self.sizes;
        let mut d_scores = Vec::with_capacity(pairs);
        let mut mean = 0.0;
        for (cell, pair) in (row * pairs..).zip(self.pairs_of(row)) {
            let (weight, factor) = (out.weights[cell], self.factor(cell));
            let at = pair * dv..(pair + 1) * dv;
            add_scaled(&mut d_values[at.clone()], weight * factor, d_output);
            let d_weight = factor * dot(d_output, &self.values[at]);
            d_scores.push(d_weight);
            mean += weight * d_weight;
        }
        let weights = &out.weights[row * pairs..];
        for (d, weight) in d_scores.iter_mut().zip(weights) {
            *d = weight * (*d - mean);
        }
        d_scores
    }

    /// Back through the score, to queries, keys and w_v.
    fn to_hidden(
        &self,
        row: usize,
        out: &Outputs,
        d_scores: &[f32],
        [d_query, d_keys, d_w_v]: [&mut [f32]; 3],
    ) {
        let (h, [_, pairs, _]) = (self.w_v.len(), self.sizes);
        let cells = (row * pairs..).zip(self.pairs_of(row));
        for ((cell, pair), &d_score) in cells.zip(d_scores) {
            let hidden = &out.hidden[cell * h..][..h];
            add_scaled(d_w_v, d_score, hidden);
            let d_key = &mut d_keys[pair * h..][..h];
            through_tanh(d_score, &self.w_v, hidden, d_query, d_key);
        }
    }
}
// ANCHOR_END: one_pass_impl

// ANCHOR: one_pass_loops
fn add_and_tanh(to: &mut [f32], a: &[f32], b: &[f32]) {
    for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
        *to = tanh(a + b);
    }
}

fn through_tanh(
    d_score: f32,
    w_v: &[f32],
    hidden: &[f32],
    d_query: &mut [f32],
    d_key: &mut [f32],
) {
    let inputs = w_v.iter().zip(hidden);
    for ((w, t), (q, k)) in inputs.zip(d_query.iter_mut().zip(d_key)) {
        let d = d_score * w * (1.0 - t * t);
        *q += d;
        *k += d;
    }
}

fn softmax(scores: &mut [f32]) {
    let max = scores.iter().fold(f32::MIN, |max, &x| max.max(x));
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = exp(*score - max);
        sum += *score;
    }
    for score in scores {
        *score /= sum;
    }
}
// ANCHOR_END: one_pass_loops

// ANCHOR: forward_fused
impl<const DQ: usize, const DK: usize, const HIDDEN: usize>
    AdditiveAttention<DQ, DK, HIDDEN>
{
    /// [`forward_projected`](Self::forward_projected) as one operation: the
    /// four-axis tensor of its hidden units is never made, and what is masked
    /// is not computed.
    pub fn forward_fused<
        const B: usize,
        const Q: usize,
        const K: usize,
        const DV: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        queries: Tensor<Rank3<B, Q, HIDDEN>, f32, Dev, T>,
        keys: Tensor<Rank3<B, K, HIDDEN>, f32, Dev, T>,
        values: Tensor<Rank3<B, K, DV>, f32, Dev, T>,
        lens: &ValidLens<B, Q>,
    ) -> Attended<Rank3<B, Q, DV>, Rank3<B, Q, K>, T> {
        let dev = queries.device().clone();
        let (q, tape) = queries.contiguous().split_tape();
        let (k, more) = keys.contiguous().split_tape();
        let (v, most) = values.contiguous().split_tape();
        let tape = tape.merge(more).merge(most);
        let lens = (0..B * Q).map(|row| lens.get(row / Q, row % Q, K));
        let lens = lens.collect();
        let dropout = if T::OWNS_TAPE { self.dropout } else { 0.0 };
        let inputs = self.inputs(&q, &k, &v, lens, dropout);
        let out = inputs.forward();
        let output = dev.tensor_from_vec(out.output.clone(), Default::default());
        let weights = dev.tensor_from_vec(out.weights.clone(), Default::default());
        let places = [place(&q), place(&k), place(&v), place(&self.w_v)];
        let output = record(places, output, tape, move |d_output, d| {
            inputs.backward(&out, d_output, d);
        });
        Attended { output, weights }
    }

    fn inputs<const B: usize, const Q: usize, const K: usize, const DV: usize>(
        &self,
        queries: &Tensor<Rank3<B, Q, HIDDEN>, f32, Dev>,
        keys: &Tensor<Rank3<B, K, HIDDEN>, f32, Dev>,
        pooled: &Tensor<Rank3<B, K, DV>, f32, Dev>,
        lens: Vec<usize>,
        dropout: f32,
    ) -> Inputs {
        let kept = || {
            let ones = queries.device().ones::<Rank3<B, Q, K>>();
            values(&ones.dropout(dropout))
        };
        Inputs {
            queries: values(queries),
            keys: values(keys),
            values: values(pooled),
            w_v: values(&self.w_v),
            kept: (dropout > 0.0).then(kept),
            lens,
            sizes: [Q, K, DV],
        }
    }
}
// ANCHOR_END: forward_fused
