//! A picture with its channels last, where they come before the lines.
//! Section 10.6.

use ch10_6::pixels::to_rows;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};

/// Sixteen channels, 12 lines of 15 pixels.
type Pixels = Tensor3<3, 180, 16>;

fn main() {
    let dev = Dev::default();
    let picture: Tensor4<3, 12, 15, 16> = dev.zeros();
    let rows: Pixels = to_rows(picture);
    println!("{:?}", rows.shape().concrete());
}
// Right, line 13: let picture: Tensor4<3, 16, 12, 15> = dev.zeros();
