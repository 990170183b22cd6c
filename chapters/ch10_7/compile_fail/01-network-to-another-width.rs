//! What a sublayer returns is added to what it took: the widths must agree.
//! Section 10.7.

use ch10_7::{FeedForward, NormPosition, Residual};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

fn main() {
    let dev = Dev::seed_from_u64(0);
    let network: FeedForward<24, 48, 32> = FeedForward::new(&dev);
    let residual = Residual::new(&dev, 0.1, NormPosition::Post);
    let x: Tensor3<2, 10, 24> = dev.ones();
    let (y, ()) = residual.forward(x, |x| (network.forward(x), ()));
    println!("{:?}", y.shape().concrete());
}
// Right, line 10: let network: FeedForward<24, 48, 24> = FeedForward::new(&dev);
