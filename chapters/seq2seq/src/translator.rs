// ANCHOR: header
//! Interlude, from one language to another: an encoder and a decoder.

use crate::context::Context;
use crate::decoder::Decoder;
use crate::embedding::Embedding;
use crate::encoder::Encoder;
use crate::greedy::greedy;
use crate::gru::Gru;
use crate::loss::masked_cross_entropy;
use crate::train::Seq2SeqModel;
use crate::vocab::Batch;
use ch10_2::parameters;
use dfdx::prelude::*;
use kernels::{Dev, MaybeSend, Tensor1};
// ANCHOR_END: header

// ANCHOR: translator
/// An encoder and a decoder.
#[derive(Clone, Debug)]
pub struct Translator<const EMBED: usize, const HIDDEN: usize, C> {
    /// Reads.
    pub encoder: Encoder<EMBED, HIDDEN>,
    /// Writes.
    pub decoder: Decoder<EMBED, HIDDEN, C>,
}

parameters! { Translator<EMBED, HIDDEN; C> { encoder, decoder } }
// ANCHOR_END: translator

// ANCHOR: size
/// What a translator's type does not say.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Layers of the encoder, and of the decoder.
    pub layers: usize,
    /// Probability of dropout on the vectors of the tokens.
    pub embedding_dropout: f32,
    /// Probability of dropout between two layers.
    pub layer_dropout: f32,
}
// ANCHOR_END: size

// ANCHOR: translation
/// A translation, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation<const S: usize> {
    /// Its tokens, without the end.
    pub tokens: Vec<usize>,
    /// Of each of its tokens, and of the end, the weights of the S tokens that
    /// were read; none if the decoder does not attend.
    pub weights: Vec<[f32; S]>,
}
// ANCHOR_END: translation

impl<const EMBED: usize, const HIDDEN: usize, C: Context<HIDDEN>>
    Translator<EMBED, HIDDEN, C>
{
    // ANCHOR: translator_new
    /// For vocabularies of these sizes, as training starts from it.
    pub fn new(
        dev: &Dev,
        (source, target): (usize, usize),
        config: &Config,
        context: C,
    ) -> Self {
        let encoder = Encoder {
            embedding: Embedding::new(dev, source),
            dropout: config.embedding_dropout,
            rnn: Gru::new(dev, EMBED, config.layers, config.layer_dropout),
        };
        let decoder = Decoder::new(dev, target, config, context);
        Translator { encoder, decoder }
    }
    // ANCHOR_END: translator_new

    // ANCHOR: translator_loss
    /// The loss of each pair of a batch, with teacher forcing.
    pub fn loss<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B, S>,
        tape: T,
    ) -> Tensor1<B, T> {
        let Batch { source, source_lens, target, target_lens } = batch;
        let (encoded, tape) = self.encoder.forward(source, source_lens, tape);
        let (mut state, tape) = self.decoder.start(encoded, tape);
        let (states, _) =
            self.decoder.forward(&batch.teacher_forcing(), &mut state, tape);
        let output = &self.decoder.output;
        masked_cross_entropy(states, &output.weight, &output.bias, target, target_lens)
    }
    // ANCHOR_END: translator_loss

    // ANCHOR: translate
    /// Translates a sentence, given as its tokens and its valid length, by
    /// greedy decoding.
    pub fn translate<const S: usize>(
        &self,
        (source, len): ([usize; S], usize),
    ) -> Translation<S> {
        let (encoded, tape) = self.encoder.forward(&[source], &[len], NoneTape);
        let (mut state, _) = self.decoder.start(encoded, tape);
        let mut weights = Vec::new();
        let tokens = greedy(S, |token| {
            let (hidden, of_step) =
                self.decoder.forward(&[[token]], &mut state, NoneTape);
            weights.extend(of_step.iter().map(|weights| weights.array()[0]));
            self.decoder.output.logits(hidden).as_vec()
        });
        Translation { tokens, weights }
    }
    // ANCHOR_END: translate

    // ANCHOR: weights
    /// The weights of each step while the decoder reads the right translations
    /// of a batch, if it attends.
    pub fn weights<const B: usize, const S: usize>(
        &self,
        batch: &Batch<B, S>,
    ) -> Vec<[[f32; S]; B]> {
        let Batch { source, source_lens, .. } = batch;
        let (encoded, tape) = self.encoder.forward(source, source_lens, NoneTape);
        let (mut state, tape) = self.decoder.start(encoded, tape);
        let (_, weights) =
            self.decoder.forward(&batch.teacher_forcing(), &mut state, tape);
        weights.iter().map(|weights| weights.array()).collect()
    }
    // ANCHOR_END: weights
}

// ANCHOR: translator_model
impl<const EMBED: usize, const HIDDEN: usize, C> Seq2SeqModel
    for Translator<EMBED, HIDDEN, C>
where
    C: Context<HIDDEN> + MaybeSend,
{
    fn loss<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B, S>,
        tape: T,
    ) -> Tensor1<B, T> {
        Translator::loss(self, batch, tape)
    }

    fn decode<const S: usize>(&self, source: ([usize; S], usize)) -> Vec<usize> {
        self.translate(source).tokens
    }
}
// ANCHOR_END: translator_model
