// ANCHOR: rows_header
//! Section 10.7, the same in one pass: what is done row by row around a
//! layer.

use crate::norm::{EPSILON, LayerNorm};
use ch10_1::Dev;
use ch10_3::fused::{place, record, values};
use ch10_3::loops::{add_scaled, dot};
use dfdx::prelude::*;
use pulp::{Arch, NullaryFnOnce};
// ANCHOR_END: rows_header

// ANCHOR: kept
/// For each of `count` numbers the factor of dropout, 0 or 1 / (1 - p); or
/// nothing where no tape records, or p is 0.
pub(super) fn kept<T: Tape<f32, Dev>>(
    dev: &Dev,
    count: usize,
    p: f32,
) -> Option<Vec<f32>> {
    if !T::OWNS_TAPE || p == 0.0 {
        return None;
    }
    let seed: Tensor<Rank1<1>, u32, Dev> = dev.sample(rand_distr::Standard);
    let [seed] = seed.array();
    let limit = (f64::from(p) * f64::from(u32::MAX)) as u32;
    let mut factors = vec![1.0 / (1.0 - p); count];
    Arch::new().dispatch(Kept { seed, limit, factors: &mut factors });
    Some(factors)
}

/// Sets the share `limit` / 2^32 of the factors to 0.
struct Kept<'a> {
    seed: u32,
    limit: u32,
    factors: &'a mut [f32],
}

impl NullaryFnOnce for Kept<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (n, factor) in self.factors.iter_mut().enumerate() {
            let random = mixed(self.seed ^ mixed(n as u32));
            *factor = if random < self.limit { 0.0 } else { *factor };
        }
    }
}

/// Changes about half of the bits for each bit that `x` differs in: Chris
/// Wellons' "lowbias32". Several at once, it is much faster than a generator
/// that goes from one random number to the next.
#[inline(always)]
fn mixed(x: u32) -> u32 {
    let x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    let x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// Multiplies each number by its factor, if there are factors.
pub(super) fn drop(x: &mut [f32], kept: Option<&Vec<f32>>) {
    for (x, factor) in x.iter_mut().zip(kept.into_iter().flatten()) {
        *x *= factor;
    }
}
// ANCHOR_END: kept

// ANCHOR: fused_add
/// [`add`](crate::norm::add) in one pass.
pub fn add<const B: usize, const S: usize, const M: usize, T: Tape<f32, Dev>>(
    x: Tensor<Rank3<B, S, M>, f32, Dev>,
    y: Tensor<Rank3<B, S, M>, f32, Dev, T>,
    dropout: f32,
) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
    let (y, tape) = y.split_tape();
    let dev = x.device();
    let kept = kept::<T>(dev, B * S * M, dropout);
    let mut sum = values(&y);
    drop(&mut sum, kept.as_ref());
    add_scaled(&mut sum, 1.0, &values(&x));
    let sum = dev.tensor_from_vec(sum, Default::default());
    record([place(&x), place(&y)], sum, tape, move |d, [d_x, d_y]| {
        add_scaled(d_x, 1.0, d);
        match &kept {
            None => add_scaled(d_y, 1.0, d),
            Some(kept) => {
                let d = d.iter().zip(kept);
                d_y.iter_mut().zip(d).for_each(|(y, (d, k))| *y += d * k);
            }
        }
    })
}
// ANCHOR_END: fused_add

// ANCHOR: fused_norm
/// [`norm`](crate::norm::norm) in one pass.
pub fn norm<const B: usize, const S: usize, const M: usize, T: Tape<f32, Dev>>(
    x: Tensor<Rank3<B, S, M>, f32, Dev, T>,
    layer: &LayerNorm<M>,
) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
    let (x, tape) = x.split_tape();
    let (gain, shift) = (values(&layer.gain), values(&layer.shift));
    let mut rows = values(&x);
    let roots: Vec<f32> = rows.chunks_exact_mut(M).map(normalise).collect();
    let mut y = shift.repeat(B * S);
    for (y, row) in y.chunks_exact_mut(M).zip(rows.chunks_exact(M)) {
        y.iter_mut().zip(row.iter().zip(&gain)).for_each(|(y, (x, g))| {
            *y += x * g;
        });
    }
    let y = x.device().tensor_from_vec(y, Default::default());
    let places = [place(&x), place(&layer.gain), place(&layer.shift)];
    record(places, y, tape, move |d_y, [d_x, d_gain, d_shift]| {
        let d_x = d_x.chunks_exact_mut(M).zip(&roots);
        let rows = rows.chunks_exact(M).zip(d_y.chunks_exact(M));
        for ((row, d_y), (d_x, root)) in rows.zip(d_x) {
            add_scaled(d_shift, 1.0, d_y);
            add_product(d_gain, row, d_y);
            let mut d_row = [0.0; M];
            add_product(&mut d_row, &gain, d_y);
            to_row(row, &d_row, *root, d_x);
        }
    })
}
// ANCHOR_END: fused_norm

// ANCHOR: normalise
/// Gives a row the mean 0 and the variance 1; the result is the factor.
fn normalise(row: &mut [f32]) -> f32 {
    let count = row.len() as f32;
    let mean = row.iter().sum::<f32>() / count;
    row.iter_mut().for_each(|x| *x -= mean);
    let factor = 1.0 / (dot(row, row) / count + EPSILON).sqrt();
    row.iter_mut().for_each(|x| *x *= factor);
    factor
}

/// Back through that: what changes the mean or the length of the row changes
/// nothing after it.
fn to_row(row: &[f32], d: &[f32], factor: f32, d_row: &mut [f32]) {
    let count = row.len() as f32;
    let mean = d.iter().sum::<f32>() / count;
    let along = dot(d, row) / count;
    for (out, (d, x)) in d_row.iter_mut().zip(d.iter().zip(row)) {
        *out += factor * (d - mean - along * x);
    }
}

fn add_product(sum: &mut [f32], a: &[f32], b: &[f32]) {
    for (sum, (a, b)) in sum.iter_mut().zip(a.iter().zip(b)) {
        *sum += a * b;
    }
}
// ANCHOR_END: normalise
