//! Five things are weighed, but only four have a value. Section 10.1.

use ch10_1::{Dev, Tensor2, pool};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let weights: Tensor2<1, 5> = dev.ones() / 5.0;
    let values: Tensor2<4, 4> = dev.sample_uniform();
    pool(weights, values);
}
// Right, line 9: let values: Tensor2<5, 4> = dev.sample_uniform();
