// ANCHOR: time
//! Section 10.7: what it saves to keep keys and values. The numbers differ
//! from run to run.

use anyhow::Result;
use ch10_1::Dev;
use ch10_7::{NormAt, TransformerDecoder};
use clap::{Arg, ArgMatches, Command, value_parser};
use dfdx::prelude::*;
use seq2seq::vocab::BOS;
use std::hint::black_box;
use support::{Mark, Plot, Run, Series, fastest, heading, line_plots};

/// Tokens of the sentence that was read.
const READ: usize = 10;
/// The width and the heads of the section's translator.
type Decoder = TransformerDecoder<64, 4, 16, 128>;

/// How the program is asked to measure.
pub fn command() -> Command {
    let runs = Arg::new("runs").long("runs").value_name("N");
    let runs = runs.value_parser(value_parser!(u16).range(1..));
    let runs = runs.default_value("20").help("Keep the shortest of N runs");
    Command::new("time").about("Measure what it saves to keep pairs").arg(runs)
}
// ANCHOR_END: time

// ANCHOR: written_anew
/// The seconds to write N tokens: with all positions computed again for each,
/// and with their keys and values kept.
fn at<const N: usize>(decoder: &Decoder, runs: usize) -> [f64; 2] {
    let read = decoder.w_out.device().sample_normal::<Rank3<1, READ, 64>>();
    let again = || {
        for len in 1..=N {
            let (tokens, read) = ([[BOS; N]], read.clone());
            let rows = decoder.forward(&tokens, &[len], read, &[READ]);
            black_box(rows);
        }
    };
    let kept = || {
        let mut writing = decoder.start::<1, N, READ>(&read, &[READ]);
        for _ in 0..N {
            black_box(decoder.step(&[BOS], &mut writing));
        }
    };
    [fastest(runs, again), fastest(runs, kept)]
}
// ANCHOR_END: written_anew

// ANCHOR: measured
type At = (usize, fn(&Decoder, usize) -> [f64; 2]);

const LENGTHS: [At; 6] = [
    (5, at::<5>),
    (10, at::<10>),
    (20, at::<20>),
    (40, at::<40>),
    (80, at::<80>),
    (160, at::<160>),
];

/// Measures, prints and draws.
///
/// # Errors
/// The figure cannot be written.
pub fn measured(run: &Run, args: &ArgMatches) -> Result<()> {
    let runs = args.get_one::<u16>("runs").map_or(1, |&runs| runs.into());
    heading("Keys and values kept");
    let dev = Dev::seed_from_u64(run.seed);
    let decoder = Decoder::new(&dev, 340, 2, 0.0, NormAt::Post);
    println!("tokens   computed again, ms       kept, ms   times as fast");
    let mut points = [Vec::new(), Vec::new()];
    for (len, at) in LENGTHS {
        let both = at(&decoder, runs).map(|seconds| 1e3 * seconds);
        let [again, kept] = both;
        println!("{len:6} {again:20.3} {kept:14.3} {:15.1}", again / kept);
        for (points, time) in points.iter_mut().zip(both) {
            points.push((len as f64, time));
        }
    }
    run.figure("kept", &line_plots(&[plot(points)], 1)?)
}

fn plot(points: [Vec<(f64, f64)>; 2]) -> Plot {
    let series = ["computed again", "kept"].into_iter().zip(points);
    let series = series.map(|(name, points)| Series::new(name, Mark::LineDots, points));
    Plot {
        labels: ("Tokens written", "Milliseconds"),
        log: (true, true),
        series: series.collect(),
        ..Plot::default()
    }
}
// ANCHOR_END: measured
