//! The single head of section 10.6 makes narrower rows. Deep stacks add the
//! output of a layer to its input: these two do not add up.

use ch10_3::Mask;
use ch10_6::SelfAttention;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

fn main() {
    let dev = Dev::default();
    let layer: SelfAttention<128, 64> = SelfAttention::new(&dev);
    let x: Tensor3<3, 10, 128> = dev.ones();
    let found = layer.forward(x.clone(), &Mask::none());
    let sum = x + found.output;
    println!("{:?}", sum.shape());
}
// Right, line 11: let layer: SelfAttention<128, 128> = SelfAttention::new(&dev);
