//! `mean` takes numbers without a tape; these record one. Reading the types.

use ch10_1::{Dev, Tensor1};
use dfdx::prelude::*;

fn mean(x: Tensor1<3>) -> f32 {
    x.mean().array()
}

fn main() {
    let x: Tensor1<3> = Dev::default().ones();
    println!("{}", mean(x.leaky_trace()));
}
// Right, line 12: println!("{}", mean(x.clone()));
