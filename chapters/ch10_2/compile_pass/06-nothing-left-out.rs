//! Leaving one of 50 out leaves 49, whatever the type claims. Section
//! 10.2.

use ch10_1::Dev;
use ch10_2::leave_one_out;
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let matrix: Tensor<Rank2<50, 50>, f32, Dev> = dev.sample_normal();
    leave_one_out::<50, 49>(matrix);
}
