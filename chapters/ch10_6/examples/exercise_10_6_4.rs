//! Gamma that starts at 0, at 1 and at -1: what the start is good for.
//!
//! Worked answer to exercise 4 of section 10.6.

use ch10_6::task::classifier::{LR, ShapeClassifier, accuracy, train};
use ch10_6::task::shapes::ShapeBatch;
use dfdx::prelude::*;
use kernels::Dev;
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::spread;

const STARTS: [f32; 3] = [0.0, 1.0, -1.0];

/// The loss of the first step, the share of right answers after 100 steps,
/// and gamma then.
fn trained(seed: u64, start: f32) -> [f32; 3] {
    let dev = Dev::seed_from_u64(seed);
    let mut rng = StdRng::seed_from_u64(seed);
    let test: ShapeBatch<256> = ShapeBatch::new(&dev, &mut rng);
    let mut model = ShapeClassifier::new(&dev);
    model.attention.gamma = dev.tensor(start);
    let mut first = 0.0;
    train(&mut model, &mut rng, (100, LR), true, |step, loss, _| {
        first = if step == 1 { loss } else { first };
    });
    let gamma = model.attention.gamma.array();
    [first, accuracy(&model, &test, true), gamma]
}

fn main() {
    println!("start  model  first loss   right   gamma");
    let mut right = [[0.0; 3]; 3];
    for (row, start) in right.iter_mut().zip(STARTS) {
        for (n, share) in row.iter_mut().enumerate() {
            let [first, of_100, gamma] = trained(n as u64, start);
            print!("{start:>5}  {n:>5}  {first:>10.4}");
            println!("  {of_100:>6.4}  {gamma:>6.3}");
            *share = of_100;
        }
    }
    let [zero, one, minus] = right.map(|row| spread(row).mean);
    println!("mean right: {zero:.4}, {one:.4}, {minus:.4}");
    // Here nothing was there before that a start at 0 could protect.
    assert!(one > zero && minus > zero);
}
