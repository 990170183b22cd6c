//! Leaving one of 50 out leaves 49, whatever the type claims. Section 10.2.

use ch10_1::{Dev, Tensor2};
use ch10_2::without_diagonal;
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let matrix: Tensor2<50, 50> = dev.sample_normal();
    without_diagonal::<50, 50>(matrix);
}
// Right, line 10: without_diagonal::<50, 49>(matrix);
