//! Additive attention composed of dfdx's operations against the same in one
//! pass, forward and backward, measured in turn: `cargo bench -p ch10_3
//! --bench one_pass`. It says nothing about the time of a whole training.

use ch10_1::{Dev, Tensor3};
use ch10_3::{AdditiveAttention, Mask};
use dfdx::prelude::*;
use std::hint::black_box;
use std::time::Instant;

/// Microseconds of one call, over so many.
fn micros(calls: u32, mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..calls).for_each(|_| call());
    start.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
}

/// Prints the least time of each in rounds that take turns.
fn at_size<const B: usize, const Q: usize, const K: usize, const HIDDEN: usize>() {
    let dev = Dev::seed_from_u64(0);
    dev.enable_cache();
    let layer: AdditiveAttention<HIDDEN, HIDDEN, HIDDEN> =
        AdditiveAttention::new(&dev, 0.1);
    let q: Tensor3<B, Q, HIDDEN> = dev.sample_normal();
    let k: Tensor3<B, K, HIDDEN> = dev.sample_normal();
    let v: Tensor3<B, K, HIDDEN> = dev.sample_normal();
    // Lengths from half of the pairs to all of them.
    let mask = Mask::valid_lens(std::array::from_fn(|b| K / 2 + b % (K - K / 2 + 1)));
    let step = |one_pass: bool| {
        let (q, k, v) = (q.leaky_trace(), k.leaky_trace(), v.leaky_trace());
        let attended = match one_pass {
            true => layer.forward_fused(q, k, v, &mask),
            false => layer.forward_projected(q, k, v, &mask),
        };
        black_box(attended.output.sum().backward());
    };
    let calls = (200_000 / (B * Q * K)) as u32 / 10 + 2;
    let mut least = [f64::INFINITY; 2];
    for _ in 0..40 {
        for (least, one_pass) in least.iter_mut().zip([false, true]) {
            *least = least.min(micros(calls, || step(one_pass)));
        }
    }
    let [composed, fused] = least;
    print!("{B:>8}{Q:>9}{K:>7}{HIDDEN:>14}");
    println!("{composed:>14.0}{fused:>14.0}{:>8.1}", composed / fused);
}

fn main() {
    print!("examples  queries  pairs  hidden units");
    println!("  composed, µs  one pass, µs   ratio");
    at_size::<64, 1, 10, 32>();
    at_size::<64, 1, 10, 64>();
    at_size::<64, 10, 10, 32>();
    at_size::<8, 32, 32, 32>();
}
