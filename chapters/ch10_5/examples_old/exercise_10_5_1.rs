//! The weights of every head in the worked example: on constant inputs, and
//! on inputs that differ.
//!
//! Worked answer to exercise 1 of section 10.5.

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;

type Layer = MultiHeadAttention<100, 100, 100, 5, 20, 100>;
type Weights = [[[[f32; 6]; 4]; 5]; 2];

/// The uncertainty of a row of weights, in nats: ln n for n equal weights,
/// 0 if one weight is 1.
fn entropy(row: &[f32]) -> f32 {
    row.iter().filter(|&&w| w > 0.0).map(|w| -w * w.ln()).sum()
}

/// The mean over the queries of example 0, for each head.
fn entropies(weights: &Weights) -> [f32; 5] {
    weights[0].map(|head| head.iter().map(|row| entropy(row)).sum::<f32>() / 4.0)
}

fn print(label: &str, entropies: [f32; 5]) {
    print!("{label:<20}");
    entropies.iter().for_each(|e| print!("{e:8.4}"));
    println!();
}

fn main() {
    let dev = Dev::seed_from_u64(1);
    let layer = Layer::new(&dev, 0.0);
    let lens = ValidLens::PerExample([3, 2]);
    let weights = |queries, pairs: Tensor<Rank3<2, 6, 100>, f32, Dev>| {
        layer.forward(queries, pairs.clone(), pairs, &lens).weights.array()
    };
    let constant: Weights = weights(dev.ones(), dev.ones());
    let random: Weights = weights(dev.sample_normal(), dev.sample_normal());
    let larger: Weights = weights(dev.sample_normal() * 3.0, dev.sample_normal() * 3.0);
    println!("mean entropy in nats of the weights of example 0; ln 3 = 1.0986");
    println!("{:<20}  head 0  head 1  head 2  head 3  head 4", "inputs");
    print("all 1", entropies(&constant));
    print("normal", entropies(&random));
    print("normal, times 3", entropies(&larger));

    // Equal keys have equal scores, whatever the projections are.
    for (b, len) in [3, 2].into_iter().enumerate() {
        for row in constant[b].as_flattened() {
            let even = |&w: &f32| (w - 1.0 / len as f32).abs() < 1e-6;
            assert!(row[..len].iter().all(even));
        }
    }
    assert!(random[0][0] != random[0][1], "heads differ");
    for (a, b) in entropies(&random).iter().zip(entropies(&larger)) {
        assert!(*a < 3f32.ln() && b < *a, "larger scores, sharper heads");
    }
}
