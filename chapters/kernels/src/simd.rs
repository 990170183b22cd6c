//! Functions and products on plain slices, written so that the compiler
//! computes several numbers at once (SIMD).

use pulp::{Arch, NullaryFnOnce, Simd, WithSimd};

/// Runs `work` as compiled for the CPU that is there: pulp compiles it, with
/// all that is inlined into it, once for each instruction set that it knows.
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
    Arch::new().dispatch(Product { y, x, row: inner, step: 1, w, width });
}

/// Adds to `y` (I, O) the product of the transpose of `x` (N, I) and `w`
/// (N, O), where `rows` is N.
pub fn matmul_transposed(y: &mut [f32], x: &[f32], w: &[f32], rows: usize) {
    let (step, width) = (x.len() / rows.max(1), w.len() / rows.max(1));
    Arch::new().dispatch(Product { y, x, row: 1, step, w, width });
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

/// So many rows of `y`, and in each so many vectors of columns, are computed
/// at once: their sums stay in the registers of the processor.
const ROWS: usize = 4;
const VECTORS: usize = 2;

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        if self.width == 0 {
            return;
        }
        let panels = self.panels(simd);
        let rows = self.y.len() / self.width;
        let blocks = rows / ROWS * ROWS;
        for first in (0..blocks).step_by(ROWS) {
            self.block::<S, ROWS>(simd, &panels, first);
        }
        for first in blocks..rows {
            self.block::<S, 1>(simd, &panels, first);
        }
    }
}

impl Product<'_> {
    /// The columns of `w`, so many vectors of each row that are multiplied at
    /// once; the last ones filled up with zeros.
    #[inline(always)]
    fn panels<S: Simd>(&self, simd: S) -> Vec<[S::f32s; VECTORS]> {
        let columns = VECTORS * S::F32_LANES;
        let inner = self.w.len() / self.width;
        let mut panels = Vec::with_capacity(inner * self.width.div_ceil(columns));
        for column in (0..self.width).step_by(columns) {
            let end = self.width.min(column + columns);
            for w in self.w.chunks_exact(self.width) {
                let (full, rest) = S::as_simd_f32s(&w[column..end]);
                let mut vectors = [simd.splat_f32s(0.0); VECTORS];
                vectors[..full.len()].copy_from_slice(full);
                if !rest.is_empty() {
                    vectors[full.len()] = simd.partial_load_f32s(rest);
                }
                panels.push(vectors);
            }
        }
        panels
    }

    /// R rows of the product, from row `first` on.
    #[inline(always)]
    fn block<S: Simd, const R: usize>(
        &mut self,
        simd: S,
        panels: &[[S::f32s; VECTORS]],
        first: usize,
    ) {
        let (columns, inner) = (VECTORS * S::F32_LANES, self.w.len() / self.width);
        for (panel, column) in panels.chunks_exact(inner).zip((0..).step_by(columns)) {
            let mut sums = [[simd.splat_f32s(0.0); VECTORS]; R];
            if self.step == 1 {
                let start = |r| (first + r) * self.row;
                let x: [&[f32]; R] =
                    std::array::from_fn(|r| &self.x[start(r)..][..inner]);
                for (n, w) in panel.iter().enumerate() {
                    add_products(simd, &mut sums, x.map(|x| x[n]), w);
                }
            } else {
                let x = self.x[first * self.row..].chunks(self.step);
                for (x, w) in x.zip(panel) {
                    let Some(x) = x.first_chunk::<R>() else { break };
                    add_products(simd, &mut sums, *x, w);
                }
            }
            let end = self.width.min(column + columns);
            for (y, sums) in
                self.y[first * self.width..].chunks_mut(self.width).zip(sums)
            {
                let (full, rest) = S::as_mut_simd_f32s(&mut y[column..end]);
                for (y, sum) in full.iter_mut().zip(sums) {
                    *y = simd.add_f32s(*y, sum);
                }
                if !rest.is_empty() {
                    let sum =
                        simd.add_f32s(simd.partial_load_f32s(rest), sums[full.len()]);
                    simd.partial_store_f32s(rest, sum);
                }
            }
        }
    }
}

#[inline(always)]
fn add_products<S: Simd, const R: usize>(
    simd: S,
    sums: &mut [[S::f32s; VECTORS]; R],
    x: [f32; R],
    w: &[S::f32s; VECTORS],
) {
    for (sums, x) in sums.iter_mut().zip(x) {
        let x = simd.splat_f32s(x);
        for (sum, w) in sums.iter_mut().zip(w) {
            *sum = simd.mul_add_e_f32s(x, *w, *sum);
        }
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
