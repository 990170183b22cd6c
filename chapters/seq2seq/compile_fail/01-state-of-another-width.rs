//! The interlude: encoder and decoder share the width of their states.

use ch10_1::Dev;
use dfdx::prelude::*;
use seq2seq::context::FixedContext;
use seq2seq::decoder::Decoder;
use seq2seq::encoder::Encoder;
use seq2seq::embedding::Embedding;
use seq2seq::gru::Gru;
use seq2seq::translator::Config;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let encoder: Encoder<8, 16> = Encoder {
        embedding: Embedding::new(&dev, 10),
        dropout: 0.0,
        rnn: Gru::new(&dev, 8, 2, 0.0),
    };
    let config = Config { layers: 2, embedding_dropout: 0.0, layer_dropout: 0.0 };
    let decoder = Decoder::<8, 32, _>::new(&dev, 10, &config, FixedContext);
    let (encoded, tape) = encoder.forward(&[[0; 7]; 4], &[7; 4], NoneTape);
    decoder.start(encoded, tape);
}
// Right, line 20: let decoder = Decoder::<8, 16, _>::new(&dev, 10, &config, FixedContext);
