//! Positional encoding of section 10.6: its rows are added to the rows of the
//! sequence, so both have one width. PyTorch would say so at run time, or,
//! if one of them were 1 wide, not at all.

use ch10_6::PositionalEncoding;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

fn main() {
    let dev = Dev::default();
    let encoding: PositionalEncoding<60, 32> = PositionalEncoding::new(&dev, 0.0);
    let x: Tensor3<2, 4, 100> = dev.ones();
    encoding.forward(x);
}
// Right, line 11: let encoding: PositionalEncoding<60, 100> = PositionalEncoding::new(&dev, 0.0);
