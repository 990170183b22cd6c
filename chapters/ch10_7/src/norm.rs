// ANCHOR: layer_norm
//! Section 10.7, layer normalisation and residual connections.

use ch10_2::parameters;
use ch10_3::dropout;
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor3};

/// Layer normalisation of each position by itself: Ba, Kiros and Hinton 2016,
/// "Layer Normalization".
#[derive(Clone, Debug)]
pub struct LayerNorm<const M: usize> {
    /// Multiplies what is normalised, column by column.
    pub gamma: Tensor1<M>,
    /// Added after that.
    pub beta: Tensor1<M>,
}

parameters! { LayerNorm<M> { gamma, beta } }

/// Added to the variance, so that nothing is divided by 0.
pub const EPSILON: f32 = 1e-5;
// ANCHOR_END: layer_norm

impl<const M: usize> LayerNorm<M> {
    // ANCHOR: layer_norm_new
    /// Gamma 1, beta 0.
    pub fn new(dev: &Dev) -> Self {
        Self { gamma: dev.ones(), beta: dev.zeros() }
    }
    // ANCHOR_END: layer_norm_new

    // ANCHOR: layer_norm_forward
    /// Subtracts the mean of each row of M numbers and divides by the root of
    /// its variance; then gamma and beta.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
    ) -> Tensor3<B, S, M, T> {
        kernels::layer_norm(x, &self.gamma, &self.beta, EPSILON, |x, gamma, beta| {
            let x = x.normalize::<Axis<2>>(EPSILON);
            x * gamma.broadcast() + beta.broadcast()
        })
    }
    // ANCHOR_END: layer_norm_forward
}

// ANCHOR: finish
/// The normalisation after the last block, if there is one.
pub(crate) fn finish<const B: usize, const S: usize, const M: usize, T>(
    norm: &Option<LayerNorm<M>>,
    x: Tensor3<B, S, M, T>,
) -> Tensor3<B, S, M, T>
where
    T: Tape<f32, Dev>,
{
    match norm {
        Some(norm) => norm.forward(x),
        None => x,
    }
}
// ANCHOR_END: finish

// ANCHOR: residual
/// Where the normalisation of a residual connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormPosition {
    /// After the sum, as in the paper: norm(x + sublayer(x)).
    Post,
    /// Before the sublayer: x + sublayer(norm(x)).
    Pre,
    /// Nowhere: x + sublayer(x). It is here to be compared with.
    None,
}

/// The residual connection around a sublayer, with its normalisation, and
/// dropout of what the sublayer returns.
#[derive(Clone, Debug)]
pub struct Residual<const M: usize> {
    /// The normalisation.
    pub norm: LayerNorm<M>,
    /// Where it stands.
    pub norm_position: NormPosition,
    /// Probability of dropout on the sublayer's output, from 0 to below 1.
    pub dropout: f32,
}

parameters! { Residual<M> { norm } }
// ANCHOR_END: residual

impl<const M: usize> Residual<M> {
    // ANCHOR: residual_new
    /// Around a sublayer in a model of width M.
    pub fn new(dev: &Dev, dropout: f32, norm_position: NormPosition) -> Self {
        Self { norm: LayerNorm::new(dev), norm_position, dropout }
    }
    // ANCHOR_END: residual_new

    // ANCHOR: residual_forward
    /// `sublayer` returns what is added to `x`, and anything else that it has
    /// to say: attention its weights.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>, W>(
        &self,
        x: Tensor3<B, S, M, T>,
        sublayer: impl FnOnce(Tensor3<B, S, M, T>) -> (Tensor3<B, S, M, T>, W),
    ) -> (Tensor3<B, S, M, T>, W) {
        let (x, tape) = x.split_tape();
        let mut input = x.clone().put_tape(tape);
        if self.norm_position == NormPosition::Pre {
            input = self.norm.forward(input);
        }
        let (y, w) = sublayer(input);
        let mut sum = self.add(x, y);
        if self.norm_position == NormPosition::Post {
            sum = self.norm.forward(sum);
        }
        (sum, w)
    }
    // ANCHOR_END: residual_forward

    // ANCHOR: residual_add
    /// The sum of `x` and of `y` after dropout.
    fn add<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M>,
        y: Tensor3<B, S, M, T>,
    ) -> Tensor3<B, S, M, T> {
        kernels::dropout_add(x, y, self.dropout, |x, y| dropout(y, self.dropout) + x)
    }
    // ANCHOR_END: residual_add
}
