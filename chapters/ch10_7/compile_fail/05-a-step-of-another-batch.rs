//! A cache for one sentence serves for one. Section 10.7.

use ch10_3::Mask;
use ch10_7::{NormPosition, Transformer};
use dfdx::prelude::*;
use kernels::Dev;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let model: Transformer<32, 4, 8, 64> =
        Transformer::new(&dev, (10, 10), 2, 0.1, NormPosition::Post);
    let (memory, _) = model.encoder.forward(&[[4, 5, 3]], &Mask::none(), NoneTape);
    let mut state = model.decoder.start::<_, 10, _>(&memory, [3]);
    let tokens = [2, 7, 8, 6];
    let (row, _) = model.decoder.step(&tokens, &mut state);
    println!("{:?}", row.shape().concrete());
}
// Right, line 14: let tokens = [2];
