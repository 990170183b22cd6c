//! The interlude: one length for each sentence.

use ch10_1::Dev;
use dfdx::prelude::*;
use seq2seq::context::LastState;
use seq2seq::translator::{Dropouts, Translator};

fn main() {
    let dev = Dev::seed_from_u64(0);
    let model: Translator<8, 16, LastState> =
        Translator::new(&dev, (10, 10), 2, Dropouts::default(), LastState);
    let sentences = [[0; 7]; 4];
    let lens = [7, 5, 3];
    model.encoder.forward(&sentences, &lens, NoneTape);
}
