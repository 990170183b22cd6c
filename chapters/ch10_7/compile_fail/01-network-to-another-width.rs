//! What a layer gives is added to what it took: the widths must agree.
//! Section 10.7.

use ch10_1::Dev;
use ch10_7::{AddNorm, NormAt, PositionWiseFfn};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let ffn: PositionWiseFfn<24, 48, 32> = PositionWiseFfn::new(&dev);
    let around = AddNorm::new(&dev, 0.1, NormAt::Post);
    let x: Tensor<Rank3<2, 10, 24>, f32, Dev> = dev.ones();
    let y = ffn.forward(around.before(x.clone()));
    println!("{:?}", around.after(x, y).shape().concrete());
}
