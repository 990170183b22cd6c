//! Self-attention of section 10.6: each row of a sequence is a query, so
//! lengths for each query need one for each row. These are for three rows.

use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use ch10_6::self_attention;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

fn main() {
    let dev = Dev::default();
    let layer: MultiHeadAttention<8, 2, 4> = MultiHeadAttention::new(&dev, 0.0);
    let x: Tensor3<2, 4, 8> = dev.ones();
    let mask = Mask::valid_lens_per_query([[1, 2, 3]; 2]);
    self_attention(&layer, x, &mask);
}
// Right, line 14: let mask = Mask::valid_lens_per_query([[1, 2, 3, 4]; 2]);
