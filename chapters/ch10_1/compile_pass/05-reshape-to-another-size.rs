//! Twelve numbers do not fill fifteen places. Reading the types.

use ch10_1::Dev;
use dfdx::prelude::*;

fn main() {
    let row: Tensor<Rank1<12>, f32, Dev> = Dev::default().zeros();
    let _: Tensor<Rank2<3, 4>, f32, Dev> = row.reshape();
}
