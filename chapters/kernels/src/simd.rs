//! Functions and products on plain slices, written so that the compiler
//! computes several numbers at once (SIMD).

use pulp::{Arch, Simd, WithSimd};
use std::cell::Cell;

/// Runs `work` as compiled for the CPU that is there: pulp compiles it, with
/// all that is inlined into it, once for each instruction set that it knows.
#[inline(always)]
pub(crate) fn vectorized<R>(work: impl FnMut() -> R) -> R {
    Arch::new().dispatch(Work(work))
}

/// Calls a closure as `FnMut`: as `FnOnce` it would be called through a function
/// of the compiler's, which need not be inlined, and then knows SSE2 only.
struct Work<F>(F);

impl<R, F: FnMut() -> R> WithSimd for Work<F> {
    type Output = R;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> R {
        (self.0)()
    }
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
    let ((a, last_a), (b, last_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        add_product(&mut sums, a, b);
    }
    add_product(&mut sums, last_a, last_b);
    sums.iter().sum()
}

/// The sum, in eight parts that are added up last.
#[inline(always)]
pub fn sum(x: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    let (x, last) = x.as_chunks::<8>();
    for x in x {
        add_scaled(&mut sums, 1.0, x);
    }
    add_scaled(&mut sums, 1.0, last);
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
    let w = W::Rows(w);
    Arch::new().dispatch(Product { y, x, row: inner, step: 1, w, inner, width });
}

/// Adds to `y` (N, O) the product of `x` (N, I) and the transpose of `w` (O, I),
/// where `inner` is I.
pub fn matmul_by_transposed(y: &mut [f32], x: &[f32], w: &[f32], inner: usize) {
    let width = w.len() / inner.max(1);
    let w = W::Columns(w);
    Arch::new().dispatch(Product { y, x, row: inner, step: 1, w, inner, width });
}

/// Adds to `y` (I, O) the product of the transpose of `x` (N, I) and `w`
/// (N, O), where `rows` is N.
pub fn matmul_transposed(y: &mut [f32], x: &[f32], w: &[f32], rows: usize) {
    let (step, width) = (x.len() / rows.max(1), w.len() / rows.max(1));
    let w = W::Rows(w);
    Arch::new().dispatch(Product { y, x, row: 1, step, w, inner: rows, width });
}

/// A product to be computed.
struct Product<'a> {
    y: &'a mut [f32],
    x: &'a [f32],
    /// The way in `x` from one row to the next.
    row: usize,
    /// And inside a row from one number to the next.
    step: usize,
    w: W<'a>,
    /// How many products are summed up.
    inner: usize,
    /// The length of a row of `y`.
    width: usize,
}

/// The second matrix, row by row or column by column.
enum W<'a> {
    Rows(&'a [f32]),
    Columns(&'a [f32]),
}

/// So many rows of `y`, and in each so many vectors of columns, are computed
/// at once: their sums stay in the registers of the processor.
const ROWS: usize = 4;
const VECTORS: usize = 2;

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        if self.inner == 0 || self.width == 0 {
            return;
        }
        let mut memory = PANELS.take();
        let panels = self.panels(VECTORS * S::F32_LANES, &mut memory);
        let (panels, _) = S::as_simd_f32s(panels).0.as_chunks();
        let rows = self.y.len() / self.width;
        let blocks = rows / ROWS * ROWS;
        for first in (0..blocks).step_by(ROWS) {
            self.block::<S, ROWS>(simd, panels, first);
        }
        for first in blocks..rows {
            self.block::<S, 1>(simd, panels, first);
        }
        PANELS.set(memory);
    }
}

thread_local! {
    /// The memory of panels, from one product to the next.
    static PANELS: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
}

impl Product<'_> {
    /// The columns of `w`, so many of each row that are multiplied at once, row
    /// after row. The last ones are filled up with what `memory` has there, and
    /// nothing is made of it.
    #[inline(always)]
    fn panels<'a>(&self, columns: usize, memory: &'a mut Vec<f32>) -> &'a [f32] {
        let len = self.inner * self.width.next_multiple_of(columns);
        memory.resize(len.max(memory.len()), 0.0);
        let panels = &mut memory[..len];
        let each = panels.chunks_exact_mut(self.inner * columns);
        match self.w {
            W::Rows(w) => {
                for (panel, first) in each.zip((0..).step_by(columns)) {
                    let rows = w.chunks_exact(self.width);
                    for (to, w) in panel.chunks_exact_mut(columns).zip(rows) {
                        match w.get(first..first + columns) {
                            Some(w) => to.copy_from_slice(w),
                            None => to[..w.len() - first].copy_from_slice(&w[first..]),
                        }
                    }
                }
            }
            W::Columns(w) => {
                for (panel, w) in each.zip(w.chunks(self.inner * columns)) {
                    for (column, w) in w.chunks_exact(self.inner).enumerate() {
                        for (to, w) in panel.chunks_exact_mut(columns).zip(w) {
                            to[column] = *w;
                        }
                    }
                }
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
        let (columns, inner) = (VECTORS * S::F32_LANES, self.inner);
        for (panel, column) in panels.chunks_exact(inner).zip((0..).step_by(columns)) {
            let mut sums = [[simd.splat_f32s(0.0); VECTORS]; R];
            if self.step == 1 {
                let start = |r| (first + r) * self.row;
                let x: [&[f32]; R] =
                    std::array::from_fn(|r| &self.x[start(r)..][..inner]);
                let (fours, last) = panel.as_chunks::<4>();
                let x_fours = x.map(|x| x.as_chunks::<4>().0);
                for (n, w) in fours.iter().enumerate() {
                    let x = x_fours.map(|x| x[n]);
                    for (i, w) in w.iter().enumerate() {
                        add_products(simd, &mut sums, x.map(|x| x[i]), w);
                    }
                }
                for (n, w) in (4 * fours.len()..).zip(last) {
                    add_products(simd, &mut sums, x.map(|x| x[n]), w);
                }
            } else {
                for (x, w) in self.x.chunks_exact(self.step).zip(panel) {
                    let Some(x) = x[first..].first_chunk::<R>() else { break };
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
