//! The weights of every head in the worked example: on constant inputs, on
//! inputs that differ, and on the same inputs made larger.
//!
//! Worked answer to exercise 1 of section 10.5.

use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

type Layer = MultiHeadAttention<100, 5, 20>;
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
    let weights = |queries: Tensor3<2, 4, 100>, pairs: Tensor3<2, 6, 100>| {
        let mask = Mask::valid_lens([3, 2]);
        layer.forward(queries, pairs.clone(), pairs, &mask).weights.array()
    };
    let (queries, pairs) = (dev.sample_normal(), dev.sample_normal());
    let constant: Weights = weights(dev.ones(), dev.ones());
    let random: Weights = weights(queries.clone(), pairs.clone());
    let halved: Weights = weights(queries.clone() / 2.0, pairs.clone() / 2.0);
    let doubled: Weights = weights(queries * 2.0, pairs * 2.0);
    println!("mean entropy in nats of the weights of example 0; ln 3 = 1.0986");
    println!("{:<20}  head 0  head 1  head 2  head 3  head 4", "inputs");
    print("all 1", entropies(&constant));
    print("normal, halved", entropies(&halved));
    print("normal", entropies(&random));
    print("normal, doubled", entropies(&doubled));

    // Equal keys have equal scores, whatever the projections are.
    for (b, len) in [3, 2].into_iter().enumerate() {
        for row in constant[b].as_flattened() {
            let even = |&w: &f32| (w - 1.0 / len as f32).abs() < 1e-6;
            assert!(row[..len].iter().all(even));
        }
    }
    assert!(random[0][0] != random[0][1], "heads differ");
    let [small, usual, large] = [halved, random, doubled].map(|w| entropies(&w));
    for h in 0..5 {
        assert!(
            small[h] > usual[h] && usual[h] > large[h],
            "larger scores, sharper heads"
        );
    }
}
