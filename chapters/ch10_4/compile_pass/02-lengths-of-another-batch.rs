//! What was read of four sentences, with the lengths of three. Section 10.4.

use ch10_1::Dev;
use ch10_4::Attention;
use dfdx::prelude::*;
use seq2seq::context::Context;
use seq2seq::encoder::Encoded;

fn main() {
    let dev = Dev::default();
    let attention: Attention<16> = Attention::new(&dev, 0.0);
    let outputs: Tensor<Rank3<7, 4, 16>, f32, Dev> = dev.ones();
    let state = vec![dev.zeros()];
    let encoded = Encoded { outputs, state, lens: [7, 5, 3, 7] };
    let (memory, _) = attention.memory(&encoded, NoneTape);
    println!("{:?}", memory.values.shape().concrete());
}
