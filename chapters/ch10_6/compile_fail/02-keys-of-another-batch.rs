//! Attention of one batch of sequences to another, section 10.6: the last
//! batch of a data set is smaller, and keys of the batch before are left.

use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

fn main() {
    let dev = Dev::default();
    let layer: MultiHeadAttention<8, 2, 4> = MultiHeadAttention::new(&dev, 0.0);
    let x: Tensor3<2, 4, 8> = dev.ones();
    let before: Tensor3<3, 4, 8> = dev.ones();
    layer.forward(x, before.clone(), before, &Mask::none());
}
// Right, line 13: let before: Tensor3<2, 4, 8> = dev.ones();
