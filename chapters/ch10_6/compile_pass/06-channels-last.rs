//! A picture with its channels last, where they come before the lines.
//! Section 10.6.

use ch10_1::Dev;
use ch10_6::pixels::to_rows;
use dfdx::prelude::*;

/// Sixteen channels, 12 lines of 15 pixels.
type Pixels = Tensor<Rank3<3, 180, 16>, f32, Dev>;

fn main() {
    let dev = Dev::default();
    let picture: Tensor<Rank4<3, 16, 12, 15>, f32, Dev> = dev.zeros();
    let rows: Pixels = to_rows(picture);
    println!("{:?}", rows.shape().concrete());
}
