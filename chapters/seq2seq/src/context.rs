// ANCHOR: context_header
//! Interlude, what passes from the encoder to the decoder.

use crate::encoder::Encoded;
use crate::parameters::{Named, Parameters};
use ch10_1::Dev;
use dfdx::prelude::*;
// ANCHOR_END: context_header

// ANCHOR: context
/// How a decoder looks back at what was read: the **context** of a step.
pub trait Context<const HIDDEN: usize>: Parameters {
    /// What is prepared once for sentences.
    type Memory<const S: usize, const B: usize>;

    /// Prepares it.
    fn memory<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        encoded: &Encoded<S, B, HIDDEN>,
        tape: T,
    ) -> (Self::Memory<S, B>, T);

    /// The context for the step after the one that left the last layer of the
    /// decoder in the state `query`; and the weights, if it attends.
    fn context<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        query: Tensor<Rank2<B, HIDDEN>, f32, Dev, T>,
        memory: &Self::Memory<S, B>,
    ) -> Looked<S, B, HIDDEN, T>;
}

/// A context and, if it was attended for, the weights of the tokens read.
pub type Looked<const S: usize, const B: usize, const HIDDEN: usize, T> =
    (Tensor<Rank2<B, HIDDEN>, f32, Dev, T>, Option<Tensor<Rank2<B, S>, f32, Dev>>);
// ANCHOR_END: context

// ANCHOR: last_state
/// One context for all steps: the state in which the encoder ended.
#[derive(Clone, Debug, Default)]
pub struct LastState;

impl Parameters for LastState {
    fn parameters(&mut self) -> Named<'_> {
        vec![]
    }
}

impl<const HIDDEN: usize> Context<HIDDEN> for LastState {
    type Memory<const S: usize, const B: usize> = Tensor<Rank2<B, HIDDEN>, f32, Dev>;

    fn memory<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        encoded: &Encoded<S, B, HIDDEN>,
        tape: T,
    ) -> (Self::Memory<S, B>, T) {
        (encoded.state[encoded.state.len() - 1].clone(), tape)
    }

    fn context<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        query: Tensor<Rank2<B, HIDDEN>, f32, Dev, T>,
        memory: &Self::Memory<S, B>,
    ) -> Looked<S, B, HIDDEN, T> {
        let (_, tape) = query.split_tape();
        (memory.clone().put_tape(tape), None)
    }
}
// ANCHOR_END: last_state
