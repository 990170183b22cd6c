//! From tokens to vectors.

use crate::custom_op::{custom_op, grad_slot, tensor, to_vec};
use crate::definitions::by_definition;
use crate::dropout::{multiply, training_mask};
use crate::simd::add_scaled;
use crate::{Dev, Matrix, Tensor2, Tensor3};
use dfdx::prelude::*;

/// The row of `weight` for each token.
///
/// # Panics
/// If a token has no row.
pub fn embedding<const A: usize, const N: usize, const E: usize, T: Tape<f32, Dev>>(
    tokens: &[[usize; N]; A],
    weight: &Matrix<E>,
    tape: T,
    definition: impl FnOnce(Matrix<E, T>) -> Tensor3<A, N, E, T>,
) -> Tensor3<A, N, E, T> {
    if const { by_definition::<T>() } {
        return definition(weight.clone().put_tape(tape));
    }
    let rows = to_vec(weight);
    let vectors =
        tokens.as_flattened().iter().flat_map(|&token| row::<E>(&rows, token));
    let vectors = tensor(weight.device(), vectors.copied().collect());
    let tokens = *tokens;
    custom_op([grad_slot(weight)], vectors, tape, move |d, [d_weight]| {
        for (token, d) in tokens.as_flattened().iter().zip(d.chunks(E)) {
            add_scaled(&mut d_weight[token * E..][..E], 1.0, d);
        }
    })
}

/// The row of `weight` for each token times `scale`, plus the encoding of its
/// position; then dropout. The positions are constants: they get no gradient.
///
/// # Panics
/// If a token has no row.
pub fn embedding_with_positions<
    const A: usize,
    const N: usize,
    const E: usize,
    T: Tape<f32, Dev>,
>(
    tokens: &[[usize; N]; A],
    weight: &Matrix<E>,
    scale: f32,
    positions: &Tensor2<N, E>,
    dropout: f32,
    tape: T,
    definition: impl FnOnce(Matrix<E, T>) -> Tensor3<A, N, E, T>,
) -> Tensor3<A, N, E, T> {
    if const { by_definition::<T>() } {
        return definition(weight.clone().put_tape(tape));
    }
    let (rows, mut x) = (to_vec(weight), to_vec(positions).repeat(A));
    for (x, &token) in x.chunks_mut(E).zip(tokens.as_flattened()) {
        add_scaled(x, scale, row::<E>(&rows, token));
    }
    let mask = training_mask::<T>(weight.device(), A * N * E, dropout);
    multiply(&mut x, mask.as_ref());
    let x = tensor(weight.device(), x);
    let tokens = *tokens;
    custom_op([grad_slot(weight)], x, tape, move |d_x, [d_weight]| {
        let mut d_x = d_x.to_vec();
        multiply(&mut d_x, mask.as_ref());
        for (d, token) in d_x.chunks(E).zip(tokens.as_flattened()) {
            add_scaled(&mut d_weight[token * E..][..E], scale, d);
        }
    })
}

fn row<const E: usize>(rows: &[f32], token: usize) -> &[f32] {
    let row = rows.get(token * E..(token + 1) * E);
    row.unwrap_or_else(|| {
        panic!("token {token} is not in a vocabulary of {}", rows.len() / E.max(1))
    })
}
