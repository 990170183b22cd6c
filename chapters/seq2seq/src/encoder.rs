// ANCHOR: encoder_header
//! Interlude, the encoder: it reads a sentence.

use crate::gru::{Gru, State};
use crate::ops;
use crate::parameters::{Named, Parameters, within};
use crate::words::Embedding;
use ch10_1::Dev;
use dfdx::prelude::*;
// ANCHOR_END: encoder_header

// ANCHOR: encoder
/// Reads sentences.
#[derive(Clone, Debug)]
pub struct Encoder<const EMBED: usize, const HIDDEN: usize> {
    /// The vectors of the words that are read.
    pub embedding: Embedding<EMBED>,
    /// Share of the numbers of those vectors that is set to 0 in training.
    pub dropout: f32,
    /// Reads them step by step.
    pub rnn: Gru<EMBED, HIDDEN>,
}

/// What an encoder made of sentences.
pub struct Encoded<const S: usize, const B: usize, const HIDDEN: usize> {
    /// The states of the last layer after each step.
    pub outputs: Tensor<Rank3<S, B, HIDDEN>, f32, Dev>,
    /// The states of all layers after the last step.
    pub state: State<B, HIDDEN>,
    /// How many tokens of each sentence count.
    pub lens: [usize; B],
}
// ANCHOR_END: encoder

// ANCHOR: encoder_impl
impl<const EMBED: usize, const HIDDEN: usize> Encoder<EMBED, HIDDEN> {
    /// Reads B sentences of S tokens.
    pub fn forward<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &[[usize; S]; B],
        lens: &[usize; B],
        tape: T,
    ) -> (Encoded<S, B, HIDDEN>, T) {
        let x = ops::embed(tokens, &self.embedding, tape);
        let x = ops::drop_out(x, self.dropout);
        let mut state = self.rnn.start();
        let (outputs, tape) = self.rnn.forward(x, &mut state).split_tape();
        (Encoded { outputs, state, lens: *lens }, tape)
    }
}
// ANCHOR_END: encoder_impl

// ANCHOR: encoder_parameters
impl<const EMBED: usize, const HIDDEN: usize> Parameters for Encoder<EMBED, HIDDEN> {
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("rnn", self.rnn.parameters());
        all.push(("embedding".into(), &mut self.embedding));
        all
    }
}
// ANCHOR_END: encoder_parameters
