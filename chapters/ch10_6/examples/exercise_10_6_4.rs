//! Gamma that starts at 0, at 1 and at -1: what the start is good for.
//!
//! Worked answer to exercise 4 of section 10.6.

use anyhow::Result;
use ch10_1::Dev;
use ch10_6::matching::{Seer, right, train};
use ch10_6::shapes::Album;
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

const STARTS: [f32; 3] = [0.0, 1.0, -1.0];

/// The loss of the first step, the share of right answers after 100 steps,
/// and gamma then.
fn trained(seed: u64, start: f32) -> Result<[f32; 3]> {
    let dev = Dev::seed_from_u64(seed);
    let mut rng = StdRng::seed_from_u64(seed);
    let test: Album<256> = Album::new(&dev, &mut rng);
    let mut seer = Seer::new(&dev);
    seer.attention.gamma = dev.tensor(start);
    let mut first = 0.0;
    train(&mut seer, &mut rng, 100, true, |step, loss, _| {
        first = if step == 1 { loss } else { first };
    })?;
    let gamma = seer.attention.gamma.array();
    Ok([first, right(&seer, &test, true), gamma])
}

fn main() -> Result<()> {
    println!("start  model  first loss   right   gamma");
    let mut right = [[0.0; 3]; 3];
    for (row, start) in right.iter_mut().zip(STARTS) {
        for (n, share) in row.iter_mut().enumerate() {
            let [first, of_100, gamma] = trained(106 + n as u64, start)?;
            print!("{start:>5}  {n:>5}  {first:>10.4}");
            println!("  {of_100:>6.4}  {gamma:>6.3}");
            *share = of_100;
        }
    }
    let mean = |row: [f32; 3]| row.iter().sum::<f32>() / 3.0;
    let [zero, one, minus] = right.map(mean);
    println!("mean right: {zero:.4}, {one:.4}, {minus:.4}");
    // Here nothing was there before that a start at 0 could protect.
    assert!(one > zero && minus > zero);
    Ok(())
}
