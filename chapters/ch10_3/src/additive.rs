// ANCHOR: additive
//! Additive attention, a layer with weights of its own, and how a layer is
//! made known to dfdx: section 10.3.

use crate::masked::ValidLens;
use crate::pooling::{Attended, attend};
use ch10_1::Dev;
use dfdx::prelude::*;
use rand_distr::Uniform;

/// Attention by the score w_vᵀ tanh(W_q q + W_k k), for queries and keys of
/// any two widths: Bahdanau, Cho and Bengio 2014, "Neural Machine Translation
/// by Jointly Learning to Align and Translate", appendix A.1.2. No biases.
#[derive(Clone, Debug)]
pub struct AdditiveAttention<const DQ: usize, const DK: usize, const HIDDEN: usize> {
    /// Projects queries to the hidden width: (HIDDEN, DQ).
    pub w_q: Tensor<Rank2<HIDDEN, DQ>, f32, Dev>,
    /// Projects keys to the hidden width: (HIDDEN, DK).
    pub w_k: Tensor<Rank2<HIDDEN, DK>, f32, Dev>,
    /// Turns the hidden units into one score: (HIDDEN).
    pub w_v: Tensor<Rank1<HIDDEN>, f32, Dev>,
    /// Share of the weights set to 0 in training, 0 to 1.
    pub dropout: f32,
}
// ANCHOR_END: additive

// ANCHOR: additive_forward
impl<const DQ: usize, const DK: usize, const HIDDEN: usize>
    AdditiveAttention<DQ, DK, HIDDEN>
{
    /// Queries (B, Q, DQ), keys (B, K, DK), values (B, K, DV).
    ///
    /// # Panics
    /// As [`attend`].
    pub fn forward<
        const B: usize,
        const Q: usize,
        const K: usize,
        const DV: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        queries: Tensor<Rank3<B, Q, DQ>, f32, Dev, T>,
        keys: Tensor<Rank3<B, K, DK>, f32, Dev, T>,
        values: Tensor<Rank3<B, K, DV>, f32, Dev, T>,
        lens: &ValidLens<B, Q>,
    ) -> Attended<Rank3<B, Q, DV>, Rank3<B, Q, K>, T> {
        self.forward_projected(
            project(queries, &self.w_q),
            project(keys, &self.w_k),
            values,
            lens,
        )
    }

    /// The same with queries and keys already projected, (B, Q, HIDDEN) and
    /// (B, K, HIDDEN).
    ///
    /// # Panics
    /// As [`attend`]; and the backward pass does, in dfdx, if one tensor is
    /// given as both.
    pub fn forward_projected<
        const B: usize,
        const Q: usize,
        const K: usize,
        const DV: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        queries: Tensor<Rank3<B, Q, HIDDEN>, f32, Dev, T>,
        keys: Tensor<Rank3<B, K, HIDDEN>, f32, Dev, T>,
        values: Tensor<Rank3<B, K, DV>, f32, Dev, T>,
        lens: &ValidLens<B, Q>,
    ) -> Attended<Rank3<B, Q, DV>, Rank3<B, Q, K>, T> {
        let queries: Tensor<Rank4<B, Q, K, HIDDEN>, f32, Dev, T> =
            queries.broadcast::<_, Axis<2>>();
        let keys: Tensor<Rank4<B, Q, K, HIDDEN>, f32, Dev, T> =
            keys.broadcast::<_, Axis<1>>();
        let hidden = (queries + keys).tanh();
        let w_v: Tensor<Rank4<B, Q, HIDDEN, 1>, f32, Dev, T> =
            self.w_v.retaped::<T>().broadcast::<_, Axes3<0, 1, 3>>();
        let scores: Tensor<Rank4<B, Q, K, 1>, f32, Dev, T> = hidden.matmul(w_v);
        attend(scores.reshape(), values, lens, self.dropout)
    }
}
// ANCHOR_END: additive_forward

// ANCHOR: project
/// `x` times the transpose of `w`, (B, N, I) to (B, N, O): a linear layer
/// without bias.
pub fn project<
    const B: usize,
    const N: usize,
    const I: usize,
    const O: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor<Rank3<B, N, I>, f32, Dev, T>,
    w: &Tensor<Rank2<O, I>, f32, Dev>,
) -> Tensor<Rank3<B, N, O>, f32, Dev, T> {
    // One multiplication with all rows; as (B, N, I) it would be B of them.
    let rows = x.reshape_like(&(B * N, Const::<I>));
    let rows = rows.matmul(w.retaped::<T>().permute::<Rank2<I, O>, _>());
    rows.reshape_like(&Default::default())
}
// ANCHOR_END: project

// ANCHOR: additive_new
impl<const DQ: usize, const DK: usize, const HIDDEN: usize>
    AdditiveAttention<DQ, DK, HIDDEN>
{
    /// A layer whose weights are drawn from `dev`'s random numbers, each by
    /// [`fan_in`]. `dropout` is the share of attention weights set to 0 in
    /// training, 0 to 1.
    pub fn new(dev: &Dev, dropout: f32) -> Self {
        let (w_q, w_k, w_v) = (dev.zeros(), dev.zeros(), dev.zeros());
        let mut layer = Self { w_q, w_k, w_v, dropout };
        layer.reset_params();
        layer
    }
}
// ANCHOR_END: additive_new

// ANCHOR: additive_tensors
impl<const DQ: usize, const DK: usize, const HIDDEN: usize> TensorCollection<f32, Dev>
    for AdditiveAttention<DQ, DK, HIDDEN>
{
    type To<E2: Dtype, D2: Device<E2>> = ();

    fn iter_tensors<Visitor: ModuleVisitor<Self, f32, Dev>>(
        visitor: &mut Visitor,
    ) -> Result<Option<()>, Visitor::Err> {
        visitor.visit_fields(
            (
                Self::tensor("w_q", |s| &s.w_q, |s| &mut s.w_q, drawn()),
                Self::tensor("w_k", |s| &s.w_k, |s| &mut s.w_k, drawn()),
                Self::tensor("w_v", |s| &s.w_v, |s| &mut s.w_v, drawn()),
            ),
            |_| (),
        )
    }
}

/// Weights that an optimiser updates and that [`fan_in`] fills at first.
fn drawn<Weights: ConstShape>() -> TensorOptions<Weights, f32, Dev> {
    TensorOptions::reset_with(fan_in)
}
// ANCHOR_END: additive_tensors

// ANCHOR: fan_in
/// Fills `w` from the uniform distribution between -1/√I and 1/√I, where I,
/// the last axis of `w`, is the width that it takes in. PyTorch starts its
/// linear layers so.
///
/// # Errors
/// What the device reports.
pub fn fan_in<Weights: ConstShape>(
    w: &mut Tensor<Weights, f32, Dev>,
) -> Result<(), <Dev as HasErr>::Err> {
    let width = Weights::default().concrete()[Weights::NUM_DIMS - 1];
    let bound = 1.0 / (width as f32).sqrt();
    w.try_fill_with_distr(Uniform::new(-bound, bound))
}
// ANCHOR_END: fan_in
