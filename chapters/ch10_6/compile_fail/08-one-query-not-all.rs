//! In the second layer of the coreference model only "it" is a query: one row of
//! weights a head. Section 10.6.

use ch10_6::coreference::{HEADS, Masks};
use ch10_6::task::sentences::{LENGTH, Model, SentenceBatch, Split};
use dfdx::prelude::*;
use kernels::{Dev, Tensor4};
use rand::SeedableRng;
use rand::rngs::StdRng;

fn main() {
    let (dev, mut rng) = (Dev::default(), StdRng::seed_from_u64(1));
    let batch: SentenceBatch<1> = SentenceBatch::draw(&dev, &mut rng, Split::Test);
    let masks = Masks::new(batch.tokens.lens);
    let output = Model::new(&dev, true).forward(&batch.tokens, &masks, NoneTape);
    let weights: Tensor4<1, HEADS, LENGTH, LENGTH> = output.second;
    println!("{:?}", weights.shape().concrete());
}
// Right, line 16: let weights: Tensor4<1, HEADS, 1, LENGTH> = output.second;
