// ANCHOR: projection
//! A linear layer, with or without bias: section 10.5. It knows nothing of
//! attention.

use ch10_1::Dev;
use ch10_3::{fan_in, project};
use dfdx::prelude::*;

/// Multiplies each row by a matrix, from width I to width O, and adds a bias
/// if BIAS is true.
#[derive(Clone, Debug)]
pub struct Projection<const I: usize, const O: usize, const BIAS: bool> {
    /// One row for each number that comes out: (O, I).
    pub weight: Tensor<Rank2<O, I>, f32, Dev>,
    /// Added to each row that comes out: (O). Stays unused without BIAS.
    pub bias: Tensor<Rank1<O>, f32, Dev>,
}
// ANCHOR_END: projection

// ANCHOR: projection_forward
impl<const I: usize, const O: usize, const BIAS: bool> Projection<I, O, BIAS> {
    /// A layer whose weights are drawn from `dev`'s random numbers by
    /// [`fan_in`]; its bias starts at 0.
    pub fn new(dev: &Dev) -> Self {
        let mut layer = Self { weight: dev.zeros(), bias: dev.zeros() };
        layer.reset_params();
        layer
    }

    /// (B, S, I) to (B, S, O).
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<B, S, I>, f32, Dev, T>,
    ) -> Tensor<Rank3<B, S, O>, f32, Dev, T> {
        let x: Tensor<Rank3<B, S, O>, f32, Dev, T> = project(x, &self.weight);
        if BIAS {
            x + self.bias.retaped::<T>().broadcast::<_, Axes2<0, 1>>()
        } else {
            x
        }
    }
}
// ANCHOR_END: projection_forward

// ANCHOR: projection_tensors
impl<const I: usize, const O: usize, const BIAS: bool> TensorCollection<f32, Dev>
    for Projection<I, O, BIAS>
{
    type To<E2: Dtype, D2: Device<E2>> = ();

    fn iter_tensors<V: ModuleVisitor<Self, f32, Dev>>(
        visitor: &mut V,
    ) -> Result<Option<()>, V::Err> {
        let w = TensorOptions::reset_with(fan_in);
        let mut b = TensorOptions::reset_to_zeros();
        b.do_gradient_update = BIAS;
        visitor.visit_fields(
            (
                Self::tensor("weight", |s| &s.weight, |s| &mut s.weight, w),
                Self::tensor("bias", |s| &s.bias, |s| &mut s.bias, b),
            ),
            |_| (),
        )
    }
}
// ANCHOR_END: projection_tensors
