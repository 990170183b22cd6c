//! Attention of one batch of sequences to another, section 10.6: the last
//! batch of a data set is smaller, and keys of the batch before are left.

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let layer: MultiHeadAttention<8, 8, 8, 2, 4, 8> =
        MultiHeadAttention::new(&dev, 0.0);
    let x: Tensor<Rank3<2, 4, 8>, f32, Dev> = dev.ones();
    let before: Tensor<Rank3<3, 4, 8>, f32, Dev> = dev.ones();
    layer.forward(x, before.clone(), before, &ValidLens::All);
}
