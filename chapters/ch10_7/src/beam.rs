// ANCHOR: beam_header
//! Section 10.7, an exercise: a translation out of several candidates.

use crate::translator::Transformer;
use crate::writing::Writing;
use dfdx::prelude::*;
use seq2seq::loss::logits;
use seq2seq::vocab::{BOS, EOS};
// ANCHOR_END: beam_header

// ANCHOR: candidate
/// A beginning of a translation, or a whole one.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    /// Without the end.
    pub tokens: Vec<usize>,
    /// The logarithm of its probability, the end included.
    pub log: f32,
    /// It has come to its end.
    pub whole: bool,
}

impl Candidate {
    fn with(&self, token: usize, log: f32) -> Self {
        let mut next = Candidate { log, ..self.clone() };
        if token == EOS {
            next.whole = true;
        } else {
            next.tokens.push(token);
        }
        next
    }
}

type Kept<const S: usize, const M: usize> = (Candidate, Writing<1, S, S, M>);
// ANCHOR_END: candidate

// ANCHOR: beam
impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    Transformer<M, H, D, FFN>
{
    /// Translations of a sentence, the most probable first: at each step the
    /// `width` most probable beginnings are kept, and all others given up.
    pub fn beam<const S: usize>(
        &self,
        (source, len): ([usize; S], usize),
        width: usize,
    ) -> Vec<Candidate> {
        let (read, _) = self.encoder.forward(&[source], &[len], NoneTape);
        let writing = self.decoder.start::<1, S, S>(&read, &[len]);
        let mut kept = vec![(Candidate::default(), writing)];
        for _ in 0..S {
            if kept.iter().all(|(candidate, _)| candidate.whole) {
                break;
            }
            kept = self.longer(kept, width);
        }
        kept.into_iter().map(|(candidate, _)| candidate).collect()
    }

    /// The best among all that are one token longer, and those that are whole.
    fn longer<const S: usize>(
        &self,
        mut kept: Vec<Kept<S, M>>,
        width: usize,
    ) -> Vec<Kept<S, M>> {
        let mut next: Vec<(f32, usize, usize)> = Vec::new();
        for (from, (candidate, writing)) in kept.iter_mut().enumerate() {
            if candidate.whole {
                next.push((candidate.log, from, EOS));
                continue;
            }
            let last = candidate.tokens.last().copied().unwrap_or(BOS);
            let (row, _) = self.decoder.step(&[last], writing);
            let logs = logits(row, self.decoder.words());
            let logs = logs.log_softmax::<Axis<2>>().as_vec();
            let logs = logs.iter().map(|log| candidate.log + log).enumerate();
            next.extend(logs.map(|(token, log)| (log, from, token)));
        }
        next.sort_by(|a, b| b.0.total_cmp(&a.0));
        let best = next.into_iter().take(width).map(|(log, from, token)| {
            let (candidate, writing) = &kept[from];
            (candidate.with(token, log), writing.clone())
        });
        best.collect()
    }
}
// ANCHOR_END: beam
