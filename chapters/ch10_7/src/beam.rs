// ANCHOR: hypothesis
//! Section 10.7, beam search: a translation out of several candidates.

use crate::kv_cache::DecoderCache;
use crate::translator::Transformer;
use ch10_3::Mask;
use dfdx::prelude::*;
use seq2seq::vocab::{BOS, EOS};

/// A beginning of a translation, or a whole one.
#[derive(Clone, Debug, Default)]
pub struct Hypothesis {
    /// Without the end.
    pub tokens: Vec<usize>,
    /// The logarithm of its probability; of a finished one, with the end.
    pub log_probability: f32,
    /// Whether it has come to its end.
    pub finished: bool,
}

impl Hypothesis {
    fn extended(&self, token: usize, log_probability: f32) -> Self {
        let mut next = Hypothesis { log_probability, ..self.clone() };
        match token {
            EOS => next.finished = true,
            token => next.tokens.push(token),
        }
        next
    }
}
// ANCHOR_END: hypothesis

// ANCHOR: beam
/// A hypothesis, and the decoder's cache after it.
type Beam<const S: usize, const M: usize> = Vec<(Hypothesis, DecoderCache<1, S, S, M>)>;
// ANCHOR_END: beam

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    Transformer<M, H, D, FFN>
{
    // ANCHOR: beam_search
    /// Translations of a sentence, the most probable first: after each step only
    /// the `width` most probable hypotheses go on; none if it is 0.
    pub fn beam_search<const S: usize>(
        &self,
        source: [usize; S],
        len: usize,
        width: usize,
    ) -> Vec<Hypothesis> {
        let (memory, _) =
            self.encoder.forward(&[source], &Mask::valid_lens([len]), NoneTape);
        let start = self.decoder.start::<1, S, S>(&memory, [len]);
        let mut beam = vec![(Hypothesis::default(), start)];
        for _ in 0..S {
            if beam.iter().all(|(hypothesis, _)| hypothesis.finished) {
                break;
            }
            beam = self.extend_beam(beam, width);
        }
        beam.into_iter().map(|(hypothesis, _)| hypothesis).collect()
    }
    // ANCHOR_END: beam_search

    // ANCHOR: extend_beam
    /// The best of all hypotheses that are one token longer, and of those that
    /// are finished.
    fn extend_beam<const S: usize>(
        &self,
        mut beam: Beam<S, M>,
        width: usize,
    ) -> Beam<S, M> {
        let mut candidates: Vec<(f32, usize, usize)> = Vec::new();
        for (from, (hypothesis, state)) in beam.iter_mut().enumerate() {
            let so_far = hypothesis.log_probability;
            if hypothesis.finished {
                candidates.push((so_far, from, EOS));
                continue;
            }
            let last = hypothesis.tokens.last().copied().unwrap_or(BOS);
            let (row, _) = self.decoder.step(&[last], state);
            let logs =
                self.decoder.output.logits(row).log_softmax::<Axis<2>>().as_vec();
            let tokens = logs.iter().enumerate();
            candidates.extend(tokens.map(|(token, log)| (so_far + log, from, token)));
        }
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0));
        let best = candidates.into_iter().take(width).map(|(log, from, token)| {
            let (hypothesis, state) = &beam[from];
            (hypothesis.extended(token, log), state.clone())
        });
        best.collect()
    }
    // ANCHOR_END: extend_beam
}
