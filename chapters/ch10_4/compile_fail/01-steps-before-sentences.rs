//! The encoder's outputs have the steps on their first axis, attention wants
//! the sentences there. Section 10.4.

use ch10_1::Dev;
use ch10_3::{AdditiveAttention, ValidLens};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let attention: AdditiveAttention<16, 16, 16> =
        AdditiveAttention::new(&dev, 0.0);
    let query: Tensor<Rank3<4, 1, 16>, f32, Dev> = dev.ones();
    let outputs: Tensor<Rank3<7, 4, 16>, f32, Dev> = dev.ones();
    let swapped: Tensor<Rank3<4, 7, 16>, f32, Dev> = outputs.clone().permute();
    let (keys, values) = (swapped.clone(), outputs);
    let lens = ValidLens::PerExample([7; 4]);
    let attended = attention.forward(query, keys, values, &lens);
    println!("{:?}", attended.weights.shape().concrete());
    println!("{:?}", swapped.shape().concrete());
}
