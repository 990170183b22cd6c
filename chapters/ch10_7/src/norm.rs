// ANCHOR: norm_header
//! Section 10.7: layer normalisation, and the residual connection around a
//! layer.

use crate::ops;
use ch10_1::Dev;
use ch10_3::drop_out;
use dfdx::prelude::*;
use seq2seq::parameters::{Named, Parameters, within};
// ANCHOR_END: norm_header

// ANCHOR: layer_norm
/// Layer normalisation of each position by itself: Ba, Kiros and Hinton 2016,
/// "Layer Normalization".
#[derive(Clone, Debug)]
pub struct LayerNorm<const M: usize> {
    /// Multiplies what is normalised, column by column.
    pub gain: Tensor<Rank1<M>, f32, Dev>,
    /// Added to it after that.
    pub shift: Tensor<Rank1<M>, f32, Dev>,
}

/// Added to the variance, so that nothing is divided by 0.
pub const EPSILON: f32 = 1e-5;

impl<const M: usize> LayerNorm<M> {
    /// As training starts from it: gain 1, shift 0.
    pub fn new(dev: &Dev) -> Self {
        Self { gain: dev.ones(), shift: dev.zeros() }
    }

    /// Subtracts the mean of each row of M numbers and divides by the root of
    /// its variance; then gain and shift.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<B, S, M>, f32, Dev, T>,
    ) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
        ops::norm(x, self)
    }
}
// ANCHOR_END: layer_norm

// ANCHOR: norm
/// What [`LayerNorm`] computes.
pub fn norm<const B: usize, const S: usize, const M: usize, T: Tape<f32, Dev>>(
    x: Tensor<Rank3<B, S, M>, f32, Dev, T>,
    layer: &LayerNorm<M>,
) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
    let x = x.normalize::<Axis<2>>(EPSILON);
    let x = x * layer.gain.retaped::<T>().broadcast::<_, Axes2<0, 1>>();
    x + layer.shift.retaped::<T>().broadcast::<_, Axes2<0, 1>>()
}
// ANCHOR_END: norm

// ANCHOR: norm_at
/// Where the normalisation of a residual connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormAt {
    /// After the sum, as in the paper: norm(x + layer(x)).
    Post,
    /// Before the layer: x + layer(norm(x)).
    Pre,
}
// ANCHOR_END: norm_at

// ANCHOR: add_norm
/// The residual connection around a layer, with dropout of what the layer
/// gives, and a normalisation.
#[derive(Clone, Debug)]
pub struct AddNorm<const M: usize> {
    /// The normalisation.
    pub norm: LayerNorm<M>,
    /// Share of what the layer gives set to 0 in training, 0 to 1.
    pub dropout: f32,
    /// Where the normalisation stands.
    pub at: NormAt,
}

impl<const M: usize> AddNorm<M> {
    /// As training starts from it.
    pub fn new(dev: &Dev, dropout: f32, at: NormAt) -> Self {
        Self { norm: LayerNorm::new(dev), dropout, at }
    }

    /// What the layer reads, of `x`: `x` itself, or `x` normalised.
    pub fn before<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<B, S, M>, f32, Dev, T>,
    ) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
        match self.at {
            NormAt::Post => x,
            NormAt::Pre => self.norm.forward(x),
        }
    }

    /// What goes on, of `x` and what the layer gave, `y`: their sum,
    /// normalised if that was not done before.
    pub fn after<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<B, S, M>, f32, Dev>,
        y: Tensor<Rank3<B, S, M>, f32, Dev, T>,
    ) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
        let sum = ops::add(x, y, self.dropout);
        match self.at {
            NormAt::Post => self.norm.forward(sum),
            NormAt::Pre => sum,
        }
    }
}
// ANCHOR_END: add_norm

// ANCHOR: add
/// The sum of `x` and of `y` after dropout.
pub fn add<const B: usize, const S: usize, const M: usize, T: Tape<f32, Dev>>(
    x: Tensor<Rank3<B, S, M>, f32, Dev>,
    y: Tensor<Rank3<B, S, M>, f32, Dev, T>,
    dropout: f32,
) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
    drop_out(y, dropout) + x
}
// ANCHOR_END: add

// ANCHOR: norm_parameters
impl<const M: usize> Parameters for LayerNorm<M> {
    fn parameters(&mut self) -> Named<'_> {
        vec![("gain".into(), &mut self.gain), ("shift".into(), &mut self.shift)]
    }
}

impl<const M: usize> Parameters for AddNorm<M> {
    fn parameters(&mut self) -> Named<'_> {
        within("norm", self.norm.parameters())
    }
}
// ANCHOR_END: norm_parameters
