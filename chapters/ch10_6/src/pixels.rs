// ANCHOR: pixels
//! Self-attention over the pixels of a picture, switched on by a number that
//! is learned: section 10.6. It knows nothing of what is in the picture.

use ch10_1::Dev;
use ch10_3::{Attended, ValidLens, attend};
use ch10_5::Projection;
use dfdx::prelude::*;

/// Lets each pixel attend to all pixels, and adds gamma times what it finds:
/// Zhang et al. 2019, "Self-Attention Generative Adversarial Networks",
/// section 3. A pixel is a row of M channels; queries and keys have width D.
#[derive(Clone, Debug)]
pub struct PixelAttention<const M: usize, const D: usize> {
    /// Makes the query of a pixel.
    pub w_q: Projection<M, D, true>,
    /// Makes its key.
    pub w_k: Projection<M, D, true>,
    /// Makes its value.
    pub w_v: Projection<M, M, true>,
    /// How much of what is found is added; starts at 0.
    pub gamma: Tensor<Rank0, f32, Dev>,
}

support::layer! {
    PixelAttention<M, D> { w_q: layer, w_k: layer, w_v: layer, gamma: zero }
}

fn zero(gamma: &mut Tensor<Rank0, f32, Dev>) -> Result<(), DevError> {
    gamma.try_fill_with_zeros()
}

type DevError = <Dev as HasErr>::Err;
// ANCHOR_END: pixels

// ANCHOR: rows
/// Pictures (B, M, HIGH, WIDE), channel by channel, as rows: one for each
/// pixel, line by line, (B, S, M). Does not build unless HIGH·WIDE = S.
pub fn to_rows<
    const B: usize,
    const M: usize,
    const HIGH: usize,
    const WIDE: usize,
    const S: usize,
    T: Tape<f32, Dev>,
>(
    picture: Tensor<Rank4<B, M, HIGH, WIDE>, f32, Dev, T>,
) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
    const { assert!(HIGH * WIDE == S, "HIGH * WIDE must be S") };
    let flat: Tensor<Rank3<B, M, S>, f32, Dev, T> = picture.reshape();
    flat.permute()
}

/// Undoes [`to_rows`]: (B, S, M) to (B, M, HIGH, WIDE). Does not build unless
/// HIGH·WIDE = S.
pub fn to_picture<
    const B: usize,
    const M: usize,
    const HIGH: usize,
    const WIDE: usize,
    const S: usize,
    T: Tape<f32, Dev>,
>(
    rows: Tensor<Rank3<B, S, M>, f32, Dev, T>,
) -> Tensor<Rank4<B, M, HIGH, WIDE>, f32, Dev, T> {
    const { assert!(HIGH * WIDE == S, "HIGH * WIDE must be S") };
    let flat: Tensor<Rank3<B, M, S>, f32, Dev, T> = rows.permute();
    flat.reshape()
}
// ANCHOR_END: rows

// ANCHOR: pixels_forward
impl<const M: usize, const D: usize> PixelAttention<M, D> {
    /// A layer whose maps are drawn from `dev`'s random numbers, and that
    /// changes nothing yet: its gamma is 0.
    pub fn new(dev: &Dev) -> Self {
        Self {
            w_q: Projection::new(dev),
            w_k: Projection::new(dev),
            w_v: Projection::new(dev),
            gamma: dev.zeros(),
        }
    }

    /// Pixels (B, S, M) to output (B, S, M) and weights (B, S, S).
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<B, S, M>, f32, Dev, T>,
    ) -> Attended<Rank3<B, S, M>, Rank3<B, S, S>, T> {
        let input = x.retaped::<T>();
        let keys: Tensor<Rank3<B, S, D>, f32, Dev, T> = self.w_k.forward(x.retaped());
        let values = self.w_v.forward(x.retaped());
        let queries: Tensor<Rank3<B, S, D>, f32, Dev, T> = self.w_q.forward(x);
        let keys: Tensor<Rank3<B, D, S>, f32, Dev, T> = keys.permute();
        let Attended { output: found, weights } =
            attend(queries.matmul(keys), values, &ValidLens::All, 0.0);
        let gamma = self.gamma.retaped::<T>().broadcast();
        Attended { output: found * gamma + input, weights }
    }
}
// ANCHOR_END: pixels_forward
