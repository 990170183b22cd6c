//! From tokens to vectors.

use crate::custom_op::{Computed, as_row, grad_slot, numbers, to_vec};
use crate::definitions::by_definition;
use crate::dropout::{in_training, multiply, training_mask};
use crate::edited;
use crate::simd::add_scaled;
use crate::{Dev, Matrix, Row, Tensor2, Tensor3};
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
    if const { by_definition::<T>(&edited::EMBEDDING) } {
        return edited::EMBEDDING.run(|| definition(weight.clone().put_tape(tape)));
    }
    let tokens = Tokens { ids: tokens.as_flattened().to_vec(), width: E, scale: 1.0 };
    tokens.compute(as_row(weight), vec![0.0; A * N * E], 0.0).onto(tape)
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
    if const { by_definition::<T>(&edited::EMBEDDING_WITH_POSITIONS) } {
        return edited::EMBEDDING_WITH_POSITIONS
            .run(|| definition(weight.clone().put_tape(tape)));
    }
    let tokens = Tokens { ids: tokens.as_flattened().to_vec(), width: E, scale };
    let positions = to_vec(positions).repeat(A);
    tokens.compute(as_row(weight), positions, in_training::<T>(dropout)).onto(tape)
}

/// Which vectors are read.
struct Tokens {
    ids: Vec<usize>,
    /// Numbers in the vector of a token.
    width: usize,
    /// By which the vectors are multiplied.
    scale: f32,
}

impl Tokens {
    /// Adds the vectors of the tokens to `x`; then dropout.
    fn compute(self, weight: Row, mut x: Vec<f32>, dropout: f32) -> Computed<1> {
        let dev = weight.device().clone();
        self.forward(&numbers(&weight), &mut x);
        let mask = training_mask(&dev, x.len(), dropout);
        multiply(&mut x, mask.as_ref());
        let backward = Box::new(move |d_x: &[f32], [d_vectors]: [&mut [f32]; 1]| {
            let mut d_x = d_x.to_vec();
            multiply(&mut d_x, mask.as_ref());
            self.backward(&d_x, d_vectors);
        });
        Computed { dev, inputs: [grad_slot(&weight)], output: x, backward }
    }

    /// Adds the vector of each token to its row of `x`.
    fn forward(&self, vectors: &[f32], x: &mut [f32]) {
        for (x, token) in x.chunks_mut(self.width).zip(&self.ids) {
            let vector = vectors.get(token * self.width..(token + 1) * self.width);
            let vector = vector.unwrap_or_else(|| {
                let vocabulary = vectors.len() / self.width;
                panic!("token {token} is not in a vocabulary of {vocabulary}")
            });
            add_scaled(x, self.scale, vector);
        }
    }

    fn backward(&self, d_x: &[f32], d_vectors: &mut [f32]) {
        for (d, token) in d_x.chunks(self.width).zip(&self.ids) {
            let d_vector = &mut d_vectors[token * self.width..][..self.width];
            add_scaled(d_vector, self.scale, d);
        }
    }
}
