// ANCHOR: header
//! Section 10.6, positional encoding: a row of sines and cosines for each
//! position. It has nothing to learn.

use ch10_3::dropout;
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3};
// ANCHOR_END: header

// ANCHOR: encoding
/// A table with a row of width M for each of MAX positions: Vaswani et al.
/// 2017, "Attention Is All You Need", section 3.5.
#[derive(Clone, Debug)]
pub struct PositionalEncoding<const MAX: usize, const M: usize> {
    /// Row i is added to the row at position i: (MAX, M).
    pub table: Tensor2<MAX, M>,
    /// Probability of dropout on the sum, from 0 to below 1.
    pub dropout: f32,
}
// ANCHOR_END: encoding

// ANCHOR: frequency
/// ω_j, the angle in radians by which columns 2j and 2j + 1 of a table of
/// `width` columns turn from one position to the next.
pub fn frequency(j: usize, width: usize) -> f64 {
    10_000f64.powf(-2.0 * j as f64 / width as f64)
}
// ANCHOR_END: frequency

impl<const MAX: usize, const M: usize> PositionalEncoding<MAX, M> {
    // ANCHOR: table
    /// Sines in the even columns, cosines in the odd ones. Does not build
    /// unless M is even.
    pub fn new(dev: &Dev, dropout: f32) -> Self {
        const { assert!(M.is_multiple_of(2)) };
        let entry = |i: usize, column: usize| {
            let angle = i as f64 * frequency(column / 2, M);
            if column.is_multiple_of(2) { angle.sin() } else { angle.cos() }
        };
        let cells = (0..MAX * M).map(|n| entry(n / M, n % M) as f32).collect();
        let table = dev.tensor_from_vec(cells, Default::default());
        Self { table, dropout }
    }
    // ANCHOR_END: table

    // ANCHOR: encode
    /// The rows of N positions, from position `from` on.
    ///
    /// # Panics
    /// The table has fewer than `from + N` positions.
    pub fn encode<const N: usize>(&self, from: usize) -> Tensor2<N, M> {
        let end = from + N;
        assert!(end <= MAX, "{end} positions, but the table has {MAX}");
        self.table.clone().slice((from..end, ..)).realize()
    }
    // ANCHOR_END: encode

    // ANCHOR: encoding_forward
    /// Adds the first S rows of the table to the rows of each of B sequences,
    /// then applies dropout. Does not build unless S ≤ MAX.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
    ) -> Tensor3<B, S, M, T> {
        const { assert!(S <= MAX) };
        self.forward_from(x, 0)
    }

    /// The same for S rows that stand at position `from` and after: a decoder
    /// that writes token by token has one row, and counts its position.
    ///
    /// # Panics
    /// The table has fewer than `from + S` positions.
    pub fn forward_from<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
        from: usize,
    ) -> Tensor3<B, S, M, T> {
        let rows: Tensor3<B, S, M> = self.encode::<S>(from).broadcast();
        dropout(x + rows, self.dropout)
    }
    // ANCHOR_END: encoding_forward
}

// ANCHOR: rotate
/// Turns each pair of columns of a row of the table, (sin a, cos a), by the
/// angle of `offset` positions: row i becomes row i + offset.
pub fn rotate<const M: usize>(row: &[f32; M], offset: f64) -> [f32; M] {
    let mut rotated = [0.0; M];
    let pairs = row.chunks_exact(2).zip(rotated.chunks_exact_mut(2));
    for (j, (from, to)) in pairs.enumerate() {
        let (sin, cos) = (offset * frequency(j, M)).sin_cos();
        let (a, b) = (f64::from(from[0]), f64::from(from[1]));
        to[0] = (cos * a + sin * b) as f32;
        to[1] = (cos * b - sin * a) as f32;
    }
    rotated
}
// ANCHOR_END: rotate
