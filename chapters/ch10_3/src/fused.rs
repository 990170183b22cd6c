//! Section 10.3, the same in one pass: operations of our own, with the
//! gradient written by hand, and additive attention as one of them.
//!
//! Not a second mechanism: each operation here computes what a composition
//! of dfdx's operations computes, and a test compares values and gradients.

use crate::{AdditiveAttention, Attended, ValidLens};
use ch10_1::Dev;
use dfdx::prelude::*;

/// A tensor of whatever shape, as the place of its gradient.
pub trait Place {
    /// Takes the gradient out, zeros if there is none yet.
    ///
    /// # Errors
    /// The memory for it is not to be had.
    fn take(&self, from: &mut Grads) -> Result<Vec<f32>, DevError>;

    /// Puts it back.
    ///
    /// # Errors
    /// As above.
    fn put(&self, to: &mut Grads, values: Vec<f32>) -> Result<(), DevError>;
}

/// All gradients of one backward pass.
pub type Grads = Gradients<f32, Dev>;

/// What goes wrong on the device.
pub type DevError = <Dev as HasErr>::Err;

impl<S: Shape> Place for Tensor<S, f32, Dev> {
    fn take(&self, from: &mut Grads) -> Result<Vec<f32>, DevError> {
        Ok(std::mem::take(from.get_or_alloc_mut(self)?))
    }

    fn put(&self, to: &mut Grads, values: Vec<f32>) -> Result<(), DevError> {
        **to.get_or_alloc_mut(self)? = values;
        Ok(())
    }
}

/// Records an operation: `output` was computed from `inputs`, each of them
/// another tensor. `backward` gets the gradient of the output, and adds to
/// the gradients of the inputs.
pub fn record<const N: usize, S: Shape, T: Tape<f32, Dev>>(
    inputs: [Box<dyn Place>; N],
    output: Tensor<S, f32, Dev>,
    mut tape: T,
    backward: impl FnOnce(&[f32], [&mut [f32]; N]) + 'static,
) -> Tensor<S, f32, Dev, T> {
    let place = output.clone();
    tape.add_backward_op(move |grads| {
        let of_output = place.take(grads)?;
        let mut of_inputs: [Vec<f32>; N] = std::array::from_fn(|_| vec![]);
        for (values, input) in of_inputs.iter_mut().zip(&inputs) {
            *values = input.take(grads)?;
        }
        backward(&of_output, of_inputs.each_mut().map(|v| v.as_mut_slice()));
        for (values, input) in of_inputs.into_iter().zip(&inputs) {
            input.put(grads, values)?;
        }
        place.put(grads, of_output)
    });
    output.put_tape(tape)
}

/// The numbers of a tensor that lies in memory without gaps, copied in one go.
pub fn values<S: Shape>(x: &Tensor<S, f32, Dev>) -> Vec<f32> {
    let mut values = vec![0.0; x.shape().num_elements()];
    x.copy_into(&mut values);
    values
}

/// e to the power of `x`, to seven digits. Without a branch or a call, so
/// that the compiler computes several at once.
///
/// With n the whole number next to x / ln 2 and r = x - n ln 2, it is 2^n
/// times e^r, and seven terms of the series do for r.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23: a sum has no fraction
    const LN_2: (f32, f32) = (0.693_359_4, -2.121_944_4e-4); // high and low
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN_2.0) - n * LN_2.1;
    let tail = 1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0));
    let e_r = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * tail)));
    let exponent = (shifted.to_bits() << 23).wrapping_add(1.0f32.to_bits());
    e_r * f32::from_bits(exponent)
}

/// 1 / (1 + e^-x).
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    1.0 - 2.0 / (1.0 + exp(2.0 * x))
}

/// The dot product, in eight sums that are added up last.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    let (a, b) = (a.chunks(8), b.chunks(8));
    for (a, b) in a.zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

/// Adds `x` times `scale` to `sum`.
pub fn add_scaled(sum: &mut [f32], scale: f32, x: &[f32]) {
    for (sum, x) in sum.iter_mut().zip(x) {
        *sum += scale * x;
    }
}

/// Adds to `y` (N, O) the product of `x` (N, I) and `w` (I, O), where `inner`
/// is I.
pub fn matmul(y: &mut [f32], x: &[f32], w: &[f32], inner: usize) {
    stripes(y, (x, inner, 1), (w, w.len() / inner));
}

/// Adds to `y` (I, O) the product of the transpose of `x` (N, I) and `w`
/// (N, O), where `rows` is N.
pub fn matmul_transposed(y: &mut [f32], x: &[f32], w: &[f32], rows: usize) {
    stripes(y, (x, 1, x.len() / rows), (w, w.len() / rows));
}

/// Columns of `y` are computed 32 at a time, so that their sums stay in the
/// registers of the processor.
fn stripes(y: &mut [f32], x: (&[f32], usize, usize), w: (&[f32], usize)) {
    let mut column = 0;
    while column < w.1 {
        column += match w.1 - column {
            32.. => stripe::<32>(y, x, w, column),
            8.. => stripe::<8>(y, x, w, column),
            _ => stripe::<1>(y, x, w, column),
        };
    }
}

/// `row` and `step` are the ways in `x` from one row to the next and, inside
/// a row, from one number to the next.
fn stripe<const W: usize>(
    y: &mut [f32],
    (x, row, step): (&[f32], usize, usize),
    (w, width): (&[f32], usize),
    column: usize,
) -> usize {
    for (i, y) in y.chunks_exact_mut(width).enumerate() {
        let Some(y) = y[column..].first_chunk_mut::<W>() else { break };
        let mut sums = *y;
        let x = x[i * row..].iter().step_by(step);
        for (x, w) in x.zip(w.chunks_exact(width)) {
            let Some(w) = w[column..].first_chunk::<W>() else { break };
            for (sum, w) in sums.iter_mut().zip(w) {
                *sum += x * w;
            }
        }
        *y = sums;
    }
    W
}

/// A matrix with rows and columns changed over; `width` is the length of its
/// rows.
pub fn transposed(x: &[f32], width: usize) -> Vec<f32> {
    let height = x.len() / width;
    let mut out = vec![0.0; x.len()];
    for (row, x) in x.chunks_exact(width).enumerate() {
        for (out, x) in out[row..].iter_mut().step_by(height).zip(x) {
            *out = *x;
        }
    }
    out
}

/// `x` (N, I) times the transpose of `w` (O, I), as one operation. For
/// matrices of a few thousand numbers it takes half the time of dfdx's, which
/// is made for large ones.
pub fn linear<const N: usize, const I: usize, const O: usize, T>(
    x: Tensor<Rank2<N, I>, f32, Dev, T>,
    w: &Tensor<Rank2<O, I>, f32, Dev>,
) -> Tensor<Rank2<N, O>, f32, Dev, T>
where
    T: Tape<f32, Dev>,
{
    let (x, tape) = x.contiguous().split_tape();
    let (xs, ws) = (values(&x), values(w));
    let mut y = vec![0.0; N * O];
    matmul(&mut y, &xs, &transposed(&ws, I), I);
    let y = x.device().tensor_from_vec(y, Default::default());
    let places: [Box<dyn Place>; 2] = [Box::new(x), Box::new(w.clone())];
    record(places, y, tape, move |d_y, [d_x, d_w]| {
        matmul(d_x, d_y, &ws, O);
        matmul_transposed(d_w, d_y, &xs, N);
    })
}

/// What the pass forward reads: queries (B, Q, HIDDEN) and keys
/// (B, K, HIDDEN), projected, values (B, K, DV), w_v (HIDDEN).
struct Inputs {
    queries: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
    w_v: Vec<f32>,
    /// For each weight (B, Q, K) the factor of dropout; none where it is off.
    kept: Option<Vec<f32>>,
    /// For each query of each example, how many pairs count.
    lens: Vec<usize>,
    /// Queries and pairs of an example.
    per_example: (usize, usize),
}

/// And what it computes: the tanh of each pair that counts (B, Q, K, HIDDEN),
/// the weights (B, Q, K) and the output (B, Q, DV).
struct Outputs {
    hidden: Vec<f32>,
    weights: Vec<f32>,
    output: Vec<f32>,
}

impl Inputs {
    fn width(&self) -> usize {
        let (_, pairs) = self.per_example;
        let examples = self.keys.len() / (pairs * self.w_v.len());
        self.values.len() / (pairs * examples)
    }

    /// The rows of keys and of values that query `row` looks at.
    fn pairs_of(&self, row: usize) -> impl Iterator<Item = usize> + use<> {
        let (queries, pairs) = self.per_example;
        let first = row / queries * pairs;
        first..first + self.lens[row]
    }

    fn factor(&self, cell: usize) -> f32 {
        self.kept.as_ref().map_or(1.0, |kept| kept[cell])
    }

    fn forward(&self) -> Outputs {
        let (h, dv, pairs) = (self.w_v.len(), self.width(), self.per_example.1);
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
        let (h, dv, pairs) = (self.w_v.len(), self.width(), self.per_example.1);
        let [d_queries, d_keys, d_values, d_w_v] = d;
        let mut d_scores = vec![0.0; pairs];
        for row in 0..self.lens.len() {
            let d_output = &d_output[row * dv..][..dv];
            let first = row * pairs;
            let mut mean = 0.0;
            for (cell, pair) in (first..).zip(self.pairs_of(row)) {
                let (weight, factor) = (out.weights[cell], self.factor(cell));
                let at = pair * dv..(pair + 1) * dv;
                add_scaled(&mut d_values[at.clone()], weight * factor, d_output);
                let d_weight = factor * dot(d_output, &self.values[at]);
                d_scores[cell - first] = d_weight;
                mean += weight * d_weight;
            }
            let d_query = &mut d_queries[row * h..][..h];
            for (cell, pair) in (first..).zip(self.pairs_of(row)) {
                let d_score = out.weights[cell] * (d_scores[cell - first] - mean);
                let hidden = &out.hidden[cell * h..][..h];
                add_scaled(d_w_v, d_score, hidden);
                let d_key = &mut d_keys[pair * h..][..h];
                back_through_tanh(d_score, &self.w_v, hidden, d_query, d_key);
            }
        }
    }
}

fn add_and_tanh(to: &mut [f32], a: &[f32], b: &[f32]) {
    for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
        *to = tanh(a + b);
    }
}

fn back_through_tanh(
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
        let dev = self.w_v.device().clone();
        let (queries, tape) = queries.contiguous().split_tape();
        let (keys, more) = keys.contiguous().split_tape();
        let (value, most) = values.contiguous().split_tape();
        let tape = tape.merge(more).merge(most);
        let drop = T::OWNS_TAPE && self.dropout > 0.0;
        let ones = || dev.ones::<Rank3<B, Q, K>>();
        let all = (0..B * Q).map(|row| lens.get(row / Q, row % Q, K));
        let inputs = Inputs {
            queries: self::values(&queries),
            keys: self::values(&keys),
            values: self::values(&value),
            w_v: self::values(&self.w_v),
            kept: drop.then(|| self::values(&ones().dropout(self.dropout))),
            lens: all.collect(),
            per_example: (Q, K),
        };
        let out = inputs.forward();
        let weights = dev.tensor_from_vec(out.weights.clone(), Default::default());
        let output = dev.tensor_from_vec(out.output.clone(), Default::default());
        let places: [Box<dyn Place>; 4] = [
            Box::new(queries),
            Box::new(keys),
            Box::new(value),
            Box::new(self.w_v.clone()),
        ];
        let output = record(places, output, tape, move |d_output, d| {
            inputs.backward(&out, d_output, d);
        });
        Attended { output, weights }
    }
}
