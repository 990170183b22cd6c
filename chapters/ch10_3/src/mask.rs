// ANCHOR: header
//! Section 10.3, masks: which key-value pairs a query may attend to, and the
//! softmax over those alone.

use dfdx::prelude::*;
use kernels::{Allowed, Dev, Tensor3, Tensor4};
// ANCHOR_END: header

// ANCHOR: mask
/// Which of K key-value pairs each of Q queries may attend to, in B examples.
#[derive(Clone, Debug)]
pub struct Mask<const B: usize, const Q: usize, const K: usize>(Allowed);
// ANCHOR_END: mask

impl<const B: usize, const Q: usize, const K: usize> Mask<B, Q, K> {
    // ANCHOR: lens
    /// Every query may attend to all pairs.
    pub fn none() -> Self {
        Mask(Allowed::All)
    }

    /// The first so many pairs: a length for each example, which its queries
    /// share. A length greater than K counts as K.
    pub fn valid_lens(lens: [usize; B]) -> Self {
        Self::valid_lens_per_query(lens.map(|len| [len; Q]))
    }

    /// The first so many pairs: a length for each query of each example.
    pub fn valid_lens_per_query(lens: [[usize; Q]; B]) -> Self {
        let lens = lens.as_flattened().iter();
        Mask(Allowed::Lens(lens.map(|&len| len.min(K)).collect()))
    }
    // ANCHOR_END: lens

    // ANCHOR: causal
    /// Query q may attend to the pairs 0 to q: to nothing in its future.
    pub fn causal() -> Self {
        Self::valid_lens_per_query([std::array::from_fn(|q| q + 1); B])
    }
    // ANCHOR_END: causal

    // ANCHOR: causal_within
    /// Causal; and a query that is not among the first `lens` of its example,
    /// which is padding itself, may attend to nothing.
    pub fn causal_within(lens: [usize; B]) -> Self {
        let row = |len| std::array::from_fn(|q| if q < len { q + 1 } else { 0 });
        Self::valid_lens_per_query(lens.map(row))
    }
    // ANCHOR_END: causal_within

    // ANCHOR: from_fn
    /// Any mask: query q of example b may attend to pair k if `allows(b, q, k)`.
    pub fn from_fn(allows: impl Fn(usize, usize, usize) -> bool) -> Self {
        let cells = 0..B * Q * K;
        let allows = |cell| allows(cell / (Q * K), cell / K % Q, cell % K);
        Mask(Allowed::Cells(cells.map(allows).collect()))
    }
    // ANCHOR_END: from_fn

    // ANCHOR: allows
    /// Whether query `q` of example `b` may attend to pair `k`.
    ///
    /// # Panics
    /// There is no such example, query or pair.
    pub fn allows(&self, b: usize, q: usize, k: usize) -> bool {
        assert!(b < B && q < Q && k < K, "no cell ({b}, {q}, {k})");
        match &self.0 {
            Allowed::All => true,
            Allowed::Lens(lens) => k < lens[b * Q + q],
            Allowed::Cells(cells) => cells[(b * Q + q) * K + k],
        }
    }

    // ANCHOR_END: allows

    // ANCHOR: to_allowed
    /// The same in the form that the kernels read.
    pub fn to_allowed(&self) -> Allowed {
        self.0.clone()
    }

    // ANCHOR_END: to_allowed

    // ANCHOR: fill
    /// A tensor in the shape of the scores, (B, Q, K) or (B, H, Q, K):
    /// `allowed` where the mask allows a pair, `masked` elsewhere.
    fn fill<Scores: ConstShape>(
        &self,
        dev: &Dev,
        allowed: f32,
        masked: f32,
    ) -> Tensor<Scores, f32, Dev> {
        let rows = Scores::NUMEL / K;
        let mut cells = Vec::with_capacity(Scores::NUMEL);
        for row in 0..rows {
            // The rows of an example lie together, with heads or without.
            let (b, q) = (row * B / rows, row % Q);
            let cell = |k| if self.allows(b, q, k) { allowed } else { masked };
            cells.extend((0..K).map(cell));
        }
        dev.tensor_from_vec(cells, Scores::default())
    }
    // ANCHOR_END: fill
}

// ANCHOR: masked_softmax
/// Softmax over the pairs that each query may attend to. A masked pair gets the
/// weight 0; a query that may attend to nothing gets the weight 0 everywhere.
///
/// Scores, (B, Q, K), must be finite and smaller than 8e37 in size.
pub fn masked_softmax<const B: usize, const Q: usize, const K: usize, T>(
    scores: Tensor3<B, Q, K, T>,
    mask: &Mask<B, Q, K>,
) -> Tensor3<B, Q, K, T>
where
    T: Tape<f32, Dev>,
{
    softmax_where(scores, mask)
}
// ANCHOR_END: masked_softmax

// ANCHOR: softmax_where
/// Added to the score of a masked pair: after it, no real score matters.
const MASKED: f32 = f32::MIN / 2.0;

/// [`masked_softmax`] over the last axis of scores with heads or without.
pub(crate) fn softmax_where<const B: usize, const Q: usize, const K: usize, Scores, T>(
    scores: Tensor<Scores, f32, Dev, T>,
    mask: &Mask<B, Q, K>,
) -> Tensor<Scores, f32, Dev, T>
where
    Scores: ConstShape + ReduceShape<Scores::LastAxis>,
    T: Tape<f32, Dev>,
{
    if matches!(mask.0, Allowed::All) {
        return scores.softmax::<Scores::LastAxis>();
    }
    let dev = scores.device().clone();
    let masked = scores + mask.fill(&dev, 0.0, MASKED);
    // The product matters only where nothing is allowed: there softmax sums to 1.
    masked.softmax::<Scores::LastAxis>() * mask.fill(&dev, 1.0, 0.0)
}
// ANCHOR_END: softmax_where

// ANCHOR: masked_softmax_heads
/// [`masked_softmax`] for H heads, which share the mask of their example.
pub fn masked_softmax_heads<
    const B: usize,
    const H: usize,
    const Q: usize,
    const K: usize,
    T: Tape<f32, Dev>,
>(
    scores: Tensor4<B, H, Q, K, T>,
    mask: &Mask<B, Q, K>,
) -> Tensor4<B, H, Q, K, T> {
    softmax_where(scores, mask)
}
// ANCHOR_END: masked_softmax_heads
