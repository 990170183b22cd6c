//! The decoder attends to rows of its own width. Section 10.7.

use ch10_3::Mask;
use ch10_7::{NormPosition, TransformerDecoder, TransformerEncoder};
use dfdx::prelude::*;
use kernels::Dev;

/// Width of the model, heads, their width, width of the networks.
type Encoder = TransformerEncoder<48, 4, 12, 64>;
type Decoder = TransformerDecoder<32, 4, 8, 64>;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let encoder = Encoder::new(&dev, 10, 2, 0.1, NormPosition::Post);
    let decoder = Decoder::new(&dev, 10, 2, 0.1, NormPosition::Post);
    let (memory, _) = encoder.forward(&[[4, 5, 3]], &Mask::none(), NoneTape);
    let (causal, none) = (Mask::causal(), Mask::none());
    let (rows, _) = decoder.forward(&[[2, 7]], &causal, memory, &none);
    println!("{:?}", rows.shape().concrete());
}
// Right, line 9: type Encoder = TransformerEncoder<32, 4, 8, 64>;
