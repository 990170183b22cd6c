//! The single head of section 10.6 makes narrower rows. Deep stacks add the
//! output of a layer to its input: these two do not add up.

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_6::SelfAttention;
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let layer: SelfAttention<128, 64> = SelfAttention::new(&dev);
    let x: Tensor<Rank3<3, 10, 128>, f32, Dev> = dev.ones();
    let found = layer.forward(x.clone(), &ValidLens::All);
    let sum = x + found.output;
    println!("{:?}", sum.shape());
}
