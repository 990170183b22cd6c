//! Five things are weighed, but only four have a value. Section 10.1.

use ch10_1::{Dev, pool};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let weights: Tensor<Rank2<1, 5>, f32, Dev> = dev.ones() / 5.0;
    let values: Tensor<Rank2<4, 4>, f32, Dev> = dev.sample_uniform();
    pool(weights, values);
}
