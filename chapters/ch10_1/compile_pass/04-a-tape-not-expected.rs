//! `weigh` is for evaluation; these scores record a tape. Reading the types.

use ch10_1::{Dev, weigh};
use dfdx::prelude::*;

fn main() {
    let scores: Tensor<Rank2<1, 3>, f32, Dev> = Dev::default().zeros();
    weigh(scores, 0.2);
}
