// ANCHOR: write_header
//! Section 10.7, decoder alone: writing on, token by token, with keys and
//! values kept. Nothing is trained in it.

use crate::attention::Seen;
use crate::decoder::Masked;
use crate::language::{LanguageModel, Rows, over};
use crate::ops;
use crate::writing::put_in;
use ch10_3::ValidLens;
use dfdx::prelude::*;
use rand::Rng;
use seq2seq::loss::logits;
use seq2seq::vocab::{BOS, EOS};
// ANCHOR_END: write_header

// ANCHOR: kept
/// What a writer keeps of the P positions that it may write: for each block
/// the keys and values of those that are written, the first `len`.
#[derive(Clone, Debug)]
pub struct Kept<const P: usize, const M: usize> {
    len: usize,
    seen: Vec<Seen<1, P, M>>,
}

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    LanguageModel<M, H, D, FFN>
{
    /// Ready to write at most P positions.
    pub fn start<const P: usize>(&self) -> Kept<P, M> {
        let zeros = || self.body.embedding.device().zeros();
        let none = |_| Seen { keys: zeros(), values: zeros() };
        Kept { len: 0, seen: self.body.blocks.iter().map(none).collect() }
    }

    /// The next position, at which `token` stands: its row, and its weights
    /// over the positions written.
    ///
    /// # Panics
    /// All P positions are written; or `token` is not in the vocabulary.
    pub fn step<const P: usize>(
        &self,
        token: usize,
        kept: &mut Kept<P, M>,
    ) -> Rows<1, H, 1, P, M> {
        let at = kept.len;
        assert!(at < P, "{P} positions are written, there is no room for more");
        kept.len += 1;
        let (words, positions) = (&self.body.embedding, &self.body.positions);
        let mut x = ops::embed(&[[token]], words, positions, at, NoneTape);
        let mut weights = Vec::new();
        for (block, seen) in self.body.blocks.iter().zip(&mut kept.seen) {
            let own = |new: Seen<1, 1, M>| {
                seen.keys = put_in(&seen.keys, at, new.keys);
                seen.values = put_in(&seen.values, at, new.values);
                let lens = ValidLens::PerExample([at + 1]);
                Masked { seen: seen.clone(), lens }
            };
            let after = over(block, x, own);
            x = after.output;
            weights.push(after.weights);
        }
        (self.finish(x), weights)
    }
}
// ANCHOR_END: kept

// ANCHOR: draw_token
/// Draws a token, from the end on, with the probabilities of its logits
/// divided by the temperature. At temperature 0 it is the likeliest.
pub fn draw(logits: &[f32], temperature: f32, rng: &mut impl Rng) -> usize {
    let tokens = EOS..logits.len();
    let likeliest = tokens.clone().max_by(|&a, &b| logits[a].total_cmp(&logits[b]));
    let likeliest = likeliest.unwrap_or(EOS);
    let max = logits[likeliest];
    let odds = |token: usize| ((logits[token] - max) / temperature).exp();
    if temperature == 0.0 {
        return likeliest;
    }
    let all: f32 = tokens.clone().map(odds).sum();
    let mut left = rng.gen_range(0.0..1.0) * all;
    for token in tokens {
        left -= odds(token);
        if left < 0.0 {
            return token;
        }
    }
    likeliest
}
// ANCHOR_END: draw_token

// ANCHOR: write
impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    LanguageModel<M, H, D, FFN>
{
    /// Writes on after `prompt`, each token by `choose`, which gets the
    /// logits: at most `most` tokens, to the end of the story, or until P
    /// tokens stand there in all.
    ///
    /// # Panics
    /// The prompt has P tokens or more.
    pub fn write<const P: usize>(
        &self,
        prompt: &[usize],
        most: usize,
        mut choose: impl FnMut(&[f32]) -> usize,
    ) -> Vec<usize> {
        let mut kept = self.start::<P>();
        let (mut row, _) = self.step(BOS, &mut kept);
        for &token in prompt {
            (row, _) = self.step(token, &mut kept);
        }
        let mut written = Vec::new();
        while written.len() < most && prompt.len() + written.len() < P {
            let token = choose(&logits(row, self.words()).as_vec());
            if token == EOS {
                break;
            }
            written.push(token);
            if kept.len == P {
                break;
            }
            (row, _) = self.step(token, &mut kept);
        }
        written
    }
}
// ANCHOR_END: write
