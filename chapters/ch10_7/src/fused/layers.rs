// ANCHOR: layers_header
//! Section 10.7, the same in one pass: linear layers.

use crate::feed_forward::PositionWiseFfn;
use ch10_1::Dev;
use ch10_3::fused::{place, record, values};
use ch10_3::loops::{add_scaled, dot, matmul, matmul_transposed, transposed};
use ch10_5::Projection;
use dfdx::prelude::*;
// ANCHOR_END: layers_header

// ANCHOR: linear
/// A linear layer, from width I to width O.
pub(super) struct Linear {
    /// (O, I).
    w: Vec<f32>,
    /// (O), or nothing.
    bias: Vec<f32>,
    /// I.
    inner: usize,
}

impl Linear {
    pub(super) fn of<const I: usize, const O: usize, const BIAS: bool>(
        layer: &Projection<I, O, BIAS>,
    ) -> Self {
        let bias = if BIAS { values(&layer.bias) } else { vec![] };
        Linear { w: values(&layer.weight), bias, inner: I }
    }

    fn outer(&self) -> usize {
        self.w.len() / self.inner
    }

    /// Rows of `x`, (N, I), to rows of width O.
    fn forward(&self, x: &[f32]) -> Vec<f32> {
        let (rows, outer) = (x.len() / self.inner, self.outer());
        let mut y = match self.bias.len() {
            0 => vec![0.0; rows * outer],
            _ => self.bias.repeat(rows),
        };
        // To change rows and columns over does not pay for one row.
        if rows > 4 {
            matmul(&mut y, x, &transposed(&self.w, self.inner), self.inner);
            return y;
        }
        for (y, x) in y.chunks_mut(outer).zip(x.chunks(self.inner)) {
            for (y, w) in y.iter_mut().zip(self.w.chunks(self.inner)) {
                *y += dot(x, w);
            }
        }
        y
    }

    /// From the gradient of the rows that came out to those of x, w and bias.
    /// A row whose gradient is 0 is left out: padding is.
    fn backward(&self, x: &[f32], d_y: &[f32], [d_x, d_w, d_bias]: [&mut [f32]; 3]) {
        let (inner, outer) = (self.inner, self.outer());
        let counts = |row: &[f32]| row.iter().any(|d| *d != 0.0);
        let rows = d_y.chunks(outer).enumerate().filter(|(_, d)| counts(d));
        let rows: Vec<usize> = rows.map(|(row, _)| row).collect();
        // So many rows at once stay near the processor.
        for rows in rows.chunks(64) {
            let (x, d_y) = (taken(x, rows, inner), taken(d_y, rows, outer));
            let mut d_rows = vec![0.0; rows.len() * inner];
            matmul(&mut d_rows, &d_y, &self.w, outer);
            for (row, d) in rows.iter().zip(d_rows.chunks(inner)) {
                add_scaled(&mut d_x[row * inner..][..inner], 1.0, d);
            }
            matmul_transposed(d_w, &d_y, &x, rows.len());
            if !d_bias.is_empty() {
                d_y.chunks(outer).for_each(|d| add_scaled(d_bias, 1.0, d));
            }
        }
    }
}

/// Some rows of `x`, of so many numbers each.
fn taken(x: &[f32], rows: &[usize], width: usize) -> Vec<f32> {
    let mut taken = Vec::with_capacity(rows.len() * width);
    for row in rows {
        taken.extend_from_slice(&x[row * width..][..width]);
    }
    taken
}
// ANCHOR_END: linear

// ANCHOR: fused_project
/// [`project`](crate::attention::project) in one pass.
pub fn project<
    const B: usize,
    const S: usize,
    const I: usize,
    const O: usize,
    const BIAS: bool,
    T: Tape<f32, Dev>,
>(
    x: Tensor<Rank3<B, S, I>, f32, Dev, T>,
    layer: &Projection<I, O, BIAS>,
) -> Tensor<Rank3<B, S, O>, f32, Dev, T> {
    let (x, tape) = x.split_tape();
    let (rows, linear) = (values(&x), Linear::of(layer));
    let y = linear.forward(&rows);
    let y = x.device().tensor_from_vec(y, Default::default());
    let (w, bias) = (place(&layer.weight), place(&layer.bias));
    if BIAS {
        record([place(&x), w, bias], y, tape, move |d_y, d| {
            linear.backward(&rows, d_y, d);
        })
    } else {
        record([place(&x), w], y, tape, move |d_y, [d_x, d_w]| {
            linear.backward(&rows, d_y, [d_x, d_w, &mut []]);
        })
    }
}
// ANCHOR_END: fused_project

// ANCHOR: fused_feed_forward
/// [`feed_forward`](crate::feed_forward::feed_forward) in one pass.
pub fn feed_forward<
    const B: usize,
    const S: usize,
    const I: usize,
    const FFN: usize,
    const O: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor<Rank3<B, S, I>, f32, Dev, T>,
    layer: &PositionWiseFfn<I, FFN, O>,
) -> Tensor<Rank3<B, S, O>, f32, Dev, T> {
    let (x, tape) = x.split_tape();
    let (first, second) = (Linear::of(&layer.first), Linear::of(&layer.second));
    let rows = values(&x);
    let mut hidden = first.forward(&rows);
    hidden.iter_mut().for_each(|x| *x = x.max(0.0));
    let y = second.forward(&hidden);
    let y = x.device().tensor_from_vec(y, Default::default());
    let PositionWiseFfn { first: one, second: two } = layer;
    let places = [
        place(&x),
        place(&one.weight),
        place(&one.bias),
        place(&two.weight),
        place(&two.bias),
    ];
    record(places, y, tape, move |d_y, [d_x, d_w1, d_b1, d_w2, d_b2]| {
        let mut d_hidden = vec![0.0; hidden.len()];
        second.backward(&hidden, d_y, [&mut d_hidden, d_w2, d_b2]);
        for (d, hidden) in d_hidden.iter_mut().zip(&hidden) {
            *d = if *hidden > 0.0 { *d } else { 0.0 };
        }
        first.backward(&rows, &d_hidden, [d_x, d_w1, d_b1]);
    })
}
// ANCHOR_END: fused_feed_forward
