// ANCHOR: decoder_header
//! Interlude, the decoder: it writes a sentence.

use crate::context::{Context, Looked};
use crate::encoder::Encoded;
use crate::gru::{Gru, State, stacked};
use crate::loss::Words;
use crate::ops;
use crate::parameters::{Named, Parameters, within};
use crate::words::Embedding;
use ch10_1::Dev;
use dfdx::prelude::*;
// ANCHOR_END: decoder_header

// ANCHOR: decoder
/// Writes sentences.
#[derive(Clone, Debug)]
pub struct Decoder<const EMBED: usize, const HIDDEN: usize, C> {
    /// The vectors of the words that are written.
    pub embedding: Embedding<EMBED>,
    /// Share of the numbers of those vectors that is set to 0 in training.
    pub dropout: f32,
    /// How it looks back.
    pub context: C,
    /// From the context to the gates of the first layer.
    pub w_context: Tensor<Rank3<3, HIDDEN, HIDDEN>, f32, Dev>,
    /// Its steps.
    pub rnn: Gru<EMBED, HIDDEN>,
    /// From the state of the last layer to the logits of the words.
    pub w_out: Tensor<(usize, Const<HIDDEN>), f32, Dev>,
    /// Added to them.
    pub b_out: Tensor<(usize,), f32, Dev>,
}
// ANCHOR_END: decoder

// ANCHOR: writing
/// Where the decoder stands: its state and the memory of what was read.
pub struct Writing<const B: usize, const HIDDEN: usize, M> {
    /// The states of all layers.
    pub state: State<B, HIDDEN>,
    /// What its context is taken from.
    pub memory: M,
}
// ANCHOR_END: writing

// ANCHOR: decoder_impl
impl<const EMBED: usize, const HIDDEN: usize, C: Context<HIDDEN>>
    Decoder<EMBED, HIDDEN, C>
{
    /// Ready for the first step: in the state in which the encoder ended.
    pub fn start<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        encoded: Encoded<S, B, HIDDEN>,
        tape: T,
    ) -> (Writing<B, HIDDEN, C::Memory<S, B>>, T) {
        let (memory, tape) = self.context.memory(&encoded, tape);
        (Writing { state: encoded.state, memory }, tape)
    }

    /// One step: from what the token contributes to the gates of the first
    /// layer to the new state of the last one.
    fn step<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        token: Tensor<Rank3<3, B, HIDDEN>, f32, Dev, T>,
        writing: &mut Writing<B, HIDDEN, C::Memory<S, B>>,
    ) -> Looked<S, B, HIDDEN, T> {
        let (token, tape) = token.split_tape();
        let last = &writing.state[writing.state.len() - 1];
        let query = last.clone().put_tape(tape);
        let (context, weights) = self.context.context(query, &writing.memory);
        let context: Tensor<Rank3<1, B, HIDDEN>, f32, Dev, T> = context.reshape();
        let context = ops::to_gates(context, &self.w_context).reshape();
        let state = self.rnn.step(context + token, &mut writing.state);
        (state, weights)
    }

    /// N steps, each after reading the token of `tokens` before it: the
    /// states of the last layer, and the weights of each step if it attends.
    pub fn forward<
        const S: usize,
        const B: usize,
        const N: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        tokens: &[[usize; N]; B],
        writing: &mut Writing<B, HIDDEN, C::Memory<S, B>>,
        tape: T,
    ) -> Written<S, B, HIDDEN, N, T> {
        let x = ops::embed(tokens, &self.embedding, tape);
        let x = ops::drop_out(x, self.dropout);
        let (x, mut tape) = ops::steps(self.rnn.first.input(x));
        let mut weights = Vec::new();
        let states = x.map(|x| {
            let x = x.put_tape(std::mem::take(&mut tape));
            let (state, looked) = self.step(x, writing);
            weights.extend(looked);
            let (state, so_far) = state.split_tape();
            tape = so_far;
            state
        });
        (stacked(states, tape), weights)
    }

    /// What turns a state into logits.
    pub fn words(&self) -> Words<'_, HIDDEN> {
        (&self.w_out, &self.b_out)
    }
}
// ANCHOR_END: decoder_impl

// ANCHOR: written
/// States of N steps, and the weights of each.
pub type Written<
    const S: usize,
    const B: usize,
    const HIDDEN: usize,
    const N: usize,
    T,
> = (Tensor<Rank3<N, B, HIDDEN>, f32, Dev, T>, Vec<Tensor<Rank2<B, S>, f32, Dev>>);
// ANCHOR_END: written

// ANCHOR: decoder_parameters
impl<const EMBED: usize, const HIDDEN: usize, C: Parameters> Parameters
    for Decoder<EMBED, HIDDEN, C>
{
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("rnn", self.rnn.parameters());
        all.extend(within("context", self.context.parameters()));
        all.push(("embedding".into(), &mut self.embedding));
        all.push(("w_context".into(), &mut self.w_context));
        all.push(("w_out".into(), &mut self.w_out));
        all.push(("b_out".into(), &mut self.b_out));
        all
    }
}
// ANCHOR_END: decoder_parameters
