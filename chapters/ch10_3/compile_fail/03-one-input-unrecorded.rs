//! Section 10.3: in training, what a tape records.

use ch10_1::{Dev, Tensor3};
use ch10_3::{DotProductAttention, Mask};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let queries: Tensor3<2, 1, 2> = dev.sample_normal();
    let keys: Tensor3<2, 10, 2> = dev.sample_normal();
    let values: Tensor3<2, 10, 4> = dev.sample_normal();
    let attention = DotProductAttention { dropout: 0.5 };
    attention.forward(
        queries.leaky_trace(),
        keys,
        values.retaped(),
        &Mask::none(),
    );
}
// Right, line 15: keys.retaped(),
