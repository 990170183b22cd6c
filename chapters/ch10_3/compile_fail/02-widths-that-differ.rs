//! Section 10.3: which scores go with these widths.

use ch10_1::{Dev, Tensor3};
use ch10_3::*;
use dfdx::prelude::*;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let queries: Tensor3<2, 1, 20> = dev.sample_normal();
    let keys: Tensor3<2, 10, 2> = dev.sample_normal();
    let values: Tensor3<2, 10, 4> = dev.sample_normal();
    let attention = DotProductAttention::default();
    attention.forward(queries, keys, values, &Mask::none());
}
// Right, line 12: let attention = AdditiveAttention::<20, 2, 8>::new(&dev, 0.0);
