//! The query is the state of the last layer, not the states of all layers.
//! Section 10.4.

use ch10_1::Dev;
use ch10_4::{BahdanauAttention, CONFIG};
use dfdx::prelude::*;
use seq2seq::context::Context;
use seq2seq::translator::Translator;

type Model = Translator<8, 16, BahdanauAttention<16>>;

fn main() {
    let dev = Dev::default();
    let Model { encoder, decoder } =
        Model::new(&dev, (10, 10), &CONFIG, BahdanauAttention::new(&dev, 0.0));
    let (encoded, _) = encoder.forward(&[[4; 7]; 4], &[7; 4], NoneTape);
    let (memory, _) = decoder.context.memory(&encoded, NoneTape);
    let query = encoded.state.clone();
    let attended = decoder.context.context(query, &memory);
    println!("{:?}", attended.context.shape().concrete());
}
// Right, line 18: let query = encoded.state[0].clone();
