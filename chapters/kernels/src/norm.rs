//! Layer normalisation.

use crate::custom_op::{Computed, as_row, grad_slot, numbers, split};
use crate::definitions::by_definition;
use crate::edited;
use crate::simd::{add_product, add_scaled, dot, scale, vectorized};
use crate::{Dev, Row, Tensor1, Tensor3};
use dfdx::prelude::*;

/// Subtracts the mean of each row of M numbers and divides by the root of its
/// variance plus `epsilon`; multiplies by `gamma` and adds `beta`.
pub fn layer_norm<const B: usize, const S: usize, const M: usize, T: Tape<f32, Dev>>(
    x: Tensor3<B, S, M, T>,
    gamma: &Tensor1<M>,
    beta: &Tensor1<M>,
    epsilon: f32,
    definition: impl FnOnce(
        Tensor3<B, S, M, T>,
        Tensor1<M, T>,
        Tensor1<M, T>,
    ) -> Tensor3<B, S, M, T>,
) -> Tensor3<B, S, M, T> {
    if const { by_definition::<T>(&edited::LAYER_NORM) } {
        return edited::LAYER_NORM
            .run(|| definition(x, gamma.retaped(), beta.retaped()));
    }
    let (x, tape) = split(x);
    LayerNorm::<M>::compute([x, as_row(gamma), as_row(beta)], epsilon).onto(tape)
}

struct LayerNorm<const M: usize> {
    gamma: Vec<f32>,
    epsilon: f32,
}

impl<const M: usize> LayerNorm<M> {
    fn compute(inputs: [Row; 3], epsilon: f32) -> Computed<3> {
        let [mut rows, gamma, beta] = inputs.each_ref().map(numbers);
        let mut y = beta.repeat(rows.len() / M);
        let norm = Self { gamma, epsilon };
        let factors = norm.forward(&mut rows, &mut y);
        Computed {
            dev: inputs[0].device().clone(),
            inputs: inputs.each_ref().map(grad_slot),
            output: y,
            backward: Box::new(move |d_y, d| norm.backward(&rows, &factors, d_y, d)),
        }
    }

    /// Normalises the rows, and adds them times gamma to `y`. The result is
    /// the factor of each row.
    fn forward(&self, rows: &mut [f32], y: &mut [f32]) -> Vec<f32> {
        vectorized(
            #[inline(always)]
            || self.forward_loops(rows, y),
        )
    }

    /// From the gradient of `y` to those of x, gamma and beta.
    fn backward(
        &self,
        rows: &[f32],
        factors: &[f32],
        d_y: &[f32],
        mut d: [&mut [f32]; 3],
    ) {
        vectorized(
            #[inline(always)]
            || self.backward_loops(rows, factors, d_y, &mut d),
        );
    }

    #[inline(always)]
    fn forward_loops(&self, rows: &mut [f32], y: &mut [f32]) -> Vec<f32> {
        let rows = rows.chunks_exact_mut(M).zip(y.chunks_exact_mut(M));
        let mut factors = vec![0.0; rows.len()];
        for ((row, y), factor) in rows.zip(&mut factors) {
            *factor = self.normalize(row);
            add_product(y, row, &self.gamma);
        }
        factors
    }

    /// Gives a row the mean 0 and the variance 1; the result is the factor.
    #[inline(always)]
    fn normalize(&self, row: &mut [f32]) -> f32 {
        let mean = row.iter().sum::<f32>() / M as f32;
        row.iter_mut().for_each(|x| *x -= mean);
        let factor = 1.0 / (dot(row, row) / M as f32 + self.epsilon).sqrt();
        scale(row, factor);
        factor
    }

    #[inline(always)]
    fn backward_loops(
        &self,
        rows: &[f32],
        factors: &[f32],
        d_y: &[f32],
        d: &mut [&mut [f32]; 3],
    ) {
        let [d_x, d_gamma, d_beta] = d;
        let rows = rows.chunks_exact(M).zip(d_y.chunks_exact(M));
        let d_x = d_x.chunks_exact_mut(M).zip(factors);
        for ((row, d_y), (d_x, factor)) in rows.zip(d_x) {
            add_scaled(d_beta, 1.0, d_y);
            add_product(d_gamma, row, d_y);
            let mut d_row = [0.0; M];
            add_product(&mut d_row, &self.gamma, d_y);
            through_normalize(row, &d_row, *factor, d_x);
        }
    }
}

/// Back through the normalisation of a row: what changes its mean or its
/// length changes nothing after it.
#[inline(always)]
fn through_normalize(row: &[f32], d_row: &[f32], factor: f32, d_x: &mut [f32]) {
    let count = row.len() as f32;
    let mean = d_row.iter().sum::<f32>() / count;
    let along = dot(d_row, row) / count;
    for (d_x, (d, x)) in d_x.iter_mut().zip(d_row.iter().zip(row)) {
        *d_x += factor * (d - mean - along * x);
    }
}
