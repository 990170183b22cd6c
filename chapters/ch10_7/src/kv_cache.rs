// ANCHOR: cache
//! Section 10.7, writing token by token: keys and values of the positions that
//! are written stay in a cache, and are not computed again.

use crate::decoder::{DecoderAttentionWeights, DecoderBlock, TransformerDecoder};
use crate::encoder::{EncoderBlock, TransformerEncoder};
use crate::norm::finish;
use ch10_3::Mask;
use ch10_5::KeyValues;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};
use seq2seq::greedy::greedy;

/// The keys and values of P positions for each layer, of which the first `len`
/// are written.
#[derive(Clone, Debug)]
pub struct KvCache<const B: usize, const P: usize, const M: usize> {
    len: usize,
    layers: Vec<KeyValues<B, P, M>>,
}

impl<const B: usize, const P: usize, const M: usize> KvCache<B, P, M> {
    /// Nothing is written yet.
    pub fn new(dev: &Dev, layers: usize) -> Self {
        let empty = |_| KeyValues { keys: dev.zeros(), values: dev.zeros() };
        KvCache { len: 0, layers: (0..layers).map(empty).collect() }
    }

    /// How many positions are written.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Makes room for the next position; returns which one it is.
    ///
    /// # Panics
    /// All P positions are written.
    fn grow(&mut self) -> usize {
        assert!(self.len < P, "all {P} positions of the cache are written");
        self.len += 1;
        self.len - 1
    }
}
// ANCHOR_END: cache

// ANCHOR: write_at
/// `all` with `row` of each example at the position `at`.
fn write_at<const B: usize, const P: usize, const M: usize>(
    all: &mut Tensor3<B, P, M>,
    at: usize,
    row: Tensor3<B, 1, M>,
) {
    let (mut cells, row) = (all.as_vec(), row.as_vec());
    for (example, row) in cells.chunks_mut(P * M).zip(row.chunks(M)) {
        example[at * M..][..M].copy_from_slice(row);
    }
    *all = all.device().tensor_from_vec(cells, Default::default());
}

/// Writes the keys and values of one position; returns all of the layer.
fn extend<const B: usize, const P: usize, const M: usize>(
    layer: &mut KeyValues<B, P, M>,
    at: usize,
    new: KeyValues<B, 1, M>,
) -> KeyValues<B, P, M> {
    write_at(&mut layer.keys, at, new.keys);
    write_at(&mut layer.values, at, new.values);
    layer.clone()
}
// ANCHOR_END: write_at

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    DecoderBlock<M, H, D, FFN>
{
    // ANCHOR: block_step
    /// The position `at`, of which `x` is the row, with the caches of its two
    /// attentions.
    fn step<const B: usize, const P: usize, const K: usize>(
        &self,
        x: Tensor3<B, 1, M>,
        at: usize,
        layer: &mut KeyValues<B, P, M>,
        memory: &KeyValues<B, K, M>,
        memory_mask: &Mask<B, 1, K>,
    ) -> (Tensor3<B, 1, M>, DecoderAttentionWeights<B, H, 1, P, K>) {
        let (x, self_attention) = self.attention_residual.forward(x, |x| {
            let new = self.self_attention.project_kv(x.clone(), x.clone());
            let (all, mask) = (extend(layer, at, new), Mask::valid_lens([at + 1; B]));
            let attended = self.self_attention.attend(x, all, &mask);
            (attended.output, attended.weights)
        });
        let (x, cross_attention) = self.cross_residual.forward(x, |x| {
            let attended = self.cross_attention.attend(x, memory.clone(), memory_mask);
            (attended.output, attended.weights)
        });
        let (x, ()) = self
            .feed_forward_residual
            .forward(x, |x| (self.feed_forward.forward(x), ()));
        (x, DecoderAttentionWeights { self_attention, cross_attention })
    }
    // ANCHOR_END: block_step
}

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    EncoderBlock<M, H, D, FFN>
{
    // ANCHOR: causal_block_step
    /// The same for a block without cross-attention.
    fn step<const B: usize, const P: usize>(
        &self,
        x: Tensor3<B, 1, M>,
        at: usize,
        layer: &mut KeyValues<B, P, M>,
    ) -> (Tensor3<B, 1, M>, Tensor4<B, H, 1, P>) {
        let (x, weights) = self.attention_residual.forward(x, |x| {
            let new = self.self_attention.project_kv(x.clone(), x.clone());
            let (all, mask) = (extend(layer, at, new), Mask::valid_lens([at + 1; B]));
            let attended = self.self_attention.attend(x, all, &mask);
            (attended.output, attended.weights)
        });
        let (x, ()) = self
            .feed_forward_residual
            .forward(x, |x| (self.feed_forward.forward(x), ()));
        (x, weights)
    }
    // ANCHOR_END: causal_block_step
}

// ANCHOR: state
/// What a decoder keeps from step to step: its cache, and the keys and values of
/// the encoder's rows, which are projected once.
#[derive(Clone, Debug)]
pub struct DecoderCache<const B: usize, const P: usize, const K: usize, const M: usize>
{
    cache: KvCache<B, P, M>,
    memory: Vec<KeyValues<B, K, M>>,
    memory_mask: Mask<B, 1, K>,
}
// ANCHOR_END: state

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    TransformerDecoder<M, H, D, FFN>
{
    // ANCHOR: start
    /// Ready to write at most P positions. Of the encoder's rows `memory` only
    /// the first `lens` count.
    pub fn start<const B: usize, const P: usize, const K: usize>(
        &self,
        memory: &Tensor3<B, K, M>,
        lens: [usize; B],
    ) -> DecoderCache<B, P, K, M> {
        let project = |block: &DecoderBlock<M, H, D, FFN>| {
            block.cross_attention.project_kv(memory.clone(), memory.clone())
        };
        DecoderCache {
            cache: KvCache::new(memory.device(), self.blocks.len()),
            memory: self.blocks.iter().map(project).collect(),
            memory_mask: Mask::valid_lens(lens),
        }
    }
    // ANCHOR_END: start

    // ANCHOR: step
    /// The next position, at which the `tokens` stand: its row, and its weights
    /// in each layer.
    ///
    /// # Panics
    /// All P positions are written; or as [`crate::TokenEmbedding::forward`].
    pub fn step<const B: usize, const P: usize, const K: usize>(
        &self,
        tokens: &[usize; B],
        state: &mut DecoderCache<B, P, K, M>,
    ) -> (Tensor3<B, 1, M>, Vec<DecoderAttentionWeights<B, H, 1, P, K>>) {
        let at = state.cache.grow();
        let mut x = self.embedding.forward(&tokens.map(|token| [token]), at, NoneTape);
        let mut weights = Vec::new();
        let layers = state.cache.layers.iter_mut().zip(&state.memory);
        for (block, (layer, memory)) in self.blocks.iter().zip(layers) {
            let (after, attention) =
                block.step(x, at, layer, memory, &state.memory_mask);
            x = after;
            weights.push(attention);
        }
        (finish(&self.norm, x), weights)
    }
    // ANCHOR_END: step
}

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    TransformerEncoder<M, H, D, FFN>
{
    // ANCHOR: causal_step
    /// The same for blocks without an encoder (a language model): the next
    /// position of a causal stack.
    ///
    /// # Panics
    /// As [`TransformerDecoder::step`].
    pub fn step<const B: usize, const P: usize>(
        &self,
        tokens: &[usize; B],
        cache: &mut KvCache<B, P, M>,
    ) -> (Tensor3<B, 1, M>, Vec<Tensor4<B, H, 1, P>>) {
        let at = cache.grow();
        let mut x = self.embedding.forward(&tokens.map(|token| [token]), at, NoneTape);
        let mut weights = Vec::new();
        for (block, layer) in self.blocks.iter().zip(&mut cache.layers) {
            let (after, attention) = block.step(x, at, layer);
            x = after;
            weights.push(attention);
        }
        (finish(&self.norm, x), weights)
    }
    // ANCHOR_END: causal_step
}

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    crate::Transformer<M, H, D, FFN>
{
    // ANCHOR: translate_cached
    /// [`translate`](crate::Transformer::translate) with a cache.
    pub fn translate_cached<const S: usize>(
        &self,
        source: [usize; S],
        len: usize,
    ) -> Vec<usize> {
        let mask = Mask::valid_lens([len]);
        let (memory, _) = self.encoder.forward(&[source], &mask, NoneTape);
        let mut state = self.decoder.start::<1, S, S>(&memory, [len]);
        greedy(S, |token| {
            let (row, _) = self.decoder.step(&[token], &mut state);
            self.decoder.output.logits(row).as_vec()
        })
    }
    // ANCHOR_END: translate_cached
}
