// ANCHOR: header
//! Reading a prompt in pieces and writing token by token, with a cache that is
//! written in place.

use super::grouped::GroupedQueryAttention;
use super::model::TodayDecoder;
use crate::language_model::write;
use dfdx::prelude::*;
use kernels::Tensor3;
use kernels::simd::{add_scaled, dot, softmax};
use seq2seq::loss::logits;
use seq2seq::vocab::BOS;
// ANCHOR_END: header

// ANCHOR: grouped_cache
/// Keys and values of P positions of one text, of which the first `len` are
/// written: for each layer, one row of KV·D numbers a position.
#[derive(Clone, Debug)]
pub struct GroupedCache<const P: usize, const KV: usize, const D: usize> {
    len: usize,
    layers: Vec<LayerCache>,
}

#[derive(Clone, Debug)]
struct LayerCache {
    keys: Vec<f32>,
    values: Vec<f32>,
}

impl<const P: usize, const KV: usize, const D: usize> GroupedCache<P, KV, D> {
    /// Returns an empty cache.
    pub fn new(layers: usize) -> Self {
        let zeros = vec![0.0; P * KV * D];
        let empty = LayerCache { keys: zeros.clone(), values: zeros };
        GroupedCache { len: 0, layers: vec![empty; layers] }
    }

    /// Returns how many bytes a position takes.
    pub fn bytes_per_token(&self) -> usize {
        2 * self.layers.len() * KV * D * size_of::<f32>()
    }
}
// ANCHOR_END: grouped_cache

impl<const M: usize, const H: usize, const KV: usize, const D: usize>
    GroupedQueryAttention<M, H, KV, D>
{
    // ANCHOR: cached
    /// Writes the keys and values of N positions, of which the first is `from`, and
    /// returns their rows, with attention to all that is in the window.
    fn read<const N: usize>(
        &self,
        x: Tensor3<1, N, M>,
        from: usize,
        window: usize,
        cache: &mut LayerCache,
    ) -> Tensor3<1, N, M> {
        let dev = x.device().clone();
        let (queries, keys, values) = self.project(x, from);
        let at = from * KV * D..(from + N) * KV * D;
        keys.copy_into(&mut cache.keys[at.clone()]);
        values.copy_into(&mut cache.values[at]);
        let mut found = vec![0.0; N * M];
        let heads = queries.as_vec();
        for (at, (query, found)) in heads.chunks(D).zip(found.chunks_mut(D)).enumerate()
        {
            let (end, head) = (from + at / H + 1, at % H / (H / KV));
            cache.attend::<KV>(query, end.saturating_sub(window)..end, head, found);
        }
        self.w_o.forward(dev.tensor_from_vec(found, Default::default()))
    }
    // ANCHOR_END: cached
}

impl LayerCache {
    // ANCHOR: cached_head
    /// Adds to `found` what a query finds at these positions in one of KV heads.
    fn attend<const KV: usize>(
        &self,
        query: &[f32],
        positions: std::ops::Range<usize>,
        head: usize,
        found: &mut [f32],
    ) {
        let d = query.len();
        let row = |at: usize| (at * KV + head) * d..(at * KV + head + 1) * d;
        let score = |at| dot(query, &self.keys[row(at)]) / (d as f32).sqrt();
        let mut weights: Vec<f32> = positions.clone().map(score).collect();
        softmax(&mut weights);
        for (at, weight) in positions.zip(weights) {
            add_scaled(found, weight, &self.values[row(at)]);
        }
    }
    // ANCHOR_END: cached_head
}

impl<const M: usize, const H: usize, const KV: usize, const D: usize, const FFN: usize>
    TodayDecoder<M, H, KV, D, FFN>
{
    // ANCHOR: read
    /// Reads the next N tokens in one pass, and returns their rows.
    ///
    /// # Panics
    /// If the cache has no room for them.
    pub fn read<const P: usize, const N: usize>(
        &self,
        tokens: &[usize; N],
        cache: &mut GroupedCache<P, KV, D>,
    ) -> Tensor3<1, N, M> {
        let from = cache.len;
        assert!(from + N <= P, "{from} of {P} positions are written, no room for {N}");
        cache.len += N;
        let mut x = self.embedding.forward(&[*tokens], from, NoneTape);
        for (block, layer) in self.blocks.iter().zip(&mut cache.layers) {
            x = block.forward(x, |x| block.attention.read(x, from, self.window, layer));
        }
        self.norm.forward(x)
    }
    // ANCHOR_END: read

    // ANCHOR: today_generate
    /// Continues `prompt` with tokens that `choose` picks from the logits: at most
    /// `most` of them, to the end of the text, or until the text has P tokens.
    ///
    /// # Panics
    /// If the prompt has P tokens or more.
    pub fn generate<const P: usize>(
        &self,
        prompt: &[usize],
        most: usize,
        choose: impl FnMut(&[f32]) -> usize,
    ) -> Vec<usize> {
        const PIECE: usize = 16;
        let mut cache: GroupedCache<P, KV, D> = GroupedCache::new(self.blocks.len());
        let prompt = [&[BOS], prompt].concat();
        let (pieces, rest) = prompt.as_chunks::<PIECE>();
        let mut scores = Vec::new();
        for piece in pieces {
            scores = self.last_logits(self.read(piece, &mut cache));
        }
        let mut next = |token| self.last_logits(self.read(&[token], &mut cache));
        for &token in rest {
            scores = next(token);
        }
        write(scores, most.min(P + 1 - prompt.len()), choose, next)
    }

    /// Returns the logits of the token that follows the last row.
    fn last_logits<const N: usize>(&self, rows: Tensor3<1, N, M>) -> Vec<f32> {
        let last: Tensor3<1, 1, M> = rows.slice((.., N - 1.., ..)).realize();
        logits(last, &self.embedding.vectors, &self.b_out).as_vec()
    }
    // ANCHOR_END: today_generate
}
