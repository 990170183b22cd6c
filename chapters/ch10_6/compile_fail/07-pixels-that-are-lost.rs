//! Twelve lines of 15 pixels are 180 pixels, not 160. Section 10.6.

use ch10_6::pixels::to_rows;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};

fn main() {
    let picture: Tensor4<3, 16, 12, 15> =
        Dev::default().zeros();
    let rows: Tensor3<3, 160, 16> = to_rows(picture);
    println!("{:?}", rows.shape().concrete());
}
