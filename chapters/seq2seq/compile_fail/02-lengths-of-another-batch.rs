//! The interlude: one length for each sentence.

use ch10_1::Dev;
use dfdx::prelude::*;
use seq2seq::context::FixedContext;
use seq2seq::translator::{Config, Translator};

fn main() {
    let dev = Dev::seed_from_u64(0);
    let config = Config { layers: 2, embedding_dropout: 0.0, layer_dropout: 0.0 };
    let model: Translator<8, 16, FixedContext> =
        Translator::new(&dev, (10, 10), &config, FixedContext);
    let sentences = [[0; 7]; 4];
    let lens = [7, 5, 3];
    model.encoder.forward(&sentences, &lens, NoneTape);
}
// Right, line 14: let lens = [7, 5, 3, 7];
