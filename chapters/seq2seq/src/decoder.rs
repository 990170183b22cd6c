// ANCHOR: header
//! Interlude, the decoder: it writes a sentence.

use crate::context::{Context, ContextAndWeights};
use crate::embedding::Embedding;
use crate::encoder::{Encoded, batch_first, steps_first};
use crate::gru::{Gru, State, gate_preactivations, scan};
use crate::loss::OutputLayer;
use crate::translator::Config;
use ch10_2::parameters;
use ch10_3::{dropout, xavier_uniform};
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3};
// ANCHOR_END: header

// ANCHOR: decoder
/// Writes sentences.
#[derive(Clone, Debug)]
pub struct Decoder<const EMBED: usize, const HIDDEN: usize, C> {
    /// The vectors of the tokens that are written.
    pub embedding: Embedding<EMBED>,
    /// Probability of dropout on those vectors.
    pub dropout: f32,
    /// Where the context of a step comes from.
    pub context: C,
    /// From the context to the gates of the first layer.
    pub w_context: Tensor3<3, HIDDEN, HIDDEN>,
    /// Its steps.
    pub rnn: Gru<EMBED, HIDDEN>,
    /// From the state of the last layer to the logits of the tokens.
    pub output: OutputLayer<HIDDEN>,
}

parameters! {
    Decoder<EMBED, HIDDEN; C> { embedding, context, w_context, rnn, output }
}

/// What a decoder carries from step to step.
pub struct DecoderState<const B: usize, const HIDDEN: usize, M> {
    /// The states of all layers.
    pub hidden: State<B, HIDDEN>,
    /// What its context is taken from.
    pub memory: M,
}
// ANCHOR_END: decoder

impl<const EMBED: usize, const HIDDEN: usize, C: Context<HIDDEN>>
    Decoder<EMBED, HIDDEN, C>
{
    // ANCHOR: decoder_start
    /// The state before the first step: the one in which the encoder ended.
    pub fn start<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        encoded: Encoded<B, S, HIDDEN>,
        tape: T,
    ) -> (DecoderState<B, HIDDEN, C::Memory<B, S>>, T) {
        let (memory, tape) = self.context.memory(&encoded, tape);
        (DecoderState { hidden: encoded.state, memory }, tape)
    }
    // ANCHOR_END: decoder_start

    // ANCHOR: decoder_step
    /// One step: from what the token contributes to the gates of the first
    /// layer, (3, B, HIDDEN), to the new state of the last one.
    fn step<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        token: Tensor3<3, B, HIDDEN, T>,
        state: &mut DecoderState<B, HIDDEN, C::Memory<B, S>>,
    ) -> (Tensor2<B, HIDDEN, T>, Option<Tensor2<B, S>>) {
        let (token, tape) = token.split_tape();
        let query = state.hidden[state.hidden.len() - 1].clone().put_tape(tape);
        let ContextAndWeights { context, weights } =
            self.context.context(query, &state.memory);
        let context: Tensor3<1, B, HIDDEN, T> = context.reshape();
        let context: Tensor3<3, B, HIDDEN, T> =
            gate_preactivations(context, &self.w_context).reshape();
        let x = kernels::add(token, context, |token, context| context + token);
        (self.rnn.step(x, &mut state.hidden), weights)
    }
    // ANCHOR_END: decoder_step

    // ANCHOR: decoder_forward
    /// N steps; step n reads `tokens[b][n]` of sentence b. The result is the
    /// states of the last layer, (B, N, HIDDEN), and the weights of each step
    /// if the context attends.
    pub fn forward<
        const B: usize,
        const S: usize,
        const N: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        tokens: &[[usize; N]; B],
        state: &mut DecoderState<B, HIDDEN, C::Memory<B, S>>,
        tape: T,
    ) -> (Tensor3<B, N, HIDDEN, T>, Vec<Tensor2<B, S>>) {
        let x = self.embedding.forward(&steps_first(tokens), tape);
        let x = self.rnn.first.input(dropout(x, self.dropout));
        let mut weights = Vec::new();
        let states = scan(x, |token| {
            let (hidden, of_step) = self.step(token, state);
            weights.extend(of_step);
            hidden
        });
        (batch_first(states), weights)
    }
    // ANCHOR_END: decoder_forward

    // ANCHOR: decoder_new
    /// For a vocabulary of `vocab_size` tokens. The first layer reads EMBED +
    /// HIDDEN numbers: a token's vector and a context.
    pub fn new(dev: &Dev, vocab_size: usize, config: &Config, context: C) -> Self {
        let inputs = EMBED + HIDDEN;
        Decoder {
            embedding: Embedding::new(dev, vocab_size),
            dropout: config.embedding_dropout,
            context,
            w_context: xavier_uniform(dev, inputs, 3 * HIDDEN),
            rnn: Gru::new(dev, inputs, config.layers, config.layer_dropout),
            output: OutputLayer::new(dev, vocab_size),
        }
    }
    // ANCHOR_END: decoder_new
}
