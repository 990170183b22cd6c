//! Each point leaves itself out, so 49 weights; but all 50 values came
//! along. Section 10.2.

use ch10_1::Dev;
use ch10_2::pool_own;
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let weights: Tensor<Rank2<50, 49>, f32, Dev> = dev.ones() / 49.0;
    let values: Tensor<Rank2<50, 50>, f32, Dev> = dev.sample_normal();
    pool_own(weights, values);
}
