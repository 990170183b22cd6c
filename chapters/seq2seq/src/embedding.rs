// ANCHOR: header
//! Interlude, tokens as vectors.

use ch10_2::parameters;
use dfdx::prelude::*;
use kernels::{Dev, Matrix, Tensor3};
use rand_distr::StandardNormal;
// ANCHOR_END: header

// ANCHOR: embedding
/// A vector of E numbers for each token of a vocabulary. How many tokens there
/// are is known only when the sentences are read: that axis is not in the type.
#[derive(Clone, Debug)]
pub struct Embedding<const E: usize> {
    /// The vectors, a row each.
    pub vectors: Matrix<E>,
}

parameters! { Embedding<E> { vectors } }

impl<const E: usize> Embedding<E> {
    /// Vectors from the standard normal distribution.
    pub fn new(dev: &Dev, vocab_size: usize) -> Self {
        Embedding { vectors: dev.sample_like(&(vocab_size, Const), StandardNormal) }
    }

    /// The vectors of tokens, recorded on `tape`: (A, N) to (A, N, E).
    pub fn forward<const A: usize, const N: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &[[usize; N]; A],
        tape: T,
    ) -> Tensor3<A, N, E, T> {
        kernels::embedding(tokens, &self.vectors, tape, |vectors: Matrix<E, T>| {
            let dev = vectors.device().clone();
            vectors.gather(dev.tensor(*tokens))
        })
    }
}
// ANCHOR_END: embedding
