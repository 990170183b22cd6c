// ANCHOR: masked_header
//! Softmax over the pairs that a query may attend to: how many, and the
//! weights. It does not score anything: section 10.3, masked softmax.

use ch10_1::Dev;
use dfdx::prelude::*;
// ANCHOR_END: masked_header

// ANCHOR: valid_lens
/// How many key-value pairs, counted from the first, may be attended to. The
/// others are padding, or lie in the future.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValidLens<const B: usize, const Q: usize> {
    /// All of them.
    All,
    /// One length for each of the B examples; all its queries share it.
    PerExample([usize; B]),
    /// One length for each of the Q queries of each example.
    PerQuery([[usize; Q]; B]),
}
// ANCHOR_END: valid_lens

// ANCHOR: valid_lens_impl
impl<const B: usize, const Q: usize> ValidLens<B, Q> {
    /// Query 0 may attend to pair 0, query 1 to pairs 0 and 1, and so on: no
    /// position sees a later one (the causal mask of section 10.7).
    pub fn causal() -> Self {
        Self::PerQuery([std::array::from_fn(|q| q + 1); B])
    }

    /// The length for query `q` of example `b`, where there are `pairs`. A
    /// length greater than `pairs` counts as `pairs`.
    ///
    /// # Panics
    /// There is no example `b`, or no query `q`.
    pub fn get(&self, b: usize, q: usize, pairs: usize) -> usize {
        match self {
            Self::All => pairs,
            Self::PerExample(lens) => lens[b].min(pairs),
            Self::PerQuery(lens) => lens[b][q].min(pairs),
        }
    }

    /// A tensor in the shape of the scores, (B, Q, K) or (B, H, Q, K): `valid`
    /// where the pair may be attended to, `masked` where it may not.
    fn fill<Scores: ConstShape>(
        &self,
        dev: &Dev,
        valid: f32,
        masked: f32,
    ) -> Tensor<Scores, f32, Dev> {
        let shape = Scores::default();
        let pairs = shape.concrete()[Scores::NUM_DIMS - 1];
        let rows = Scores::NUMEL / pairs;
        let mut cells = vec![masked; Scores::NUMEL];
        for (row, cells) in cells.chunks_exact_mut(pairs).enumerate() {
            let len = self.get(row * B / rows, row % Q, pairs);
            cells[..len].fill(valid);
        }
        dev.tensor_from_vec(cells, shape)
    }
}
// ANCHOR_END: valid_lens_impl

// ANCHOR: masked_softmax
/// Added to the score of a masked pair: after it, no real score matters.
const MASKED: f32 = f32::MIN / 2.0;

/// Softmax over the pairs of each query. A masked pair gets the weight 0; a
/// query whose length is 0 gets the weight 0 everywhere.
///
/// `scores` and the result are (B, Q, K), without unit. Scores must be finite
/// and smaller than 8e37 in size.
pub fn masked_softmax<const B: usize, const Q: usize, const K: usize, T>(
    scores: Tensor<Rank3<B, Q, K>, f32, Dev, T>,
    lens: &ValidLens<B, Q>,
) -> Tensor<Rank3<B, Q, K>, f32, Dev, T>
where
    T: Tape<f32, Dev>,
{
    softmax_where(scores, lens)
}
// ANCHOR_END: masked_softmax

// ANCHOR: softmax_where
/// [`masked_softmax`] for scores with heads or without.
pub(crate) fn softmax_where<const B: usize, const Q: usize, Scores, T>(
    scores: Tensor<Scores, f32, Dev, T>,
    lens: &ValidLens<B, Q>,
) -> Tensor<Scores, f32, Dev, T>
where
    Scores: ConstShape + ReduceShape<Scores::LastAxis>,
    T: Tape<f32, Dev>,
{
    if *lens == ValidLens::All {
        return scores.softmax::<Scores::LastAxis>();
    }
    let dev = scores.device().clone();
    let masked = scores + lens.fill(&dev, 0.0, MASKED);
    // The product matters for a length of 0 alone: there softmax is uniform.
    masked.softmax::<Scores::LastAxis>() * lens.fill(&dev, 1.0, 0.0)
}
// ANCHOR_END: softmax_where
