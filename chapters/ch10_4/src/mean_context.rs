// ANCHOR: header
//! Section 10.4, a context that reads all states of the encoder and chooses
//! none: the control that separates access to the states from the choice among
//! them.

use ch10_2::parameters;
use ch10_3::{Mask, attend};
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3};
use seq2seq::context::{Context, ContextAndWeights};
use seq2seq::encoder::Encoded;
// ANCHOR_END: header

// ANCHOR: mean_context
/// One context for all steps: the mean of the encoder's states, padding left
/// out. It is attention whose scores are all 0.
#[derive(Clone, Debug, Default)]
pub struct MeanContext;

parameters! { MeanContext {} }

impl<const HIDDEN: usize> Context<HIDDEN> for MeanContext {
    type Memory<const B: usize, const S: usize> = Tensor2<B, HIDDEN>;

    fn memory<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        encoded: &Encoded<B, S, HIDDEN>,
        tape: T,
    ) -> (Tensor2<B, HIDDEN>, T) {
        let values = encoded.outputs.clone();
        let scores: Tensor3<B, 1, S> = values.device().zeros();
        let mask = Mask::valid_lens(encoded.lens);
        let mean = attend(scores.put_tape(tape), values.retaped(), &mask, 0.0).output;
        mean.reshape::<Rank2<B, HIDDEN>>().split_tape()
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
// ANCHOR_END: mean_context
