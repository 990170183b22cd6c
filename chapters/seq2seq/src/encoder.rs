// ANCHOR: header
//! Interlude, the encoder: it reads a sentence.

use crate::embedding::Embedding;
use crate::gru::{Gru, State};
use ch10_2::parameters;
use ch10_3::dropout;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
// ANCHOR_END: header

// ANCHOR: encoder
/// Reads sentences.
#[derive(Clone, Debug)]
pub struct Encoder<const EMBED: usize, const HIDDEN: usize> {
    /// The vectors of the tokens that are read.
    pub embedding: Embedding<EMBED>,
    /// Probability of dropout on those vectors.
    pub dropout: f32,
    /// Reads them step by step.
    pub rnn: Gru<EMBED, HIDDEN>,
}

parameters! { Encoder<EMBED, HIDDEN> { embedding, rnn } }

/// What an encoder makes of B sentences of S tokens.
pub struct Encoded<const B: usize, const S: usize, const HIDDEN: usize> {
    /// The states of the last layer after each step.
    pub outputs: Tensor3<B, S, HIDDEN>,
    /// The states of all layers after the last step.
    pub state: State<B, HIDDEN>,
    /// How many tokens of each sentence count.
    pub lens: [usize; B],
}
// ANCHOR_END: encoder

impl<const EMBED: usize, const HIDDEN: usize> Encoder<EMBED, HIDDEN> {
    // ANCHOR: encoder_forward
    /// Reads B sentences of S tokens.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &[[usize; S]; B],
        lens: &[usize; B],
        tape: T,
    ) -> (Encoded<B, S, HIDDEN>, T) {
        let x = self.embedding.forward(&steps_first(tokens), tape);
        let mut state = self.rnn.start();
        let outputs = self.rnn.forward(dropout(x, self.dropout), &mut state);
        let (outputs, tape) = batch_first(outputs).split_tape();
        (Encoded { outputs, state, lens: *lens }, tape)
    }
    // ANCHOR_END: encoder_forward
}

// ANCHOR: axes
/// Swaps rows and columns: from (B, S) to (S, B).
pub fn steps_first<const B: usize, const S: usize>(
    tokens: &[[usize; S]; B],
) -> [[usize; B]; S] {
    std::array::from_fn(|s| std::array::from_fn(|b| tokens[b][s]))
}

/// From (S, B, HIDDEN) to (B, S, HIDDEN).
pub fn batch_first<const S: usize, const B: usize, const HIDDEN: usize, T>(
    states: Tensor3<S, B, HIDDEN, T>,
) -> Tensor3<B, S, HIDDEN, T>
where
    T: Tape<f32, Dev>,
{
    states.permute::<_, Axes3<1, 0, 2>>().contiguous()
}
// ANCHOR_END: axes
