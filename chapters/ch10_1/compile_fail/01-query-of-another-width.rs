//! Keys have two features; this query asks for three. Section 10.1.

use ch10_1::{Dev, KEYS, Tensor2, score};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let keys: Tensor2<5, 2> = dev.tensor(KEYS);
    let query = dev.tensor([[1.0, 2.0, 0.5]]);
    score(query, keys);
}
// Right, line 9: let query = dev.tensor([[1.0, 2.0]]);
