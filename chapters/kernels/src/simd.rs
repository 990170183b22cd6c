//! Functions and products on plain slices, written so that the compiler
//! computes several numbers at once (SIMD).

use pulp::{Arch, NullaryFnOnce};

/// Runs `work` as compiled for the processor that is there: pulp compiles it,
/// with all that is inlined into it, once for each generation of processors.
#[inline(always)]
pub(crate) fn vectorized<F: NullaryFnOnce>(work: F) -> F::Output {
    Arch::new().dispatch(work)
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
#[inline(always)]
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

/// The sum, in eight parts that are added up last.
#[inline(always)]
pub fn sum(x: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    for x in x.chunks(8) {
        for (sum, x) in sums.iter_mut().zip(x) {
            *sum += x;
        }
    }
    sums.iter().sum()
}

/// Adds `x` times `scale` to `sum`.
#[inline(always)]
pub fn add_scaled(sum: &mut [f32], scale: f32, x: &[f32]) {
    for (sum, x) in sum.iter_mut().zip(x) {
        *sum += scale * x;
    }
}

/// Adds `a` times `b`, number by number, to `sum`.
#[inline(always)]
pub fn add_product(sum: &mut [f32], a: &[f32], b: &[f32]) {
    for (sum, (a, b)) in sum.iter_mut().zip(a.iter().zip(b)) {
        *sum += a * b;
    }
}

/// Multiplies `x` by `factor`.
#[inline(always)]
pub fn scale(x: &mut [f32], factor: f32) {
    x.iter_mut().for_each(|x| *x *= factor);
}

/// Replaces scores by their softmax.
#[inline(always)]
pub fn softmax(scores: &mut [f32]) {
    let max = scores.iter().fold(f32::MIN, |max, &x| max.max(x));
    scores.iter_mut().for_each(|score| *score = exp(*score - max));
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
}

/// Adds to `y` (N, O) the product of `x` (N, I) and `w` (I, O), where `inner`
/// is I.
pub fn matmul(y: &mut [f32], x: &[f32], w: &[f32], inner: usize) {
    let width = w.len() / inner.max(1);
    vectorized(Product { y, x, row: inner, step: 1, w, width });
}

/// Adds to `y` (I, O) the product of the transpose of `x` (N, I) and `w`
/// (N, O), where `rows` is N.
pub fn matmul_transposed(y: &mut [f32], x: &[f32], w: &[f32], rows: usize) {
    let (step, width) = (x.len() / rows.max(1), w.len() / rows.max(1));
    vectorized(Product { y, x, row: 1, step, w, width });
}

/// A product to be computed.
struct Product<'a> {
    y: &'a mut [f32],
    x: &'a [f32],
    /// The way in `x` from one row to the next.
    row: usize,
    /// And inside a row from one number to the next.
    step: usize,
    w: &'a [f32],
    /// The length of a row of `w`, and of `y`.
    width: usize,
}

impl NullaryFnOnce for Product<'_> {
    type Output = ();

    /// Columns of `y` are computed 32 at a time, so that their sums stay in
    /// the registers of the processor.
    #[inline(always)]
    fn call(mut self) {
        let mut column = 0;
        while column < self.width {
            column += match self.width - column {
                32.. => self.stripe::<32>(column),
                8.. => self.stripe::<8>(column),
                _ => self.stripe::<1>(column),
            };
        }
    }
}

impl Product<'_> {
    #[inline(always)]
    fn stripe<const W: usize>(&mut self, column: usize) -> usize {
        for (i, y) in self.y.chunks_exact_mut(self.width).enumerate() {
            let Some(y) = y[column..].first_chunk_mut::<W>() else { break };
            let mut sums = *y;
            let x = self.x[i * self.row..].iter().step_by(self.step);
            for (x, w) in x.zip(self.w.chunks_exact(self.width)) {
                let Some(w) = w[column..].first_chunk::<W>() else { break };
                for (sum, w) in sums.iter_mut().zip(w) {
                    *sum += x * w;
                }
            }
            *y = sums;
        }
        W
    }
}

/// A matrix with rows and columns exchanged; `width` is the length of its
/// rows, at least 1.
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
