//! Scaled dot-product attention and additive attention of section 10.3, over
//! growing batches and lengths, against three plain loops: `cargo bench -p
//! ch10_3`. It measures evaluation only, without a tape.

use ch10_1::Dev;
use ch10_3::{AdditiveAttention, DotProductAttention, Mask};
use criterion::{BenchmarkId, Criterion};
use dfdx::prelude::*;
use std::time::Duration;

#[path = "../../laws/tests/ch10_3/plain.rs"]
mod plain;

/// Width of queries, keys and values.
const D: usize = 64;

/// Self-attention's sizes: S queries over S pairs, in each of B examples.
fn at_size<const B: usize, const S: usize>(criterion: &mut Criterion) {
    let dev = Dev::seed_from_u64(0);
    let draw = || dev.sample_normal::<Rank3<B, S, D>>();
    let (q, k, v) = (draw(), draw(), draw());
    let mask = Mask::<B, S, S>::causal();
    let mut group = criterion.benchmark_group("attention");
    let name = |what| BenchmarkId::new(what, format!("{B} examples of {S}"));

    let dot = DotProductAttention::default();
    group.bench_function(name("dot product"), |bench| {
        bench.iter(|| dot.forward(q.clone(), k.clone(), v.clone(), &mask));
    });
    let additive = AdditiveAttention::<D, D, 8>::new(&dev, 0.0);
    group.bench_function(name("additive, 8 hidden"), |bench| {
        bench.iter(|| additive.forward(q.clone(), k.clone(), v.clone(), &mask));
    });
    let flat = [q.as_vec(), k.as_vec(), v.as_vec()];
    let flat = [&flat[0][..], &flat[1][..], &flat[2][..]];
    let sizes = plain::Sizes { b: B, q: S, k: S, widths: [D; 3] };
    group.bench_function(name("three loops"), |bench| {
        bench.iter(|| {
            plain::attention(&sizes, flat, plain::scaled_dot, |_, q, k| k <= q)
        });
    });
}

fn main() {
    let mut criterion = Criterion::default()
        .without_plots()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
        .configure_from_args();
    at_size::<1, 10>(&mut criterion);
    at_size::<8, 10>(&mut criterion);
    at_size::<64, 10>(&mut criterion);
    at_size::<8, 32>(&mut criterion);
    at_size::<8, 100>(&mut criterion);
    criterion.final_summary();
}
