//! The lookup learned with dot products that are divided by three numbers.

use super::lookup::{Extra, Lookup, train};
use super::{Training, WIDTH};
use ch10_1::{Dev, Tensor3};
use ch10_2::parameters;
use ch10_3::{Linear, Mask, attend, uniform};
use dfdx::prelude::*;
use support::{Progress, RunArgs, heading, row, spread};

/// Projects queries and keys to 256 numbers of variance 1, and divides their
/// dot products.
struct Projected {
    w_q: Linear<7, 256>,
    w_k: Linear<5, 256>,
    divisor: f32,
}

parameters! { Projected { w_q, w_k } }

impl Projected {
    /// The queries have 6 numbers of variance 1, the keys 4.
    fn new(dev: &Dev, divisor: f32) -> Self {
        let w_q = Linear { weight: uniform(dev, (3.0f32 / 6.0).sqrt()), bias: None };
        let w_k = Linear { weight: uniform(dev, (3.0f32 / 4.0).sqrt()), bias: None };
        Projected { w_q, w_k, divisor }
    }
}

impl Lookup for Projected {
    fn output<const B: usize, T: Tape<f32, Dev>>(
        &self,
        queries: Tensor3<B, 5, 7, T>,
        keys: Tensor3<B, 5, 5, T>,
        values: Tensor3<B, 5, 1, T>,
    ) -> Tensor3<B, 5, 1, T> {
        let queries = self.w_q.forward(queries) / self.divisor;
        let keys: Tensor3<B, 256, 5, T> = self.w_k.forward(keys).permute();
        attend(queries.matmul(keys), values, &Mask::none(), 0.0).output
    }
}

const DIVISORS: [f32; 3] = [1.0, 16.0, 256.0];
const RATES: [f32; 6] = [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1];

/// Prints the errors with each divisor: over all learning rates, early and
/// late, and by seed at the rate that other seeds choose.
pub fn divisors(training: &Training, run: &RunArgs) {
    let steps = training.steps.unwrap_or(1500);
    let settings = (DIVISORS, RATES, training.models, steps, run.seed);
    run.print_settings(&settings, &[]);
    let at = [steps / 5, steps];
    let chosen: Vec<u64> = training.choosing(run.seed).collect();
    let judged: Vec<u64> = training.judging(run.seed).collect();
    let models = DIVISORS.len() * RATES.len() * (chosen.len() + judged.len());
    let mut progress = Progress::new("lookup", models);
    // By divisor, rate, seed and number of steps.
    let mut errors_of = |seeds: &[u64]| {
        DIVISORS.map(|divisor| {
            RATES.map(|rate| {
                let of_seed = |&seed: &u64| {
                    let new = |dev: &Dev| Projected::new(dev, divisor);
                    let errors = train((seed, rate), &at, Extra::default(), new);
                    progress.step(errors[1]);
                    errors
                };
                seeds.iter().map(of_seed).collect::<Vec<_>>()
            })
        })
    };
    let (choosing, judging) = (errors_of(&chosen), errors_of(&judged));
    heading("Three divisors trained");
    row("learning rate", WIDTH, &RATES);
    for (i, steps) in at.into_iter().enumerate() {
        for (divisor, of_divisor) in DIVISORS.iter().zip(&judging) {
            let cells = of_divisor.each_ref().map(|seeds| digits(mean_at(seeds, i)));
            row(&format!("by {divisor}, {steps} steps"), WIDTH, &cells);
        }
    }
    heading("At the learning rate that other seeds choose");
    row("divisor", WIDTH, &["rate", "mean", "lowest", "highest"]);
    for ((divisor, choosing), judging) in DIVISORS.iter().zip(&choosing).zip(&judging) {
        let means = choosing.each_ref().map(|seeds| mean_at(seeds, 1));
        let best = (0..RATES.len()).min_by(|&a, &b| means[a].total_cmp(&means[b]));
        let best = best.unwrap_or_default();
        let errors = spread(judging[best].iter().map(|errors| errors[1])).cells(3);
        let cells = [&[RATES[best].to_string()], &errors[..]].concat();
        row(&format!("by {divisor}"), WIDTH, &cells);
    }
}

/// The mean of the errors of all seeds, after so many steps.
fn mean_at(seeds: &[Vec<f32>], steps: usize) -> f32 {
    spread(seeds.iter().map(|errors| errors[steps])).mean
}

fn digits(error: f32) -> String {
    format!("{error:.3}")
}
