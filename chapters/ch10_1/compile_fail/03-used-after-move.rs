//! The numbers were moved, and are used again. Reading the types.

use ch10_1::{Dev, Tensor1};
use dfdx::prelude::*;

fn main() {
    let x: Tensor1<3> = Dev::default().ones();
    let exponentials = x.exp();
    let squares = x.square();
    println!("{:?} {:?}", exponentials.array(), squares.array());
}
// Right, line 8: let exponentials = x.clone().exp();
