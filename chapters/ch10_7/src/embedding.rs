// ANCHOR: embedding
//! Section 10.7: from tokens to rows that know their position.

use ch10_2::parameters;
use ch10_6::PositionalEncoding;
use dfdx::prelude::*;
use kernels::{Dev, Matrix, Tensor2, Tensor3};

/// Positions that a model knows.
pub const MAX_POSITIONS: usize = 1000;

/// A vector for each token of the vocabulary, and the encoding of positions.
#[derive(Clone, Debug)]
pub struct TokenEmbedding<const M: usize> {
    /// The vectors: (vocabulary, M).
    pub vectors: Matrix<M>,
    /// What is added to them.
    pub positions: PositionalEncoding<MAX_POSITIONS, M>,
}

parameters! { TokenEmbedding<M> { vectors } }
// ANCHOR_END: embedding

impl<const M: usize> TokenEmbedding<M> {
    // ANCHOR: embedding_new
    /// For a vocabulary of so many tokens. The numbers have the variance 1/M:
    /// times √M, a vector is about as long as the encoding of a position.
    pub fn new(dev: &Dev, vocabulary: usize, dropout: f32) -> Self {
        let normal = rand_distr::StandardNormal;
        let vectors = dev.sample_like(&(vocabulary, Const), normal) / (M as f32).sqrt();
        Self { vectors, positions: PositionalEncoding::new(dev, dropout) }
    }
    // ANCHOR_END: embedding_new

    // ANCHOR: embedding_forward
    /// The vectors of the tokens times √M, plus the encodings of their
    /// positions, of which `from` is the first; then dropout.
    ///
    /// # Panics
    /// A token is not in the vocabulary; or a position is not below [`MAX_POSITIONS`].
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &[[usize; S]; B],
        from: usize,
        tape: T,
    ) -> Tensor3<B, S, M, T> {
        let (scale, dropout) = ((M as f32).sqrt(), self.positions.dropout);
        let rows: Tensor2<S, M> = self.positions.encode(from);
        let vectors = &self.vectors;
        kernels::embedding_with_positions(
            tokens,
            vectors,
            scale,
            &rows,
            dropout,
            tape,
            |vectors| {
                let tokens: Tensor<Rank2<B, S>, usize, Dev> =
                    vectors.device().tensor(*tokens);
                self.positions.forward_from(vectors.gather(tokens) * scale, from)
            },
        )
    }
    // ANCHOR_END: embedding_forward
}
