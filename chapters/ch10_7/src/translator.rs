// ANCHOR: translator_header
//! Section 10.7, from one language to another: encoder and decoder together,
//! trained and asked as the translators of the interlude and of section 10.4.

use crate::decoder::{Looks, TransformerDecoder};
use crate::encoder::TransformerEncoder;
use crate::norm::NormAt;
use crate::ops;
use ch10_1::Dev;
use dfdx::prelude::*;
use seq2seq::loss::logits;
use seq2seq::parameters::{Named, Parameters, within};
use seq2seq::train::Learner;
use seq2seq::vocab::{BOS, Batch, EOS};
// ANCHOR_END: translator_header

// ANCHOR: transformer
/// The model of Vaswani et al. 2017, "Attention Is All You Need".
#[derive(Clone, Debug)]
pub struct Transformer<const M: usize, const H: usize, const D: usize, const FFN: usize>
{
    /// Reads.
    pub encoder: TransformerEncoder<M, H, D, FFN>,
    /// Writes.
    pub decoder: TransformerDecoder<M, H, D, FFN>,
}

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    Transformer<M, H, D, FFN>
{
    /// A model as training starts from it, for `words` of the language that
    /// is read and of the one that is written. Does not build unless H·D = M.
    pub fn new(
        dev: &Dev,
        words: (usize, usize),
        layers: usize,
        dropout: f32,
        at: NormAt,
    ) -> Self {
        Transformer {
            encoder: TransformerEncoder::new(dev, words.0, layers, dropout, at),
            decoder: TransformerDecoder::new(dev, words.1, layers, dropout, at),
        }
    }
}
// ANCHOR_END: transformer

// ANCHOR: learner
impl<const M: usize, const H: usize, const D: usize, const FFN: usize> Learner
    for Transformer<M, H, D, FFN>
{
    fn loss<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B, S>,
        tape: T,
    ) -> Tensor<Rank1<B>, f32, Dev, T> {
        let (read_lens, lens) = (&batch.source_lens, &batch.target_lens);
        let (read, _) = self.encoder.forward(&batch.source, read_lens, tape);
        let forced = batch.forced();
        let (rows, _) = self.decoder.forward(&forced, lens, read, read_lens);
        ops::losses(rows, self.decoder.words(), &batch.target, lens)
    }

    fn answer<const S: usize>(&self, row: ([usize; S], usize)) -> Vec<usize> {
        self.translate(row).0
    }
}
// ANCHOR_END: learner

// ANCHOR: translate
/// The weights of one step of one sentence, layer by layer.
pub type Step<const S: usize, const H: usize> = Vec<Looks<1, H, 1, S, S>>;

/// All weights for B sentences and their translations, layer by layer.
pub type Weights<const S: usize, const B: usize, const H: usize> =
    (Vec<Tensor<Rank4<B, H, S, S>, f32, Dev>>, Vec<Looks<B, H, S, S, S>>);

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    Transformer<M, H, D, FFN>
{
    /// Translates a sentence: at each step the most probable token, until it
    /// is the end or S are written. Beside the tokens, the weights of each
    /// step.
    pub fn translate<const S: usize>(
        &self,
        (source, len): ([usize; S], usize),
    ) -> (Vec<usize>, Vec<Step<S, H>>) {
        let (read, _) = self.encoder.forward(&[source], &[len], NoneTape);
        let mut writing = self.decoder.start::<1, S, S>(&read, &[len]);
        let (mut written, mut weights) = (Vec::new(), Vec::new());
        let mut token = BOS;
        while written.len() < S {
            let (row, looks) = self.decoder.step(&[token], &mut writing);
            let logits = logits(row, self.decoder.words());
            token = most_probable(&logits.as_vec());
            if token == EOS {
                break;
            }
            written.push(token);
            weights.push(looks);
        }
        (written, weights)
    }
}

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    Transformer<M, H, D, FFN>
{
    /// What the model looks at while the right translations are put into its
    /// mouth, layer by layer: the encoder, and the decoder.
    pub fn weights<const S: usize, const B: usize>(
        &self,
        batch: &Batch<B, S>,
    ) -> Weights<S, B, H> {
        let (read_lens, lens) = (&batch.source_lens, &batch.target_lens);
        let (read, own) = self.encoder.forward(&batch.source, read_lens, NoneTape);
        let forced = batch.forced();
        let (_, looks) = self.decoder.forward(&forced, lens, read, read_lens);
        (own, looks)
    }
}

fn most_probable(logits: &[f32]) -> usize {
    let words = logits.iter().enumerate();
    words.max_by(|a, b| a.1.total_cmp(b.1)).map_or(EOS, |(word, _)| word)
}
// ANCHOR_END: translate

// ANCHOR: transformer_parameters
impl<const M: usize, const H: usize, const D: usize, const FFN: usize> Parameters
    for Transformer<M, H, D, FFN>
{
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("encoder", self.encoder.parameters());
        all.extend(within("decoder", self.decoder.parameters()));
        all
    }
}
// ANCHOR_END: transformer_parameters
