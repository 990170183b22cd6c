//! What it saves to cache keys and values. The numbers differ from run to run.

use anyhow::Result;
use ch10_3::Mask;
use ch10_7::translator::{FFN, HEAD_WIDTH, HEADS, LAYERS, WIDTH};
use ch10_7::{NormPosition, TransformerDecoder};
use dfdx::prelude::*;
use kernels::Dev;
use program::Job;
use seq2seq::vocab::BOS;
use std::hint::black_box;
use support::{Mark, Plot, Series, fastest, heading, line_plots};

/// Of how many runs the shortest counts.
const RUNS: usize = 20;
/// Tokens of the sentence that was read.
const READ: usize = 10;
/// About as many as the section's translator writes.
const VOCABULARY: usize = 340;
type Decoder = TransformerDecoder<WIDTH, HEADS, HEAD_WIDTH, FFN>;

/// The seconds to write N tokens without a cache and with it.
fn seconds<const N: usize>(decoder: &Decoder) -> [f64; 2] {
    let memory = decoder.output.bias.device().sample_normal::<Rank3<1, READ, WIDTH>>();
    let without = || {
        for len in 1..=N {
            let mask = Mask::causal_within([len]);
            let memory = memory.clone();
            black_box(decoder.forward(&[[BOS; N]], &mask, memory, &Mask::none()));
        }
    };
    let with = || {
        let mut state = decoder.start::<1, N, READ>(&memory, [READ]);
        for _ in 0..N {
            black_box(decoder.step(&[BOS], &mut state));
        }
    };
    [fastest(RUNS, without), fastest(RUNS, with)]
}

type Measure = (usize, fn(&Decoder) -> [f64; 2]);

const LENGTHS: [Measure; 6] = [
    (5, seconds::<5>),
    (10, seconds::<10>),
    (20, seconds::<20>),
    (40, seconds::<40>),
    (80, seconds::<80>),
    (160, seconds::<160>),
];

/// Measures, prints and draws.
pub fn cache(job: &Job) -> Result<()> {
    job.run.check_out()?;
    let sizes =
        format!("{WIDTH}, {HEADS}, {HEAD_WIDTH}, {FFN}, {VOCABULARY}, {LAYERS}");
    let settings = (sizes, READ, RUNS, job.run.seed);
    job.run.print_settings(&settings, &[]);
    heading("With a cache and without");
    let dev = Dev::seed_from_u64(job.run.seed);
    let decoder = Decoder::new(&dev, VOCABULARY, LAYERS, 0.0, NormPosition::Post);
    println!("tokens   without, ms       with, ms   times as fast");
    let mut points = [Vec::new(), Vec::new()];
    for (len, measure) in LENGTHS {
        let both = measure(&decoder).map(|seconds| 1e3 * seconds);
        let [without, with] = both;
        println!("{len:6} {without:13.3} {with:14.3} {:15.1}", without / with);
        for (points, time) in points.iter_mut().zip(both) {
            points.push((len as f64, time));
        }
    }
    let series = ["without cache", "with cache"].into_iter().zip(points);
    let series = series.map(|(name, points)| Series::new(name, Mark::LineDots, points));
    let plot = Plot {
        labels: ("Tokens written", "Milliseconds"),
        log: (true, true),
        series: series.collect(),
        ..Plot::default()
    };
    job.run.figure("kv_cache", &line_plots(&[plot], 1)?)
}
