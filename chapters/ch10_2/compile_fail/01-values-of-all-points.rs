//! Each point leaves itself out, so 49 weights; but all 50 values came along.
//! Section 10.2.

use ch10_1::{Dev, Tensor2};
use ch10_2::pool_own;
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let weights: Tensor2<50, 49> = dev.ones() / 49.0;
    let values: Tensor2<50, 50> = dev.sample_normal();
    pool_own(weights, values);
}
// Right, line 11: let values: Tensor2<50, 49> = dev.sample_normal();
