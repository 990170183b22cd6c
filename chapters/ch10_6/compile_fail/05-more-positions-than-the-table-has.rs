//! Positional encoding of section 10.6: a sequence that is longer than the
//! table. The number of rows is known when the program is built.

use ch10_6::PositionalEncoding;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

fn main() {
    let dev = Dev::default();
    let encoding: PositionalEncoding<60, 32> = PositionalEncoding::new(&dev, 0.0);
    let x: Tensor3<2, 61, 32> = dev.ones();
    encoding.forward(x);
}
// Right, line 11: let x: Tensor3<2, 60, 32> = dev.ones();
