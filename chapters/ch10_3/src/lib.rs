//! Section 10.3, attention scoring functions: masked softmax, and attention
//! by an additive, a scaled dot-product and a bilinear score.
//!
//! Nothing here prints, writes files or draws random numbers of its own. The
//! heat maps are drawn by `show_heatmaps` of `ch10_1`.

pub mod fused;

use ch10_1::Dev;
use dfdx::prelude::*;

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

impl<const B: usize, const Q: usize> ValidLens<B, Q> {
    /// Query 0 may attend to pair 0, query 1 to pairs 0 and 1, and so on: no
    /// position sees a later one (the causal mask of section 10.7).
    pub fn causal() -> Self {
        Self::PerQuery([std::array::from_fn(|q| q + 1); B])
    }

    /// The length for query `q` of example `b`, where there are `pairs`.
    pub fn get(&self, b: usize, q: usize, pairs: usize) -> usize {
        match self {
            Self::All => pairs,
            Self::PerExample(lens) => lens[b].min(pairs),
            Self::PerQuery(lens) => lens[b][q].min(pairs),
        }
    }

    /// A tensor in the shape of the scores, (B, Q, K) or (B, H, Q, K): `valid`
    /// where the pair may be attended to, `masked` where it may not.
    fn fill<S: ConstShape>(
        &self,
        dev: &Dev,
        valid: f32,
        masked: f32,
    ) -> Tensor<S, f32, Dev> {
        let shape = S::default();
        let pairs = shape.concrete()[S::NUM_DIMS - 1];
        let rows = S::NUMEL / pairs;
        let mut cells = vec![masked; S::NUMEL];
        for (row, cells) in cells.chunks_exact_mut(pairs).enumerate() {
            let len = self.get(row * B / rows, row % Q, pairs);
            cells[..len].fill(valid);
        }
        dev.tensor_from_vec(cells, shape)
    }
}

/// Added to the score of a masked pair: after it, no real score matters.
const MASKED: f32 = f32::MIN / 2.0;

/// Softmax over the pairs of each query. A masked pair gets the weight 0; a
/// query whose length is 0 gets the weight 0 everywhere.
///
/// `scores` and the result are (B, Q, K).
pub fn masked_softmax<const B: usize, const Q: usize, const K: usize, T>(
    scores: Tensor<Rank3<B, Q, K>, f32, Dev, T>,
    lens: &ValidLens<B, Q>,
) -> Tensor<Rank3<B, Q, K>, f32, Dev, T>
where
    T: Tape<f32, Dev>,
{
    softmax_where(scores, lens)
}

fn softmax_where<const B: usize, const Q: usize, S, T>(
    scores: Tensor<S, f32, Dev, T>,
    lens: &ValidLens<B, Q>,
) -> Tensor<S, f32, Dev, T>
where
    S: ConstShape + ReduceShape<S::LastAxis>,
    T: Tape<f32, Dev>,
{
    if *lens == ValidLens::All {
        return scores.softmax::<S::LastAxis>();
    }
    let dev = scores.device().clone();
    let weights =
        (scores + lens.fill(&dev, 0.0, MASKED)).softmax::<S::LastAxis>();
    weights * lens.fill(&dev, 1.0, 0.0)
}

/// What attention gives back.
pub struct Attended<Output: Shape, Weights: Shape, T = NoneTape> {
    /// For each query, the weighted sum of the values.
    pub output: Tensor<Output, f32, Dev, T>,
    /// The weights, before dropout: for each query they sum to 1.
    pub weights: Tensor<Weights, f32, Dev>,
}

/// Pools values by scores.
pub fn attend<
    const B: usize,
    const Q: usize,
    const K: usize,
    const DV: usize,
    T: Tape<f32, Dev>,
>(
    scores: Tensor<Rank3<B, Q, K>, f32, Dev, T>,
    values: Tensor<Rank3<B, K, DV>, f32, Dev, T>,
    lens: &ValidLens<B, Q>,
    dropout: f32,
) -> Attended<Rank3<B, Q, DV>, Rank3<B, Q, K>, T> {
    let (weights, tape) = masked_softmax(scores, lens).split_tape();
    let used = drop_out(weights.clone().put_tape(tape), dropout);
    Attended { output: used.matmul(values), weights }
}

/// Dropout in training, that is where a tape records; nothing elsewhere.
fn drop_out<S: Shape, T: Tape<f32, Dev>>(
    weights: Tensor<S, f32, Dev, T>,
    p: f32,
) -> Tensor<S, f32, Dev, T> {
    if T::OWNS_TAPE && p > 0.0 { weights.dropout(p) } else { weights }
}

/// Scaled dot-product attention.
#[derive(Clone, Debug, Default)]
pub struct DotProductAttention {
    /// Share of the weights set to 0 in training.
    pub dropout: f32,
}

impl DotProductAttention {
    /// Queries (B, Q, D), keys (B, K, D), values (B, K, DV).
    pub fn forward<
        const B: usize,
        const Q: usize,
        const K: usize,
        const D: usize,
        const DV: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        queries: Tensor<Rank3<B, Q, D>, f32, Dev, T>,
        keys: Tensor<Rank3<B, K, D>, f32, Dev, T>,
        values: Tensor<Rank3<B, K, DV>, f32, Dev, T>,
        lens: &ValidLens<B, Q>,
    ) -> Attended<Rank3<B, Q, DV>, Rank3<B, Q, K>, T> {
        let keys: Tensor<Rank3<B, D, K>, f32, Dev, T> = keys.permute();
        let scores: Tensor<Rank3<B, Q, K>, f32, Dev, T> =
            (queries / (D as f32).sqrt()).matmul(keys);
        attend(scores, values, lens, self.dropout)
    }

    /// Queries (B, H, Q, D), keys (B, H, K, D), values (B, H, K, DV).
    pub fn forward_heads<
        const B: usize,
        const H: usize,
        const Q: usize,
        const K: usize,
        const D: usize,
        const DV: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        queries: Tensor<Rank4<B, H, Q, D>, f32, Dev, T>,
        keys: Tensor<Rank4<B, H, K, D>, f32, Dev, T>,
        values: Tensor<Rank4<B, H, K, DV>, f32, Dev, T>,
        lens: &ValidLens<B, Q>,
    ) -> Attended<Rank4<B, H, Q, DV>, Rank4<B, H, Q, K>, T> {
        let keys: Tensor<Rank4<B, H, D, K>, f32, Dev, T> = keys.permute();
        let scores: Tensor<Rank4<B, H, Q, K>, f32, Dev, T> =
            (queries / (D as f32).sqrt()).matmul(keys);
        let (weights, tape) = softmax_where(scores, lens).split_tape();
        let used = drop_out(weights.clone().put_tape(tape), self.dropout);
        Attended { output: used.matmul(values), weights }
    }
}

/// Additive attention.
#[derive(Clone, Debug)]
pub struct AdditiveAttention<
    const DQ: usize,
    const DK: usize,
    const HIDDEN: usize,
> {
    /// Projects queries to the hidden width: (HIDDEN, DQ).
    pub w_q: Tensor<Rank2<HIDDEN, DQ>, f32, Dev>,
    /// Projects keys to the hidden width: (HIDDEN, DK).
    pub w_k: Tensor<Rank2<HIDDEN, DK>, f32, Dev>,
    /// Turns the hidden units into one score: (HIDDEN).
    pub w_v: Tensor<Rank1<HIDDEN>, f32, Dev>,
    /// Share of the weights set to 0 in training.
    pub dropout: f32,
}

impl<const DQ: usize, const DK: usize, const HIDDEN: usize>
    AdditiveAttention<DQ, DK, HIDDEN>
{
    /// Queries (B, Q, DQ), keys (B, K, DK), values (B, K, DV).
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

/// `x` times the transpose of `w`, (B, N, I) to (B, N, O): a linear layer without bias.
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
