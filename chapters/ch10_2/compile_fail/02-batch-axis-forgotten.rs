//! One row of weights for each of two examples, without the axis for the one
//! query. Section 10.2.

use ch10_1::*;
use ch10_2::pool_batch;
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let weights: Tensor2<2, 4> = dev.ones() / 4.0;
    let values: Tensor3<2, 4, 6> = dev.sample_normal();
    pool_batch(weights, values);
}
// Right, line 10: let weights: Tensor3<2, 1, 4> = dev.ones() / 4.0;
