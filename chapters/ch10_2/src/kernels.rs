// ANCHOR: header
//! Section 10.2, kernels and widths: other functions of the distance than the
//! Gaussian, each with a width.

use ch10_1::{Dev, Tensor1, Tensor2};
use dfdx::prelude::*;
// ANCHOR_END: header

// ANCHOR: kernel
/// How the weight falls with the distance r in widths, up to a constant factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// exp(-r²/2)
    Gaussian,
    /// 1 as far as |r| is at most 1, else 0
    Boxcar,
    /// 1 - r² as far as |r| is at most 1, else 0
    Epanechnikov,
    /// 1
    Constant,
}

impl Kernel {
    /// Returns the kernel at each distance.
    pub fn at<S: ConstShape>(self, r: Tensor<S, f32, Dev>) -> Tensor<S, f32, Dev> {
        let dev = r.device();
        let (ones, zeros) = (dev.ones::<S>(), dev.zeros::<S>());
        match self {
            Kernel::Gaussian => (r.square() * -0.5).exp(),
            Kernel::Boxcar => r.abs().le(1.0).choose(ones, zeros),
            Kernel::Epanechnikov => (r.square().negate() + 1.0).relu(),
            Kernel::Constant => ones,
        }
    }
}
// ANCHOR_END: kernel

// ANCHOR: kernel_weights
/// Returns the weights of a kernel: its values at u / width, divided by their
/// sum. A query without any key in its window gets zeros.
///
/// # Panics
/// If the width is not above 0.
pub fn kernel_weights<const Q: usize, const K: usize>(
    kernel: Kernel,
    width: f32,
    u: Tensor2<Q, K>,
) -> Tensor2<Q, K> {
    assert!(width > 0.0, "a width is above 0");
    let heights = kernel.at(u / width);
    let sums: Tensor1<Q> = heights.clone().sum::<_, Axis<1>>();
    let sums: Tensor2<Q, K> = sums.broadcast::<_, Axis<1>>();
    (heights / sums).nans_to(0.0) // an empty window is 0/0
}
// ANCHOR_END: kernel_weights
