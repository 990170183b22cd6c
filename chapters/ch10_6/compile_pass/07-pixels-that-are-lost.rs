//! Twelve lines of 15 pixels are 180 pixels, not 160. Section 10.6.

use ch10_1::Dev;
use ch10_6::pixels::to_rows;
use dfdx::prelude::*;

fn main() {
    let picture: Tensor<Rank4<3, 16, 12, 15>, f32, Dev> =
        Dev::default().zeros();
    let rows: Tensor<Rank3<3, 180, 16>, f32, Dev> = to_rows(picture);
    println!("{:?}", rows.shape().concrete());
}
