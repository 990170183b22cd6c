//! Section 10.3: in training, what a tape records.

use ch10_1::Dev;
use ch10_3::{DotProductAttention, ValidLens};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let queries: Tensor<Rank3<2, 1, 2>, f32, Dev> = dev.sample_normal();
    let keys: Tensor<Rank3<2, 10, 2>, f32, Dev> = dev.sample_normal();
    let values: Tensor<Rank3<2, 10, 4>, f32, Dev> = dev.sample_normal();
    let attention = DotProductAttention { dropout: 0.5 };
    attention.forward(
        queries.leaky_trace(),
        keys,
        values.retaped(),
        &ValidLens::All,
    );
}
