//! In the second layer of the reader only "it" asks: one row of weights a
//! head. Section 10.6.

use ch10_1::Dev;
use ch10_6::it::{Batch, HEADS, Reader};
use ch10_6::sentences::{Sentence, WORDS};
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

fn main() {
    let (dev, mut rng) = (Dev::default(), StdRng::seed_from_u64(1));
    let sentences = vec![Sentence::draw(&mut rng, false)];
    let batch: Batch<1> = Batch::new(&dev, sentences);
    let read = Reader::new(&dev, true).forward(&batch, NoneTape);
    let weights: Tensor<Rank4<1, HEADS, WORDS, WORDS>, f32, Dev> = read.second;
    println!("{:?}", weights.shape().concrete());
}
