//! The interlude: encoder and decoder share the width of their states.

use ch10_1::Dev;
use dfdx::prelude::*;
use seq2seq::context::LastState;
use seq2seq::translator::{Dropouts, Translator};

fn main() {
    let dev = Dev::seed_from_u64(0);
    let reads: Translator<8, 16, LastState> =
        Translator::new(&dev, (10, 10), 2, Dropouts::default(), LastState);
    let writes: Translator<8, 32, LastState> =
        Translator::new(&dev, (10, 10), 2, Dropouts::default(), LastState);
    let (encoded, tape) =
        reads.encoder.forward(&[[0; 7]; 4], &[7; 4], NoneTape);
    writes.decoder.start(encoded, tape);
}
