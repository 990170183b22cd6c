//! Each sentence that is read has a translation. Section 10.7.

use ch10_1::Dev;
use ch10_7::{NormAt, Transformer};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let model: Transformer<32, 4, 8, 64> =
        Transformer::new(&dev, (10, 10), 2, 0.1, NormAt::Post);
    let (sentences, lens) = ([[4, 5, 3]; 4], [3, 3, 2, 3]);
    let translations = [[2, 7, 8, 6]; 4];
    let (read, _) = model.encoder.forward(&sentences, &lens, NoneTape);
    let decoder = model.decoder;
    let (rows, _) = decoder.forward(&translations, &[4; 4], read, &lens);
    println!("{:?}", rows.shape().concrete());
}
