// ANCHOR: header
//! Interlude, what passes from the encoder to the decoder.

use crate::encoder::Encoded;
use ch10_2::parameters;
use ch10_2::parameters::Parameters;
use dfdx::prelude::*;
use kernels::{Dev, Tensor2};
// ANCHOR_END: header

// ANCHOR: context
/// How a decoder of HIDDEN units gets its **context** c at each step.
pub trait Context<const HIDDEN: usize>: Parameters {
    /// What is prepared once for B sentences of S tokens.
    type Memory<const B: usize, const S: usize>;

    /// Prepares it.
    fn memory<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        encoded: &Encoded<B, S, HIDDEN>,
        tape: T,
    ) -> (Self::Memory<B, S>, T);

    /// The context of a step. `query` is the state of the decoder's last layer
    /// before the step, (B, HIDDEN).
    fn context<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        query: Tensor2<B, HIDDEN, T>,
        memory: &Self::Memory<B, S>,
    ) -> ContextAndWeights<B, S, HIDDEN, T>;
}

/// What a context returns.
pub struct ContextAndWeights<const B: usize, const S: usize, const HIDDEN: usize, T> {
    /// The context.
    pub context: Tensor2<B, HIDDEN, T>,
    /// The weights of the S tokens that were read, if it attends to them.
    pub weights: Option<Tensor2<B, S>>,
}
// ANCHOR_END: context

// ANCHOR: fixed_context
/// One context for all steps: the last state of the encoder's last layer.
#[derive(Clone, Debug, Default)]
pub struct FixedContext;

parameters! { FixedContext {} }

impl<const HIDDEN: usize> Context<HIDDEN> for FixedContext {
    type Memory<const B: usize, const S: usize> = Tensor2<B, HIDDEN>;

    fn memory<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        encoded: &Encoded<B, S, HIDDEN>,
        tape: T,
    ) -> (Tensor2<B, HIDDEN>, T) {
        (encoded.state[encoded.state.len() - 1].clone(), tape)
    }

    fn context<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        query: Tensor2<B, HIDDEN, T>,
        memory: &Tensor2<B, HIDDEN>,
    ) -> ContextAndWeights<B, S, HIDDEN, T> {
        let (_, tape) = query.split_tape();
        ContextAndWeights { context: memory.clone().put_tape(tape), weights: None }
    }
}
// ANCHOR_END: fixed_context
