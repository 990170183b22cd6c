//! A sentence of ten steps was read, and the decoder is to attend to nine.
//! Section 10.4.

use ch10_1::Dev;
use ch10_4::{BahdanauAttention, CONFIG};
use dfdx::prelude::*;
use seq2seq::translator::Translator;

type Model = Translator<8, 16, BahdanauAttention<16>>;

fn main() {
    let dev = Dev::default();
    let Model { encoder, decoder } =
        Model::new(&dev, (10, 10), &CONFIG, BahdanauAttention::new(&dev, 0.0));
    let (encoded, _) = encoder.forward::<1, 10, _>(&[[4; 10]], &[8], NoneTape);
    let (mut state, _) = decoder.start(encoded, NoneTape);
    let (_, weights) = decoder.forward::<1, 9, 1, _>(&[[2]], &mut state, NoneTape);
    println!("{:?}", weights[0].shape().concrete());
}
// Right, line 17: let (_, weights) = decoder.forward::<1, 10, 1, _>(&[[2]], &mut state, NoneTape);
