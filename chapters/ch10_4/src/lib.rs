// ANCHOR: header
//! Section 10.4, Bahdanau attention: a decoder that chooses, at each step, which
//! of the tokens that were read to attend to. The rest of the model is that of
//! the interlude.

pub mod mean_context;
pub mod task;

use ch10_2::parameters;
use ch10_3::{AdditiveAttention, Mask};
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3};
use seq2seq::context::{Context, ContextAndWeights};
use seq2seq::encoder::Encoded;
use seq2seq::train::Schedule;
use seq2seq::translator::{Config, Translator};
// ANCHOR_END: header

// ANCHOR: attention
/// A decoder's attention to the steps of the encoder: the additive attention of
/// section 10.3 in the place of the interlude's fixed context.
#[derive(Clone, Debug)]
pub struct BahdanauAttention<const HIDDEN: usize> {
    /// Scores a state of the decoder against a state of the encoder.
    pub additive: AdditiveAttention<HIDDEN, HIDDEN, HIDDEN>,
}

parameters! { BahdanauAttention<HIDDEN> { additive } }
// ANCHOR_END: attention

// ANCHOR: new
impl<const HIDDEN: usize> BahdanauAttention<HIDDEN> {
    /// As training starts from it; `dropout` is that of the weights.
    pub fn new(dev: &Dev, dropout: f32) -> Self {
        BahdanauAttention { additive: AdditiveAttention::new(dev, dropout) }
    }
}
// ANCHOR_END: new

// ANCHOR: memory
/// What the decoder attends to.
pub struct Memory<const B: usize, const S: usize, const HIDDEN: usize> {
    /// W_k h: the keys, projected once for all steps of the decoder.
    pub keys: Tensor3<B, S, HIDDEN>,
    /// h: the states of the encoder's last layer.
    pub values: Tensor3<B, S, HIDDEN>,
    /// Which of them belong to the sentence.
    pub mask: Mask<B, 1, S>,
}
// ANCHOR_END: memory

// ANCHOR: context
impl<const HIDDEN: usize> Context<HIDDEN> for BahdanauAttention<HIDDEN> {
    type Memory<const B: usize, const S: usize> = Memory<B, S, HIDDEN>;

    fn memory<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        encoded: &Encoded<B, S, HIDDEN>,
        tape: T,
    ) -> (Memory<B, S, HIDDEN>, T) {
        let values = encoded.outputs.clone();
        let keys = self.additive.w_k.forward(values.clone().put_tape(tape));
        let (keys, tape) = keys.split_tape();
        (Memory { keys, values, mask: Mask::valid_lens(encoded.lens) }, tape)
    }

    fn context<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        query: Tensor2<B, HIDDEN, T>,
        memory: &Memory<B, S, HIDDEN>,
    ) -> ContextAndWeights<B, S, HIDDEN, T> {
        let query: Tensor3<B, 1, HIDDEN, T> = query.reshape();
        let query = self.additive.w_q.forward(query);
        let (keys, values) = (memory.keys.retaped(), memory.values.retaped());
        let attended =
            self.additive.forward_projected(query, keys, values, &memory.mask);
        let weights: Tensor2<B, S> = attended.weights.reshape();
        ContextAndWeights { context: attended.output.reshape(), weights: Some(weights) }
    }
}
// ANCHOR_END: context

// ANCHOR: setting
/// The width of the embeddings and of the states.
pub const WIDTH: usize = 64;
/// Probability of dropout on the weights.
pub const DROPOUT: f32 = 0.1;
/// One layer, and dropout on the vectors of the tokens.
pub const CONFIG: Config =
    Config { layers: 1, embedding_dropout: 0.15, layer_dropout: 0.0 };
/// A learning rate that does not fall.
pub const SCHEDULE: Schedule =
    Schedule { epochs: 40, lr: 0.005, final_lr_fraction: 1.0, warm_up: 0 };

/// The translator of this section.
pub type AttentionTranslator = Translator<WIDTH, WIDTH, BahdanauAttention<WIDTH>>;

/// A translator as training starts from it, for vocabularies of these sizes.
pub fn translator(dev: &Dev, sizes: (usize, usize)) -> AttentionTranslator {
    Translator::new(dev, sizes, &CONFIG, BahdanauAttention::new(dev, DROPOUT))
}
// ANCHOR_END: setting
