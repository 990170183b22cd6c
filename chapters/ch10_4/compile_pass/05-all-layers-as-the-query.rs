//! The query is the state of the last layer, not the states of all layers.
//! Section 10.4.

use ch10_1::Dev;
use ch10_4::Attention;
use dfdx::prelude::*;
use seq2seq::context::Context;
use seq2seq::translator::{Dropouts, Translator};

type Model = Translator<8, 16, Attention<16>>;

fn main() {
    let dev = Dev::default();
    let attention = Attention::new(&dev, 0.0);
    let model = Model::new(&dev, (10, 10), 2, Dropouts::default(), attention);
    let (read, _) = model.encoder.forward(&[[4; 7]; 4], &[7; 4], NoneTape);
    let (memory, _) = model.decoder.context.memory(&read, NoneTape);
    let query = read.state[1].clone();
    let (context, _) = model.decoder.context.context(query, &memory);
    println!("{:?}", context.shape().concrete());
}
