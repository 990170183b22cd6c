//! Why the scores are divided by √D.

use super::WIDTH;
use super::lookup::{Extra, Lookup, train};
use anyhow::Result;
use ch10_1::{Dev, Tensor1, Tensor3};
use ch10_2::parameters;
use ch10_3::{Linear, Mask, attend, masked_softmax, uniform};
use dfdx::prelude::*;
use support::{Mark, Plot, RunArgs, Series, heading, line_plots, row, seeds};

/// Two scores before and after a division by 8 = √64: their softmax.
pub fn two_scores(dev: &Dev) {
    heading("Why the scores are scaled");
    for scores in [[14.0, 12.0], [60.0, 40.0]] {
        for divisor in [1.0, 8.0] {
            let weights = (dev.tensor(scores) / divisor).softmax().array();
            let [first, second] = scores;
            let label = format!("{first} and {second}, by {divisor}");
            row(&label, WIDTH, &weights.map(digits));
        }
    }
}

fn digits(x: f32) -> String {
    if x < 1e-4 { format!("{x:.1e}") } else { format!("{x:.4}") }
}

/// The variance of qᵀk over normal queries and keys, and the norm of the
/// softmax's slopes at these scores; each without scaling and with.
fn at_width<const D: usize>(dev: &Dev) -> [f32; 4] {
    let queries: Tensor3<500, 1, D> = dev.sample_normal();
    let keys: Tensor3<500, 10, D> = dev.sample_normal();
    let scores = queries.matmul(keys.permute::<Rank3<500, D, 10>, _>());
    let scaled = scores.clone() / (D as f32).sqrt();
    let variance = |s: &Tensor3<500, 1, 10>| s.clone().var::<Rank0, _>().array();
    [variance(&scores), variance(&scaled), slopes(&scores), slopes(&scaled)]
}

/// The root of the summed squares of all ∂ weight i / ∂ score j of a query,
/// taken from the tape; the mean over the queries.
fn slopes<const B: usize, const K: usize>(scores: &Tensor3<B, 1, K>) -> f32 {
    let mut squares: Tensor1<B> = scores.device().zeros();
    for i in 0..K {
        let weights = masked_softmax(scores.leaky_trace(), &Mask::none());
        let weights: Tensor3<K, B, 1, _> = weights.permute::<_, Axes3<2, 0, 1>>();
        let one = weights.select(scores.device().tensor(i));
        let slope = one.sum().backward().get(scores);
        squares = squares + slope.square().sum::<_, Axes2<1, 2>>();
    }
    squares.sqrt().mean().array()
}

/// Both measurements, from narrow vectors to wide ones.
pub fn over_widths(dev: &Dev, run: &RunArgs) -> Result<()> {
    heading("Variance and slopes");
    row("width D", WIDTH, &["variance", "scaled", "slopes", "scaled"]);
    let measured = [
        (4.0, at_width::<4>(dev)),
        (16.0, at_width::<16>(dev)),
        (64.0, at_width::<64>(dev)),
        (256.0, at_width::<256>(dev)),
        (1024.0, at_width::<1024>(dev)),
    ];
    for (width, values) in measured {
        row(&width.to_string(), WIDTH, &values.map(|x| format!("{x:.4}")));
    }
    let names = ["variance", "variance, scaled", "slopes", "slopes, scaled"];
    let marks = [Mark::LineDots, Mark::Dashes].repeat(2);
    let series = (0..4).map(|i| {
        let points = measured.map(|(width, row)| (width, f64::from(row[i])));
        Series::new(names[i], marks[i], points)
    });
    let (labels, series) = (("width D", ""), series.collect());
    let plot = Plot { labels, log: (true, true), series, ..Plot::default() };
    run.figure("scaling", &line_plots(&[plot], 1)?)
}

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

/// The lookup of the main page learned with three divisors, by four learning
/// rates: the error after 300 steps.
pub fn divisors(seed: u64) {
    heading("Three divisors trained");
    const RATES: [f32; 4] = [0.001, 0.003, 0.01, 0.03];
    row("learning rate", WIDTH, &RATES.map(|rate| rate.to_string()));
    for divisor in [1.0, 16.0, 256.0] {
        for seed in seeds(seed, 3) {
            let errors = RATES.map(|rate| {
                let new = |dev: &Dev| Projected::new(dev, divisor);
                train(seed, Extra::default(), rate, new)[3]
            });
            let label = format!("divisor {divisor}, seed {seed}");
            row(&label, WIDTH, &errors.map(|error| format!("{error:.3}")));
        }
    }
}

/// All of the side page.
pub fn scaling(dev: &Dev, run: &RunArgs) -> Result<()> {
    two_scores(dev);
    over_widths(dev, run)?;
    divisors(run.seed);
    super::closer::gaussian(dev);
    Ok(())
}
