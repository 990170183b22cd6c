// ANCHOR: header
//! Section 10.6, attention over pixels: self-attention within a picture,
//! switched on by a number that is learned.

use ch10_2::parameters;
use ch10_3::{AttentionOutput, Linear, Mask, attend};
use dfdx::prelude::*;
use kernels::{Dev, Tensor0, Tensor3, Tensor4};
// ANCHOR_END: header

// ANCHOR: pixel_attention
/// Lets each pixel attend to all pixels, and adds gamma times what it finds:
/// Zhang et al. 2019, "Self-Attention Generative Adversarial Networks",
/// section 3. A pixel is a row of M channels; queries and keys have width D.
#[derive(Clone, Debug)]
pub struct PixelAttention<const M: usize, const D: usize> {
    /// Makes the query of a pixel.
    pub w_q: Linear<M, D>,
    /// Makes its key.
    pub w_k: Linear<M, D>,
    /// Makes its value.
    pub w_v: Linear<M, M>,
    /// The factor of what is found; starts at 0.
    pub gamma: Tensor0,
}

parameters! { PixelAttention<M, D> { w_q, w_k, w_v, gamma } }
// ANCHOR_END: pixel_attention

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
    picture: Tensor4<B, M, HIGH, WIDE, T>,
) -> Tensor3<B, S, M, T> {
    const { assert!(HIGH * WIDE == S) };
    let flat: Tensor3<B, M, S, T> = picture.reshape();
    flat.permute()
}
// ANCHOR_END: rows

// ANCHOR: picture
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
    rows: Tensor3<B, S, M, T>,
) -> Tensor4<B, M, HIGH, WIDE, T> {
    const { assert!(HIGH * WIDE == S) };
    let flat: Tensor3<B, M, S, T> = rows.permute();
    flat.reshape()
}
// ANCHOR_END: picture

impl<const M: usize, const D: usize> PixelAttention<M, D> {
    // ANCHOR: pixel_attention_new
    /// Linear layers with biases, and gamma 0: the layer changes nothing yet.
    pub fn new(dev: &Dev) -> Self {
        Self {
            w_q: Linear::with_bias(dev),
            w_k: Linear::with_bias(dev),
            w_v: Linear::with_bias(dev),
            gamma: dev.zeros(),
        }
    }
    // ANCHOR_END: pixel_attention_new

    // ANCHOR: pixel_attention_forward
    /// Pixels (B, S, M) to output (B, S, M) and weights (B, S, S).
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
    ) -> AttentionOutput<Rank3<B, S, M>, Rank3<B, S, S>, T> {
        let input = x.retaped::<T>();
        let keys: Tensor3<B, D, S, T> = self.w_k.forward(x.retaped()).permute();
        let values = self.w_v.forward(x.retaped());
        let scores = self.w_q.forward(x).matmul(keys);
        let AttentionOutput { output, weights } =
            attend(scores, values, &Mask::none(), 0.0);
        let gamma = self.gamma.retaped::<T>().broadcast();
        AttentionOutput { output: output * gamma + input, weights }
    }
    // ANCHOR_END: pixel_attention_forward
}
