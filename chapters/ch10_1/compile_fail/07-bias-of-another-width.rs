//! Rows of 3 numbers, and a bias of 4. Reading the types.

use ch10_1::{Dev, Tensor1, Tensor2};
use dfdx::prelude::*;

fn add<const A: usize, const B: usize>(
    x: Tensor2<A, B>,
    bias: Tensor1<B>,
) -> Tensor2<A, B> {
    x + bias.broadcast()
}

fn main() {
    let dev = Dev::default();
    let x: Tensor2<2, 3> = dev.zeros();
    let bias: Tensor1<4> = dev.ones();
    add(x, bias);
}
// Right, line 16: let bias: Tensor1<3> = dev.ones();
