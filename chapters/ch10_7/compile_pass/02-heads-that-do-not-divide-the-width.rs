//! Seven heads of width 4 make 28, not 32. Section 10.7.

use ch10_7::{NormPosition, Transformer};
use kernels::Dev;

/// Width of the model, heads, their width, width of the networks.
type Model = Transformer<32, 8, 4, 64>;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let model = Model::new(&dev, (184, 201), 2, 0.1, NormPosition::Post);
    println!("{} layers", model.encoder.blocks.len());
}
