//! The values lie in columns: 6 numbers by 4 pairs, not 4 pairs by 6
//! numbers. Section 10.2.

use ch10_1::Dev;
use ch10_2::pool_batch;
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let weights: Tensor<Rank3<2, 1, 4>, f32, Dev> = dev.ones() / 4.0;
    let values: Tensor<Rank3<2, 6, 4>, f32, Dev> = dev.sample_normal();
    pool_batch(weights, values);
}
