//! Keys have two features; this query asks for three. Section 10.1.

use ch10_1::{Dev, KEYS, score};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let keys: Tensor<Rank2<5, 2>, f32, Dev> = dev.tensor(KEYS);
    let query = dev.tensor([[1.0, 2.0]]);
    score(query, keys);
}
