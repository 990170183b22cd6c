// ANCHOR: writing_header
//! Section 10.7, the decoder position by position: keys and values of what is
//! written are kept, not computed again.

use crate::attention::{Seen, see};
use crate::decoder::{DecoderBlock, Masked, TransformerDecoder, Written};
use crate::ops;
use ch10_1::Dev;
use ch10_3::ValidLens;
use dfdx::prelude::*;
// ANCHOR_END: writing_header

// ANCHOR: writing
/// What a decoder keeps while it writes, position by position: the keys and
/// values of its P positions, of which `len` are written, and those of what
/// was read. Nothing is projected twice.
#[derive(Clone, Debug)]
pub struct Writing<const B: usize, const P: usize, const K: usize, const M: usize> {
    /// How many positions are written.
    pub len: usize,
    written: Vec<Seen<B, P, M>>,
    read: Vec<Seen<B, K, M>>,
    read_lens: [usize; B],
}
// ANCHOR_END: writing

// ANCHOR: put_in
/// `all` with `row` of each example in the place of its position `at`.
pub(crate) fn put_in<const B: usize, const P: usize, const M: usize>(
    all: &Tensor<Rank3<B, P, M>, f32, Dev>,
    at: usize,
    row: Tensor<Rank3<B, 1, M>, f32, Dev>,
) -> Tensor<Rank3<B, P, M>, f32, Dev> {
    let (mut cells, row) = (all.as_vec(), row.as_vec());
    for (example, row) in cells.chunks_mut(P * M).zip(row.chunks(M)) {
        example[at * M..][..M].copy_from_slice(row);
    }
    all.device().tensor_from_vec(cells, Default::default())
}
// ANCHOR_END: put_in

// ANCHOR: decoder_step
impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    TransformerDecoder<M, H, D, FFN>
{
    /// Ready to write at most P positions after what was `read`.
    pub fn start<const B: usize, const P: usize, const K: usize>(
        &self,
        read: &Tensor<Rank3<B, K, M>, f32, Dev>,
        read_lens: &[usize; B],
    ) -> Writing<B, P, K, M> {
        let zeros = || read.device().zeros();
        let none = || Seen { keys: zeros(), values: zeros() };
        let there = |block: &DecoderBlock<M, H, D, FFN>| {
            see(&block.cross_attention, read.clone())
        };
        Writing {
            len: 0,
            written: self.blocks.iter().map(|_| none()).collect(),
            read: self.blocks.iter().map(there).collect(),
            read_lens: *read_lens,
        }
    }

    /// The next position, at which the `tokens` stand. The rows of those
    /// before it are not computed again.
    ///
    /// # Panics
    /// All P positions are written; or a token is not in the vocabulary.
    pub fn step<const B: usize, const P: usize, const K: usize>(
        &self,
        tokens: &[usize; B],
        writing: &mut Writing<B, P, K, M>,
    ) -> Written<B, H, 1, P, K, M> {
        let (at, tokens) = (writing.len, tokens.map(|token| [token]));
        assert!(at < P, "{P} positions are written, there is no room for more");
        writing.len += 1;
        let (words, positions) = (&self.embedding, &self.positions);
        let mut x = ops::embed(&tokens, words, positions, at, NoneTape);
        let mut weights = Vec::new();
        let seen = writing.written.iter_mut().zip(&writing.read);
        for (block, (written, read)) in self.blocks.iter().zip(seen) {
            let own = |new: Seen<B, 1, M>| {
                written.keys = put_in(&written.keys, at, new.keys);
                written.values = put_in(&written.values, at, new.values);
                let lens = ValidLens::PerExample([at + 1; B]);
                Masked { seen: written.clone(), lens }
            };
            let lens = ValidLens::PerExample(writing.read_lens);
            let there = Masked { seen: read.clone(), lens };
            let (after, looks) = block.forward(x, own, there);
            x = after;
            weights.push(looks);
        }
        (self.finish(x), weights)
    }
}
// ANCHOR_END: decoder_step
