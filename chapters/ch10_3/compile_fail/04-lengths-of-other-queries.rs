//! Section 10.3: one length for every query.

use ch10_1::{Dev, Tensor3};
use ch10_3::{Mask, masked_softmax};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let scores: Tensor3<2, 3, 4> = dev.sample_normal();
    let mask = Mask::valid_lens_per_query([[1, 3], [2, 4]]);
    masked_softmax(scores, &mask);
}
// Right, line 10: let mask = Mask::valid_lens_per_query([[1, 3, 4], [2, 4, 4]]);
