// ANCHOR: translator_header
//! Interlude, from one language to another: an encoder and a decoder.

use crate::context::Context;
use crate::decoder::Decoder;
use crate::encoder::Encoder;
use crate::gru::{Gru, uniform, xavier};
use crate::loss::logits;
use crate::ops;
use crate::parameters::{Named, Parameters, within};
use crate::train::Learner;
use crate::vocab::{BOS, Batch, EOS};
use ch10_1::Dev;
use dfdx::prelude::*;
use support::Portable;
// ANCHOR_END: translator_header

// ANCHOR: translator
/// An encoder and a decoder.
#[derive(Clone, Debug)]
pub struct Translator<const EMBED: usize, const HIDDEN: usize, C> {
    /// Reads.
    pub encoder: Encoder<EMBED, HIDDEN>,
    /// Writes.
    pub decoder: Decoder<EMBED, HIDDEN, C>,
}
// ANCHOR_END: translator

// ANCHOR: dropouts
/// What is set to 0 in training, each time other numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dropouts {
    /// Share of the numbers in the vectors of the words.
    pub words: f32,
    /// Share of what goes up from one layer to the next.
    pub layers: f32,
}
// ANCHOR_END: dropouts

// ANCHOR: translator_impl
impl<const EMBED: usize, const HIDDEN: usize, C: Context<HIDDEN>>
    Translator<EMBED, HIDDEN, C>
{
    /// A model as training starts from it, for `words` of the language that
    /// is read and of the one that is written.
    pub fn new(
        dev: &Dev,
        words: (usize, usize),
        layers: usize,
        dropouts: Dropouts,
        context: C,
    ) -> Self {
        let normal = rand_distr::StandardNormal;
        let vectors = |words| dev.sample_like(&(words, Const::<EMBED>), normal);
        let inputs = EMBED + HIDDEN;
        let bias = 1.0 / (HIDDEN as f32).sqrt();
        let out = xavier(HIDDEN, words.1);
        let within = |bound: f32| rand_distr::Uniform::new(-bound, bound);
        let encoder = Encoder {
            embedding: vectors(words.0),
            dropout: dropouts.words,
            rnn: Gru::new(dev, EMBED, layers, dropouts.layers),
        };
        let decoder = Decoder {
            embedding: vectors(words.1),
            dropout: dropouts.words,
            context,
            w_context: uniform(dev, xavier(inputs, 3 * HIDDEN)),
            rnn: Gru::new(dev, inputs, layers, dropouts.layers),
            w_out: dev.sample_like(&(words.1, Const), within(out)),
            b_out: dev.sample_like(&(words.1,), within(bias)),
        };
        Translator { encoder, decoder }
    }

    /// The loss of each pair of a batch, with teacher forcing.
    pub fn loss<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B, S>,
        tape: T,
    ) -> Tensor<Rank1<B>, f32, Dev, T> {
        let (encoded, tape) =
            self.encoder.forward(&batch.source, &batch.source_lens, tape);
        let (mut writing, tape) = self.decoder.start(encoded, tape);
        let (states, _) = self.decoder.forward(&batch.forced(), &mut writing, tape);
        let words = self.decoder.words();
        ops::losses(states, words, &batch.target, &batch.target_lens)
    }

    /// What the decoder looks at while the right translations are put into
    /// its mouth: the weights of each step, if it attends.
    pub fn weights<const S: usize, const B: usize>(
        &self,
        batch: &Batch<B, S>,
    ) -> Vec<[[f32; S]; B]> {
        let (encoded, tape) =
            self.encoder.forward(&batch.source, &batch.source_lens, NoneTape);
        let (mut writing, tape) = self.decoder.start(encoded, tape);
        let (_, weights) = self.decoder.forward(&batch.forced(), &mut writing, tape);
        weights.iter().map(|weights| weights.array()).collect()
    }

    /// Translates a sentence: at each step the most probable token, until it
    /// is the end or S are written. Beside the tokens, the weights of each
    /// step if the decoder attends.
    pub fn translate<const S: usize>(
        &self,
        (source, len): ([usize; S], usize),
    ) -> (Vec<usize>, Vec<[f32; S]>) {
        let (encoded, tape) = self.encoder.forward(&[source], &[len], NoneTape);
        let (mut writing, _) = self.decoder.start(encoded, tape);
        let (mut written, mut weights) = (Vec::new(), Vec::new());
        let mut token = BOS;
        while written.len() < S {
            let (state, looked) =
                self.decoder.forward(&[[token]], &mut writing, NoneTape);
            let logits = logits(state, self.decoder.words());
            token = most_probable(&logits.as_vec());
            if token == EOS {
                break;
            }
            written.push(token);
            weights.extend(looked.iter().map(|row| row.array()[0]));
        }
        (written, weights)
    }
}
// ANCHOR_END: translator_impl

// ANCHOR: most_probable
fn most_probable(logits: &[f32]) -> usize {
    let words = logits.iter().enumerate();
    words.max_by(|a, b| a.1.total_cmp(b.1)).map_or(EOS, |(word, _)| word)
}
// ANCHOR_END: most_probable

// ANCHOR: translator_parameters
impl<const EMBED: usize, const HIDDEN: usize, C: Parameters> Parameters
    for Translator<EMBED, HIDDEN, C>
{
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("encoder", self.encoder.parameters());
        all.extend(within("decoder", self.decoder.parameters()));
        all
    }
}
// ANCHOR_END: translator_parameters

// ANCHOR: translator_learner
impl<const EMBED: usize, const HIDDEN: usize, C> Learner
    for Translator<EMBED, HIDDEN, C>
where
    C: Context<HIDDEN> + Portable,
{
    fn loss<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B, S>,
        tape: T,
    ) -> Tensor<Rank1<B>, f32, Dev, T> {
        Translator::loss(self, batch, tape)
    }

    fn answer<const S: usize>(&self, row: ([usize; S], usize)) -> Vec<usize> {
        self.translate(row).0
    }
}
// ANCHOR_END: translator_learner
