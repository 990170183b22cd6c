//! Attention over states of 32 numbers in a translator whose states have 16.
//! Section 10.4.

use ch10_1::Dev;
use ch10_4::{BahdanauAttention, CONFIG};
use dfdx::prelude::*;
use seq2seq::translator::Translator;

/// The embeddings have 8 numbers, the states 16.
type Model = Translator<8, 16, BahdanauAttention<16>>;

fn main() {
    let dev = Dev::default();
    let model = Model::new(&dev, (10, 10), &CONFIG, BahdanauAttention::new(&dev, 0.0));
    println!("{:?}", model.decoder.w_context.shape().concrete());
}
