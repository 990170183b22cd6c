//! Five heads of width 10 hold half of a row of 100. Section 10.5.

use ch10_5::split_heads;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};

fn main() {
    let x: Tensor3<2, 4, 100> = Dev::default().zeros();
    let heads: Tensor4<2, 5, 4, 10> = split_heads(x);
    println!("{:?}", heads.shape().concrete());
}
// Right, line 9: let heads: Tensor4<2, 5, 4, 20> = split_heads(x);
