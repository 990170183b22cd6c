// ANCHOR: header
//! Section 10.4, Bahdanau attention: a decoder that chooses, at each step,
//! what of the sentence it looks at.
//!
//! The rest of the model is that of the interlude.

use ch10_1::Dev;
use ch10_3::{AdditiveAttention, Attended, ValidLens, project};
use dfdx::prelude::*;
use seq2seq::context::{Context, Looked};
use seq2seq::encoder::Encoded;
use seq2seq::gru::{uniform, xavier};
use seq2seq::parameters::{Named, Parameters};
// ANCHOR_END: header

// ANCHOR: attention
/// Share of the weights that is set to 0 in training.
pub const DROPOUT: f32 = 0.1;

/// Attention of the decoder to the steps of the encoder. The query is the
/// state of the decoder's last layer, the keys and the values are the states
/// of the encoder's.
#[derive(Clone, Debug)]
pub struct Attention<const HIDDEN: usize>(
    pub AdditiveAttention<HIDDEN, HIDDEN, HIDDEN>,
);

impl<const HIDDEN: usize> Attention<HIDDEN> {
    /// As training starts from it.
    pub fn new(dev: &Dev, dropout: f32) -> Self {
        Attention(AdditiveAttention {
            w_q: uniform(dev, xavier(HIDDEN, HIDDEN)),
            w_k: uniform(dev, xavier(HIDDEN, HIDDEN)),
            w_v: uniform(dev, xavier(HIDDEN, 1)),
            dropout,
        })
    }
}
// ANCHOR_END: attention

// ANCHOR: attention_parameters
impl<const HIDDEN: usize> Parameters for Attention<HIDDEN> {
    fn parameters(&mut self) -> Named<'_> {
        vec![
            ("w_q".into(), &mut self.0.w_q),
            ("w_k".into(), &mut self.0.w_k),
            ("w_v".into(), &mut self.0.w_v),
        ]
    }
}
// ANCHOR_END: attention_parameters

// ANCHOR: memory
/// What the decoder attends to. The keys are projected once for a sentence.
pub struct Memory<const S: usize, const B: usize, const HIDDEN: usize> {
    /// Projected to the hidden units of the score.
    pub keys: Tensor<Rank3<B, S, HIDDEN>, f32, Dev>,
    /// The states of the encoder's last layer, the sentences first.
    pub values: Tensor<Rank3<B, S, HIDDEN>, f32, Dev>,
    /// How many steps of each sentence count.
    pub lens: ValidLens<B, 1>,
}
// ANCHOR_END: memory

// ANCHOR: context
impl<const HIDDEN: usize> Context<HIDDEN> for Attention<HIDDEN> {
    type Memory<const S: usize, const B: usize> = Memory<S, B, HIDDEN>;

    fn memory<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        encoded: &Encoded<S, B, HIDDEN>,
        tape: T,
    ) -> (Memory<S, B, HIDDEN>, T) {
        let outputs = encoded.outputs.clone().put_tape(tape);
        let values: Tensor<Rank3<B, S, HIDDEN>, f32, Dev, T> =
            outputs.permute::<_, Axes3<1, 0, 2>>().contiguous();
        let (values, tape) = values.split_tape();
        let keys = project(values.clone().put_tape(tape), &self.0.w_k);
        let (keys, tape) = keys.split_tape();
        let lens = ValidLens::PerExample(encoded.lens);
        (Memory { keys, values, lens }, tape)
    }

    fn context<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        query: Tensor<Rank2<B, HIDDEN>, f32, Dev, T>,
        memory: &Memory<S, B, HIDDEN>,
    ) -> Looked<S, B, HIDDEN, T> {
        let query: Tensor<Rank3<B, 1, HIDDEN>, f32, Dev, T> = query.reshape();
        let query = project(query, &self.0.w_q);
        let (keys, values) = (memory.keys.retaped(), memory.values.retaped());
        let attended = self.attend(query, keys, values, &memory.lens);
        let context = attended.output.reshape();
        (context, Some(attended.weights.reshape()))
    }
}
// ANCHOR_END: context

// ANCHOR: attend
/// What the attention of one step gives back.
type Step<const S: usize, const B: usize, const HIDDEN: usize, T> =
    Attended<Rank3<B, 1, HIDDEN>, Rank3<B, 1, S>, T>;

impl<const HIDDEN: usize> Attention<HIDDEN> {
    /// The attention of 10.3; on a processor, in one pass.
    fn attend<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        query: Tensor<Rank3<B, 1, HIDDEN>, f32, Dev, T>,
        keys: Tensor<Rank3<B, S, HIDDEN>, f32, Dev, T>,
        values: Tensor<Rank3<B, S, HIDDEN>, f32, Dev, T>,
        lens: &ValidLens<B, 1>,
    ) -> Step<S, B, HIDDEN, T> {
        #[cfg(not(feature = "cuda"))]
        return self.0.forward_fused(query, keys, values, lens);
        #[cfg(feature = "cuda")]
        self.0.forward_projected(query, keys, values, lens)
    }
}
// ANCHOR_END: attend
