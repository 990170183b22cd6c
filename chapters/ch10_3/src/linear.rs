// ANCHOR: header
//! Section 10.3, linear layers, and the numbers that weights start from.

use ch10_2::parameters;
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor2, Tensor3};
use rand_distr::Uniform;
// ANCHOR_END: header

// ANCHOR: linear
/// Turns each row x of I numbers into x Wᵀ, plus b if there is a bias.
#[derive(Clone, Debug)]
pub struct Linear<const I: usize, const O: usize> {
    /// A row for each output: (O, I).
    pub weight: Tensor2<O, I>,
    /// Added to each row of outputs: (O).
    pub bias: Option<Tensor1<O>>,
}

parameters! { Linear<I, O> { weight, bias } }
// ANCHOR_END: linear

// ANCHOR: linear_impl
impl<const I: usize, const O: usize> Linear<I, O> {
    /// Returns a layer without bias, with weights drawn by [`xavier_uniform`].
    pub fn new(dev: &Dev) -> Self {
        Linear { weight: xavier_uniform(dev, I, O), bias: None }
    }

    /// Returns a layer with a bias, which starts at 0.
    pub fn with_bias(dev: &Dev) -> Self {
        Linear { bias: Some(dev.zeros()), ..Self::new(dev) }
    }
}
// ANCHOR_END: linear_impl

impl<const I: usize, const O: usize> Linear<I, O> {
    // ANCHOR: linear_forward
    /// Maps (B, S, I) to (B, S, O).
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, S, I, T>,
    ) -> Tensor3<B, S, O, T> {
        kernels::linear(x, &self.weight, self.bias.as_ref(), |x| {
            // One product of all rows; as (B, S, I) it would be B of them.
            let rows = x.reshape_like(&(B * S, Const::<I>));
            let weight: Tensor2<I, O, T> = self.weight.retaped().permute();
            let y: Tensor3<B, S, O, T> =
                rows.matmul(weight).reshape_like(&Default::default());
            match &self.bias {
                Some(bias) => y + bias.retaped::<T>().broadcast(),
                None => y,
            }
        })
    }
    // ANCHOR_END: linear_forward
}

// ANCHOR: initial
/// Draws numbers from the uniform distribution between -`bound` and `bound`.
pub fn uniform<S: ConstShape>(dev: &Dev, bound: f32) -> Tensor<S, f32, Dev> {
    dev.sample(Uniform::new_inclusive(-bound, bound))
}

/// Draws the weights of a matrix from `inputs` to `outputs` numbers: uniform
/// within ±√(6 / (inputs + outputs)). Glorot and Bengio 2010, "Understanding
/// the difficulty of training deep feedforward neural networks".
pub fn xavier_uniform<S: ConstShape>(
    dev: &Dev,
    inputs: usize,
    outputs: usize,
) -> Tensor<S, f32, Dev> {
    uniform(dev, xavier_bound(inputs, outputs))
}

/// Returns √(6 / (inputs + outputs)).
pub fn xavier_bound(inputs: usize, outputs: usize) -> f32 {
    (6.0 / (inputs + outputs) as f32).sqrt()
}
// ANCHOR_END: initial
