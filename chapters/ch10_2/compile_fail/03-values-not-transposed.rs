//! The values lie in columns: 6 numbers by 4 pairs, not 4 pairs by 6 numbers.
//! Section 10.2.

use ch10_1::{Dev, Tensor3};
use ch10_2::pool_batch;
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let weights: Tensor3<2, 1, 4> = dev.ones() / 4.0;
    let values: Tensor3<2, 6, 4> = dev.sample_normal();
    pool_batch(weights, values);
}
// Right, line 11: let values: Tensor3<2, 4, 6> = dev.sample_normal();
