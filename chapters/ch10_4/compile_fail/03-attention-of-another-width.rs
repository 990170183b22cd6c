//! Attention over states of 32 numbers in a translator whose states have 16.
//! Section 10.4.

use ch10_1::Dev;
use ch10_4::Attention;
use dfdx::prelude::*;
use seq2seq::translator::{Dropouts, Translator};

/// The embeddings have 8 numbers, the states 16.
type Model = Translator<8, 16, Attention<32>>;

fn main() {
    let dev = Dev::default();
    let attention = Attention::new(&dev, 0.0);
    let model = Model::new(&dev, (10, 10), 2, Dropouts::default(), attention);
    println!("{:?}", model.decoder.w_out.shape().concrete());
}
