//! The decoder looks at rows of its own width. Section 10.7.

use ch10_1::Dev;
use ch10_7::{NormAt, TransformerDecoder, TransformerEncoder};
use dfdx::prelude::*;

/// Width of the model, heads, their width, width of the networks.
type Encoder = TransformerEncoder<48, 4, 12, 64>;
type Decoder = TransformerDecoder<32, 4, 8, 64>;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let encoder = Encoder::new(&dev, 10, 2, 0.1, NormAt::Post);
    let decoder = Decoder::new(&dev, 10, 2, 0.1, NormAt::Post);
    let (read, _) = encoder.forward(&[[4, 5, 3]], &[3], NoneTape);
    let (rows, _) = decoder.forward(&[[2, 7]], &[2], read, &[3]);
    println!("{:?}", rows.shape().concrete());
}
