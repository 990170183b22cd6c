//! Section 10.3: which scores go with these widths.

use ch10_1::Dev;
use ch10_3::*;
use dfdx::prelude::*;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let queries: Tensor<Rank3<2, 1, 20>, f32, Dev> = dev.sample_normal();
    let keys: Tensor<Rank3<2, 10, 2>, f32, Dev> = dev.sample_normal();
    let values: Tensor<Rank3<2, 10, 4>, f32, Dev> = dev.sample_normal();
    let attention = DotProductAttention::default();
    attention.forward(queries, keys, values, &ValidLens::All);
}
