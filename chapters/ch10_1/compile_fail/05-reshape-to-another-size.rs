//! Twelve numbers do not fill fifteen places. Reading the types.

use ch10_1::{Dev, Tensor1, Tensor2};
use dfdx::prelude::*;

fn main() {
    let row: Tensor1<12> = Dev::default().zeros();
    let _: Tensor2<3, 5> = row.reshape();
}
// Right, line 8: let _: Tensor2<3, 4> = row.reshape();
