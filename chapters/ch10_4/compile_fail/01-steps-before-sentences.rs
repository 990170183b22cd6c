//! States with the steps on their first axis, where attention wants the
//! sentences: refused whatever the numbers are, equal ones too. Section 10.4.

use ch10_1::{Dev, Tensor3};
use ch10_3::{AdditiveAttention, Mask};
use dfdx::prelude::*;

fn attend<const B: usize, const S: usize>(
    query: Tensor3<B, 1, 16>,
    keys: Tensor3<B, S, 16>,
    values: Tensor3<S, B, 16>,
) {
    let attention: AdditiveAttention<16, 16, 16> =
        AdditiveAttention::new(&Dev::default(), 0.0);
    attention.forward(query, keys, values, &Mask::none());
}

fn main() {
    let dev = Dev::default();
    attend::<7, 7>(dev.ones(), dev.ones(), dev.ones());
}
// Right, line 11: values: Tensor3<B, S, 16>,
