// ANCHOR: encoding
//! Positions as rows of sines and cosines, added to the rows of a sequence:
//! section 10.6. It has nothing to learn.

use ch10_1::Dev;
use ch10_3::drop_out;
use dfdx::prelude::*;

/// A table with a row of width M for each of MAX positions: Vaswani et al.
/// 2017, "Attention Is All You Need", section 3.5.
#[derive(Clone, Debug)]
pub struct PositionalEncoding<const MAX: usize, const M: usize> {
    /// Row i is added to the row at position i: (MAX, M).
    pub table: Tensor<Rank2<MAX, M>, f32, Dev>,
    /// Share of the entries of the sum set to 0 in training, 0 to 1.
    pub dropout: f32,
}
// ANCHOR_END: encoding

// ANCHOR: frequency
/// The angle, in radians, by which columns 2j and 2j + 1 of `width` turn from
/// one position to the next.
pub fn frequency(j: usize, width: usize) -> f64 {
    10_000f64.powf(-2.0 * j as f64 / width as f64)
}

impl<const MAX: usize, const M: usize> PositionalEncoding<MAX, M> {
    /// The sines and cosines of the paper. Does not build unless M is even.
    pub fn new(dev: &Dev, dropout: f32) -> Self {
        const { assert!(M.is_multiple_of(2), "M must be even") };
        let entry = |i: usize, m: usize| {
            let angle = i as f64 * frequency(m / 2, M);
            if m.is_multiple_of(2) { angle.sin() } else { angle.cos() }
        };
        let cells = (0..MAX * M).map(|n| entry(n / M, n % M) as f32).collect();
        let table = dev.tensor_from_vec(cells, Default::default());
        Self { table, dropout }
    }
}
// ANCHOR_END: frequency

// ANCHOR: encoding_forward
impl<const MAX: usize, const M: usize> PositionalEncoding<MAX, M> {
    /// Adds the first S rows of the table to the rows of each of B sequences,
    /// then drops out. Does not build unless S <= MAX.
    ///
    /// # Panics
    /// `dropout` is more than 1 and a tape records.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<B, S, M>, f32, Dev, T>,
    ) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
        const { assert!(S <= MAX, "the table has only MAX positions") };
        self.forward_from(x, 0)
    }

    /// The same for S rows that stand at position `from` and on: a decoder
    /// that writes word by word has one row, and counts itself.
    ///
    /// # Panics
    /// As [`forward`](Self::forward); and if the table has fewer than
    /// `from + S` positions.
    pub fn forward_from<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<B, S, M>, f32, Dev, T>,
        from: usize,
    ) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
        let end = from + S;
        assert!(end <= MAX, "{end} positions, but the table has {MAX}");
        let rows: Tensor<Rank2<S, M>, f32, Dev> =
            self.table.clone().slice((from..end, ..)).realize();
        let rows: Tensor<Rank3<B, S, M>, f32, Dev> = rows.broadcast();
        drop_out(x + rows, self.dropout)
    }
}
// ANCHOR_END: encoding_forward

// ANCHOR: turned
/// Turns each pair of columns of a row of the table, (sin a, cos a), by what
/// it turns in `offset` positions: row i becomes row i + offset.
pub fn turned<const M: usize>(row: &[f32; M], offset: f64) -> [f32; M] {
    let mut turned = [0.0; M];
    let pairs = row.chunks_exact(2).zip(turned.chunks_exact_mut(2));
    for (j, (from, to)) in pairs.enumerate() {
        let (sin, cos) = (offset * frequency(j, M)).sin_cos();
        let (a, b) = (f64::from(from[0]), f64::from(from[1]));
        to[0] = (cos * a + sin * b) as f32;
        to[1] = (cos * b - sin * a) as f32;
    }
    turned
}
// ANCHOR_END: turned
