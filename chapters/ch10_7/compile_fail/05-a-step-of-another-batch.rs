//! What was kept for one sentence serves for one. Section 10.7.

use ch10_1::Dev;
use ch10_7::{NormAt, Transformer};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let model: Transformer<32, 4, 8, 64> =
        Transformer::new(&dev, (10, 10), 2, 0.1, NormAt::Post);
    let (read, _) = model.encoder.forward(&[[4, 5, 3]], &[3], NoneTape);
    let mut writing = model.decoder.start::<_, 10, _>(&read, &[3]);
    let tokens = [2, 7, 8, 6];
    let (row, _) = model.decoder.step(&tokens, &mut writing);
    println!("{:?}", row.shape().concrete());
}
