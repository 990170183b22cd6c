//! A sentence of ten steps was read, and the decoder is told that it looks at
//! nine. Section 10.4.

use ch10_1::Dev;
use ch10_4::Attention;
use dfdx::prelude::*;
use seq2seq::translator::{Dropouts, Translator};

type Model = Translator<8, 16, Attention<16>>;

fn main() {
    let dev = Dev::default();
    let attention = Attention::new(&dev, 0.0);
    let Model { encoder, decoder } =
        Model::new(&dev, (10, 10), 2, Dropouts::default(), attention);
    let (read, _) = encoder.forward::<10, 1, _>(&[[4; 10]], &[8], NoneTape);
    let (mut writing, _) = decoder.start(read, NoneTape);
    let (_, weights) =
        decoder.forward::<9, 1, 1, _>(&[[2]], &mut writing, NoneTape);
    println!("{:?}", weights[0].shape().concrete());
}
