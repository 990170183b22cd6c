//! Dropout, by a mask that one random number determines.

use crate::custom_op::{Computed, grad_slot, numbers, split, split_onto, tensor};
use crate::definitions::by_definition;
use crate::edited;
use crate::simd::{add_product, add_scaled, vectorized};
use crate::{Dev, Row, Tensor3};
use dfdx::prelude::*;

/// The factors of dropout with probability `p`: each 0 or 1 / (1 - p). They
/// follow from one seed, drawn from `dev`; every kernel with dropout draws the
/// same, so that it agrees with a definition that draws its mask here.
///
/// # Panics
/// If `p` is less than 0, or 1 or more.
pub fn dropout_mask<S: ConstShape>(dev: &Dev, p: f32) -> Tensor<S, f32, Dev> {
    tensor(dev, mask(dev, S::NUMEL, p))
}

/// Multiplies `x` by a [`dropout_mask`] where a tape records and `p` is more
/// than 0. The definition gets `x` and the mask.
pub fn dropout<S: ConstShape, T: Tape<f32, Dev>>(
    x: Tensor<S, f32, Dev, T>,
    p: f32,
    definition: impl FnOnce(
        Tensor<S, f32, Dev, T>,
        Tensor<S, f32, Dev>,
    ) -> Tensor<S, f32, Dev, T>,
) -> Tensor<S, f32, Dev, T> {
    if in_training::<T>(p) == 0.0 {
        return x;
    }
    if const { by_definition::<T>(&edited::DROPOUT) } {
        let mask = dropout_mask(x.device(), p);
        return edited::DROPOUT.run(|| definition(x, mask));
    }
    let (x, tape) = split(x);
    compute(x, p).onto(tape)
}

/// A residual connection: `x` plus `y` after dropout with probability `p`.
pub fn dropout_add<
    const B: usize,
    const S: usize,
    const M: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor3<B, S, M>,
    y: Tensor3<B, S, M, T>,
    p: f32,
    definition: impl FnOnce(Tensor3<B, S, M>, Tensor3<B, S, M, T>) -> Tensor3<B, S, M, T>,
) -> Tensor3<B, S, M, T> {
    if const { by_definition::<T>(&edited::DROPOUT_ADD) } {
        return edited::DROPOUT_ADD.run(|| definition(x, y));
    }
    let (y, tape) = split(y);
    let (x, tape) = split_onto(&x, tape);
    compute_sum([x, y], in_training::<T>(p)).onto(tape)
}

/// The sum of two tensors of one shape, in one operation.
pub fn add<const A: usize, const B: usize, const M: usize, T: Tape<f32, Dev>>(
    x: Tensor3<A, B, M>,
    y: Tensor3<A, B, M, T>,
    definition: impl FnOnce(Tensor3<A, B, M>, Tensor3<A, B, M, T>) -> Tensor3<A, B, M, T>,
) -> Tensor3<A, B, M, T> {
    if const { by_definition::<T>(&edited::ADD) } {
        return edited::ADD.run(|| definition(x, y));
    }
    dropout_add(x, y, 0.0, definition)
}

fn compute(x: Row, p: f32) -> Computed<1> {
    let mut y = numbers(&x);
    let mask = training_mask(x.device(), y.len(), p);
    multiply(&mut y, mask.as_ref());
    Computed {
        dev: x.device().clone(),
        inputs: [grad_slot(&x)],
        output: y,
        backward: Box::new(move |d_y, [d_x]| add_masked(d_x, d_y, mask.as_ref())),
    }
}

fn compute_sum(inputs: [Row; 2], p: f32) -> Computed<2> {
    let [x, mut sum] = inputs.each_ref().map(numbers);
    let mask = training_mask(inputs[0].device(), sum.len(), p);
    multiply(&mut sum, mask.as_ref());
    vectorized(
        #[inline(always)]
        || add_scaled(&mut sum, 1.0, &x),
    );
    Computed {
        dev: inputs[0].device().clone(),
        inputs: inputs.each_ref().map(grad_slot),
        output: sum,
        backward: Box::new(move |d_sum, [d_x, d_y]| {
            add_masked(d_x, d_sum, None);
            add_masked(d_y, d_sum, mask.as_ref());
        }),
    }
}

/// `p` where a tape records, and else 0.
pub(crate) fn in_training<T: Tape<f32, Dev>>(p: f32) -> f32 {
    if T::OWNS_TAPE { p } else { 0.0 }
}

/// A mask where `p` is more than 0.
pub(crate) fn training_mask(dev: &Dev, count: usize, p: f32) -> Option<Vec<f32>> {
    (p != 0.0).then(|| mask(dev, count, p))
}

/// Adds to `sum` each number of `x` times its factor.
fn add_masked(sum: &mut [f32], x: &[f32], mask: Option<&Vec<f32>>) {
    vectorized(
        #[inline(always)]
        || match mask {
            None => add_scaled(sum, 1.0, x),
            Some(mask) => add_product(sum, x, mask),
        },
    );
}

/// Multiplies each number by its factor, if there is a mask.
pub(crate) fn multiply(x: &mut [f32], mask: Option<&Vec<f32>>) {
    let Some(mask) = mask else { return };
    for (x, factor) in x.iter_mut().zip(mask) {
        *x *= factor;
    }
}

fn mask(dev: &Dev, count: usize, p: f32) -> Vec<f32> {
    assert!((0.0..1.0).contains(&p), "dropout must be at least 0 and below 1, not {p}");
    let seed: Tensor<Rank1<1>, u32, Dev> = dev.sample(rand_distr::Standard);
    let [seed] = seed.array();
    let limit = (f64::from(p) * f64::from(u32::MAX)) as u32;
    let mut factors = vec![1.0 / (1.0 - p); count];
    vectorized(
        #[inline(always)]
        || {
            for (n, factor) in factors.iter_mut().enumerate() {
                let random = hash32(seed ^ hash32(n as u32));
                *factor = if random < limit { 0.0 } else { *factor };
            }
        },
    );
    factors
}

/// Changes about half of the bits for each bit that `x` differs in: Chris
/// Wellons' "lowbias32". Several at once, it is much faster than a generator
/// that goes from one random number to the next.
#[inline(always)]
fn hash32(x: u32) -> u32 {
    let x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    let x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}
