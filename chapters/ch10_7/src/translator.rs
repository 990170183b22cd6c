// ANCHOR: transformer
//! Section 10.7, from one language to another: encoder and decoder together,
//! trained and scored as the translators of the interlude and of section 10.4.

use crate::decoder::{DecoderAttentionWeights, TransformerDecoder};
use crate::encoder::TransformerEncoder;
use crate::norm::NormPosition;
use ch10_2::parameters;
use ch10_3::Mask;
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor3, Tensor4};
use seq2seq::greedy::greedy;
use seq2seq::loss::masked_cross_entropy;
use seq2seq::train::{Schedule, Seq2SeqModel};
use seq2seq::vocab::{Batch, PAD};

/// The model of Vaswani et al. 2017, "Attention Is All You Need".
#[derive(Clone, Debug)]
pub struct Transformer<const M: usize, const H: usize, const D: usize, const FFN: usize>
{
    /// Of the sentence that is read.
    pub encoder: TransformerEncoder<M, H, D, FFN>,
    /// Of the translation that is written.
    pub decoder: TransformerDecoder<M, H, D, FFN>,
}

parameters! { Transformer<M, H, D, FFN> { encoder, decoder } }
// ANCHOR_END: transformer

// ANCHOR: weights
/// All weights for B sentences and their translations, layer by layer.
pub struct TransformerWeights<const B: usize, const H: usize, const S: usize> {
    /// Of the encoder's self-attention.
    pub encoder: Vec<Tensor4<B, H, S, S>>,
    /// Of the two attentions of the decoder.
    pub decoder: Vec<DecoderAttentionWeights<B, H, S, S, S>>,
}
// ANCHOR_END: weights

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    Transformer<M, H, D, FFN>
{
    // ANCHOR: new
    /// For vocabularies of so many tokens, of the language that is read and of
    /// the one that is written. Does not build unless H·D = M.
    pub fn new(
        dev: &Dev,
        (source, target): (usize, usize),
        layers: usize,
        dropout: f32,
        norm_position: NormPosition,
    ) -> Self {
        Transformer {
            encoder: TransformerEncoder::new(
                dev,
                source,
                layers,
                dropout,
                norm_position,
            ),
            decoder: TransformerDecoder::new(
                dev,
                target,
                layers,
                dropout,
                norm_position,
            ),
        }
    }
    // ANCHOR_END: new

    // ANCHOR: forward
    /// The decoder's rows for `tokens` after the sentences `source`, and all
    /// weights. Of each sentence only the first `lens` tokens count.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        (source, source_lens): (&[[usize; S]; B], &[usize; B]),
        (tokens, lens): (&[[usize; S]; B], &[usize; B]),
        tape: T,
    ) -> (Tensor3<B, S, M, T>, TransformerWeights<B, H, S>) {
        let mask = Mask::valid_lens(*source_lens);
        let (memory, encoder) = self.encoder.forward(source, &mask, tape);
        let causal = Mask::causal_within(*lens);
        let (rows, decoder) = self.decoder.forward(tokens, &causal, memory, &mask);
        (rows, TransformerWeights { encoder, decoder })
    }
    // ANCHOR_END: forward

    // ANCHOR: translate
    /// Greedy translation of one sentence: at each step the most probable
    /// token, until that is the end or S are written.
    pub fn translate<const S: usize>(
        &self,
        source: [usize; S],
        len: usize,
    ) -> Vec<usize> {
        let (mut tokens, mut n) = ([PAD; S], 0);
        greedy(S, |token| {
            tokens[n] = token;
            n += 1;
            let (rows, _) =
                self.forward((&[source], &[len]), (&[tokens], &[n]), NoneTape);
            let row: Tensor3<1, 1, M> = rows.slice((.., n - 1..n, ..)).realize();
            self.decoder.output.logits(row).as_vec()
        })
    }
    // ANCHOR_END: translate
}

// ANCHOR: loss
impl<const M: usize, const H: usize, const D: usize, const FFN: usize> Seq2SeqModel
    for Transformer<M, H, D, FFN>
{
    fn loss<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B, S>,
        tape: T,
    ) -> Tensor1<B, T> {
        let (source, target) = (&batch.source, &batch.target);
        let (source_lens, lens) = (&batch.source_lens, &batch.target_lens);
        let inputs = batch.teacher_forcing();
        let (rows, _) = self.forward((source, source_lens), (&inputs, lens), tape);
        let output = &self.decoder.output;
        masked_cross_entropy(rows, &output.weight, &output.bias, target, lens)
    }

    fn decode<const S: usize>(&self, (source, len): ([usize; S], usize)) -> Vec<usize> {
        self.translate_cached(source, len)
    }
}
// ANCHOR_END: loss

// ANCHOR: settings
/// Width of the model of this section.
pub const WIDTH: usize = 64;
/// Heads of each attention layer.
pub const HEADS: usize = 4;
/// Width of a head.
pub const HEAD_WIDTH: usize = WIDTH / HEADS;
/// Hidden units of a feed-forward network.
pub const FFN: usize = 128;
/// The model of this section.
pub type BookTransformer = Transformer<WIDTH, HEADS, HEAD_WIDTH, FFN>;
/// Layers of its encoder, and of its decoder.
pub const LAYERS: usize = 2;
/// Probability of dropout in its layers.
pub const DROPOUT: f32 = 0.1;
/// How it is trained.
pub const SCHEDULE: Schedule =
    Schedule { epochs: 30, lr: 0.003, final_lr_fraction: 0.02, warm_up: 3 };
// ANCHOR_END: settings
