//! What is left of the rows, and of their order, when layers of self-attention
//! are stacked. Nothing is trained.
//!
//! Worked answer to exercise 1 of section 10.6.

use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use ch10_6::{PositionalEncoding, self_attention};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

const S: usize = 8;
const M: usize = 32;

type Rows = Tensor3<1, S, M>;
type Layer = MultiHeadAttention<M, 4, 8>;

/// All layers, one after the other: each alone, or added to what it was
/// given.
fn stack(layers: &[Layer], x: Rows, skip: bool) -> Vec<f32> {
    let pass = |x: Rows, layer: &Layer| {
        let output = self_attention(layer, x.clone(), &Mask::none()).output;
        if skip { x + output } else { output }
    };
    layers.iter().fold(x, pass).as_vec()
}

fn length(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.map(|x| x * x).sum::<f64>().sqrt()
}

fn wide(numbers: &[f32]) -> impl Iterator<Item = f64> {
    numbers.iter().map(|&x| f64::from(x))
}

/// How far the rows are from their mean, as a share of their length: 0 if
/// they are all the same.
fn spread(rows: &[f32]) -> f64 {
    let column = |m: usize| wide(rows).skip(m).step_by(M).sum::<f64>();
    let mean: Vec<f64> = (0..M).map(|m| column(m) / S as f64).collect();
    let apart = wide(rows).zip(mean.iter().cycle()).map(|(x, mean)| x - mean);
    length(apart) / length(wide(rows))
}

/// How much two outcomes differ, as a share of the length of the first.
fn change(a: &[f32], b: &[f32]) -> f64 {
    length(wide(a).zip(wide(b)).map(|(a, b)| a - b)) / length(wide(a))
}

fn main() {
    let dev = Dev::seed_from_u64(1061);
    let encoding: PositionalEncoding<S, M> = PositionalEncoding::new(&dev, 0.0);
    let layers: Vec<Layer> = (0..32).map(|_| Layer::new(&dev, 0.0)).collect();
    let x: Rows = dev.sample_normal();
    // The words at positions 0 and 1 are exchanged; their rows are exchanged
    // back in what comes out.
    let swap = |rows: &mut [f32]| {
        let (a, b) = rows.split_at_mut(M);
        a.swap_with_slice(&mut b[..M]);
    };
    let mut swapped = x.as_vec();
    swap(&mut swapped);
    let swapped = dev.tensor_from_vec(swapped, Default::default());
    println!("            each layer alone    added to its input");
    println!("layers      spread     order      spread     order");
    let mut all = Vec::new();
    for depth in [0, 1, 2, 4, 8, 16, 32] {
        print!("{depth:>6}");
        for skip in [false, true] {
            let through = |x: &Rows| {
                let x = encoding.forward(x.clone());
                stack(&layers[..depth], x, skip)
            };
            let (a, mut b) = (through(&x), through(&swapped));
            swap(&mut b);
            let (spread, order) = (spread(&a), change(&a, &b));
            print!("{spread:>12.4}{order:>10.4}");
            all.push((spread, order));
        }
        println!();
    }
    let alone: Vec<_> = all.iter().step_by(2).map(|of| of.0).collect();
    let added: Vec<_> = all.iter().skip(1).step_by(2).map(|of| of.0).collect();
    // Alone, two layers leave rows that hardly differ. Added to the input they
    // stay apart for longer, and not for ever.
    assert!(alone[2] < 0.1 && alone[3..].iter().all(|spread| *spread < 1e-3));
    assert!(added[3] > 0.3 && added[4] > 0.1 && added[6] < 0.01);
}
