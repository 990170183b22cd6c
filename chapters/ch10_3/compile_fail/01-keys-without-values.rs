//! Section 10.3: every key has its value.

use ch10_1::{Dev, Tensor3};
use ch10_3::{DotProductAttention, Mask};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let queries: Tensor3<2, 1, 2> = dev.sample_normal();
    let keys: Tensor3<2, 10, 2> = dev.sample_normal();
    let values: Tensor3<2, 9, 4> = dev.sample_normal();
    let attention = DotProductAttention::default();
    attention.forward(queries, keys, values, &Mask::none());
}
// Right, line 11: let values: Tensor3<2, 10, 4> = dev.sample_normal();
