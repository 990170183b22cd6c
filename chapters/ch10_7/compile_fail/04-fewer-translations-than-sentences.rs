//! Each sentence that is read has a translation. Section 10.7.

use ch10_7::{NormPosition, Transformer};
use dfdx::prelude::*;
use kernels::Dev;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let model: Transformer<32, 4, 8, 64> =
        Transformer::new(&dev, (10, 10), 2, 0.1, NormPosition::Post);
    let (sentences, lens) = ([[4, 5, 3]; 4], [3, 3, 2, 3]);
    let translations = [[2, 7, 8]; 3];
    let target = (&translations, &[3; 4]);
    let (rows, _) = model.forward((&sentences, &lens), target, NoneTape);
    println!("{:?}", rows.shape().concrete());
}
// Right, line 12: let translations = [[2, 7, 8]; 4];
