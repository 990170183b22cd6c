//! The states of four sentences, with the lengths of three. Section 10.4.

use ch10_1::{Dev, Tensor3};
use ch10_4::BahdanauAttention;
use dfdx::prelude::*;
use seq2seq::context::Context;
use seq2seq::encoder::Encoded;

fn main() {
    let dev = Dev::default();
    let attention: BahdanauAttention<16> = BahdanauAttention::new(&dev, 0.0);
    let outputs: Tensor3<4, 7, 16> = dev.ones();
    let state = vec![dev.zeros()];
    let encoded = Encoded { outputs, state, lens: [7, 5, 3, 7] };
    let (memory, _) = attention.memory(&encoded, NoneTape);
    println!("{:?}", memory.values.shape().concrete());
}
