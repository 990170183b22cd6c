//! The scores were given away, and are asked for again. Reading the types.

use ch10_1::{Dev, hard_weights, weigh};
use dfdx::prelude::*;

fn main() {
    let scores: Tensor<Rank2<1, 3>, f32, Dev> = Dev::default().zeros();
    let soft = weigh(scores, 0.2);
    let hard = hard_weights(scores);
    println!("{:?} {:?}", soft.array(), hard.array());
}
