//! Section 10.3: one length for every query.

use ch10_1::Dev;
use ch10_3::{ValidLens, masked_softmax};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let scores: Tensor<Rank3<2, 3, 4>, f32, Dev> = dev.sample_normal();
    let lens = ValidLens::PerQuery([[1, 3, 4], [2, 4, 4]]);
    masked_softmax(scores, &lens);
}
