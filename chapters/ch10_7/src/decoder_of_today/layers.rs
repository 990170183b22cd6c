// ANCHOR: header
//! A norm without a mean, and a network with a gate.

use crate::norm::EPSILON;
use ch10_2::parameters;
use ch10_3::Linear;
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor2, Tensor3};
// ANCHOR_END: header

// ANCHOR: rms_norm
/// Root mean square normalisation: Zhang and Sennrich 2019, "Root Mean Square
/// Layer Normalization".
#[derive(Clone, Debug)]
pub struct RmsNorm<const M: usize> {
    /// Multiplies the normalised rows, column by column.
    pub gamma: Tensor1<M>,
}

parameters! { RmsNorm<M> { gamma } }
// ANCHOR_END: rms_norm

impl<const M: usize> RmsNorm<M> {
    // ANCHOR: rms_norm_new
    /// Returns a norm whose gamma is 1.
    pub fn new(dev: &Dev) -> Self {
        RmsNorm { gamma: dev.ones() }
    }
    // ANCHOR_END: rms_norm_new

    // ANCHOR: rms_norm_forward
    /// Divides each row of M numbers by the root of the mean of their squares;
    /// then gamma.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
    ) -> Tensor3<B, S, M, T> {
        let mean: Tensor2<B, S, T> = x.retaped::<T>().square().mean();
        let root = (mean + EPSILON).sqrt().broadcast::<_, Axis<2>>();
        x / root * self.gamma.retaped::<T>().broadcast()
    }
    // ANCHOR_END: rms_norm_forward
}

// ANCHOR: swiglu
/// A network with a gate: (silu(x Wg) ⊙ x W1) W2, where silu(z) = z σ(z). Shazeer
/// 2020, "GLU Variants Improve Transformer".
#[derive(Clone, Debug)]
pub struct SwiGlu<const M: usize, const FFN: usize> {
    /// Computes what each hidden number is multiplied by.
    pub gate: Linear<M, FFN>,
    /// Computes the hidden numbers.
    pub first: Linear<M, FFN>,
    /// Projects them back to width M.
    pub second: Linear<FFN, M>,
}

parameters! { SwiGlu<M, FFN> { gate, first, second } }
// ANCHOR_END: swiglu

impl<const M: usize, const FFN: usize> SwiGlu<M, FFN> {
    // ANCHOR: swiglu_new
    /// Returns three linear layers without bias.
    pub fn new(dev: &Dev) -> Self {
        let (gate, first) = (Linear::new(dev), Linear::new(dev));
        SwiGlu { gate, first, second: Linear::new(dev) }
    }
    // ANCHOR_END: swiglu_new

    // ANCHOR: swiglu_forward
    /// Maps (B, S, M) to the same shape.
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, M, T>,
    ) -> Tensor3<B, S, M, T> {
        let z = self.gate.forward(x.retaped::<T>());
        let gate = z.retaped::<T>().sigmoid() * z;
        self.second.forward(gate * self.first.forward(x))
    }
    // ANCHOR_END: swiglu_forward
}
