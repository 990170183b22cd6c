//! Five heads of width 10 hold half of a row of 100. Section 10.5.

use ch10_1::Dev;
use ch10_5::split_heads;
use dfdx::prelude::*;

fn main() {
    let x: Tensor<Rank3<2, 4, 100>, f32, Dev> = Dev::default().zeros();
    let heads: Tensor<Rank4<2, 5, 4, 20>, f32, Dev> = split_heads(x);
    println!("{:?}", heads.shape().concrete());
}
