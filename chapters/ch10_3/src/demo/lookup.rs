//! Layers with parameters learn to look a value up by its key.

use super::Training;
use ch10_1::{Dev, Tensor2, Tensor3};
use ch10_2::parameters::{Parameters, step};
use ch10_3::{Adam, AdditiveAttention, BilinearAttention, Linear, Mask};
use dfdx::prelude::*;
use support::{Progress, RunArgs, heading, row, spread};

/// A layer that is given 5 queries of width 7, and 5 pairs with keys of width 5
/// and one number as the value.
pub trait Lookup: Parameters {
    /// The output for each query.
    fn output<const B: usize, T: Tape<f32, Dev>>(
        &self,
        queries: Tensor3<B, 5, 7, T>,
        keys: Tensor3<B, 5, 5, T>,
        values: Tensor3<B, 5, 1, T>,
    ) -> Tensor3<B, 5, 1, T>;
}

impl Lookup for AdditiveAttention<7, 5, 32> {
    fn output<const B: usize, T: Tape<f32, Dev>>(
        &self,
        queries: Tensor3<B, 5, 7, T>,
        keys: Tensor3<B, 5, 5, T>,
        values: Tensor3<B, 5, 1, T>,
    ) -> Tensor3<B, 5, 1, T> {
        self.forward(queries, keys, values, &Mask::none()).output
    }
}

impl Lookup for BilinearAttention<7, 5> {
    fn output<const B: usize, T: Tape<f32, Dev>>(
        &self,
        queries: Tensor3<B, 5, 7, T>,
        keys: Tensor3<B, 5, 5, T>,
        values: Tensor3<B, 5, 1, T>,
    ) -> Tensor3<B, 5, 1, T> {
        self.forward(queries, keys, values, &Mask::none()).output
    }
}

/// What a query or a key has besides the numbers that are drawn: its last
/// column, which is 0 otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extra {
    /// The constant 1, in queries.
    pub one: bool,
    /// Minus half the squared norm of the key, in keys.
    pub norm: bool,
}

/// Keys and values are drawn, 4 numbers a key; query i is key i times a matrix
/// that stays the same, 6 wide.
struct Task {
    matrix: Linear<4, 6>,
    extra: Extra,
}

impl Task {
    fn draw<const B: usize>(
        &self,
        dev: &Dev,
    ) -> (Tensor3<B, 5, 7>, Tensor3<B, 5, 5>, Tensor3<B, 5, 1>) {
        let keys: Tensor3<B, 5, 4> = dev.sample_normal();
        let queries = self.matrix.forward(keys.clone()).as_vec();
        let keys = keys.as_vec();
        let one = f32::from(u8::from(self.extra.one));
        let half = if self.extra.norm { -0.5 } else { 0.0 };
        let square = |key: &[f32]| half * key.iter().map(|x| x * x).sum::<f32>();
        let queries = queries.chunks(6).flat_map(|query| [query, &[one]].concat());
        let keys = keys.chunks(4).flat_map(|key| [key, &[square(key)]].concat());
        let (queries, keys): (Vec<f32>, Vec<f32>) = (queries.collect(), keys.collect());
        let queries = dev.tensor_from_vec(queries, (Const, Const, Const));
        let keys = dev.tensor_from_vec(keys, (Const, Const, Const));
        (queries, keys, dev.sample_normal())
    }
}

/// Trains on 32 new examples in every step; the mean squared errors after `at`
/// steps, in rising order, on 512 examples that are in none of the steps.
pub fn train<L: Lookup>(
    (seed, lr): (u64, f32),
    at: &[usize],
    extra: Extra,
    new: impl Fn(&Dev) -> L,
) -> Vec<f32> {
    let dev = Dev::seed_from_u64(seed);
    let weight: Tensor2<6, 4> = dev.sample_normal() / 2.0;
    let task = Task { matrix: Linear { weight, bias: None }, extra };
    let others = task.draw::<512>(&dev);
    let mut layer = new(&dev);
    let mut adam = Adam::new(layer.count(), lr);
    let mut errors = Vec::new();
    let mut done = 0;
    for &at in at {
        while done < at {
            let (queries, keys, values) = task.draw::<32>(&dev);
            // ANCHOR: learn
            let output =
                layer.output(queries.leaky_trace(), keys.retaped(), values.retaped());
            step(&mut layer, &mut adam, (output - values).square().mean());
            // ANCHOR_END: learn
            done += 1;
        }
        let (queries, keys, values) = others.clone();
        let output = layer.output(queries, keys, values.clone());
        errors.push((output - values).square().mean::<Rank0, _>().array());
    }
    errors
}

/// The name of a layer, its learning rate, and how it is trained.
type Score = (&'static str, f32, fn((u64, f32), &[usize]) -> Vec<f32>);

/// The learning rates are those that [`rates`] finds best.
const SCORES: [Score; 6] = [
    ("additive", 0.005, |run, at| train(run, at, Extra::default(), additive)),
    ("with 1", 0.01, |run, at| {
        train(run, at, Extra { one: true, norm: false }, additive)
    }),
    ("bilinear", 0.005, |run, at| train(run, at, Extra::default(), bilinear)),
    ("1 only", 0.005, |run, at| {
        train(run, at, Extra { one: true, norm: false }, bilinear)
    }),
    ("norm only", 0.005, |run, at| {
        train(run, at, Extra { one: false, norm: true }, bilinear)
    }),
    ("with norm", 0.1, |run, at| {
        train(run, at, Extra { one: true, norm: true }, bilinear)
    }),
];

fn additive(dev: &Dev) -> AdditiveAttention<7, 5, 32> {
    AdditiveAttention::new(dev, 0.0)
}

fn bilinear(dev: &Dev) -> BilinearAttention<7, 5> {
    BilinearAttention::new(dev, 0.0)
}

/// Learning rates from which those of the layers are chosen.
const RATES: [f32; 7] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1];

/// Prints the mean error of each layer at each learning rate, over the seeds
/// that choose. The smallest of a row is chosen.
pub fn rates(training: &Training, run: &RunArgs) {
    let names = SCORES.map(|(name, ..)| name);
    let steps = training.steps.unwrap_or(3000);
    run.print_settings(&(names, RATES, training.models, steps), &[]);
    heading("Learning rates");
    row("learning rate", 14, &RATES);
    let mut progress = Progress::new("lookup", names.len() * RATES.len());
    for (name, _, train) in SCORES {
        let errors = RATES.map(|lr| {
            let seeds = training.choosing(run.seed);
            let of_seed = |seed| train((seed, lr), &[steps])[0];
            let error = spread(seeds.map(of_seed)).mean;
            progress.step(error);
            error
        });
        row(name, 14, &errors.map(|error| format!("{error:.3}")));
    }
}

/// Prints the errors of each layer, at its learning rate, for each of the seeds
/// that chose nothing, and their means as the training goes on.
pub fn learned_lookup(training: &Training, run: &RunArgs) {
    let settings = SCORES.map(|(name, lr, _)| (name, lr));
    let steps = training.steps.unwrap_or(1500);
    run.print_settings(&(settings, training.models, steps, run.seed), &[]);
    let at = [0, 1, 3, 10, 30, 100].map(|percent| steps * percent / 100);
    let seeds: Vec<u64> = training.judging(run.seed).collect();
    let mut progress = Progress::new("lookup", SCORES.len() * seeds.len());
    let errors = SCORES.map(|(_, lr, train)| {
        let of_seed = |&seed: &u64| {
            let errors = train((seed, lr), &at);
            progress.step(errors[5]);
            errors
        };
        seeds.iter().map(of_seed).collect::<Vec<_>>()
    });
    heading("A learned lookup");
    row(&format!("{} steps", at[5]), 14, &SCORES.map(|(name, ..)| name));
    for (n, seed) in seeds.iter().enumerate() {
        let cells = errors.each_ref().map(|of_score| digits(of_score[n][5]));
        row(&format!("seed {seed}"), 14, &cells);
    }
    heading("The mean of the seeds");
    row("", 14, &SCORES.map(|(name, ..)| name));
    for (i, at) in at.into_iter().enumerate() {
        let of_score = |of_score: &Vec<Vec<f32>>| {
            digits(spread(of_score.iter().map(|errors| errors[i])).mean)
        };
        row(&format!("{at} steps"), 14, &errors.each_ref().map(of_score));
    }
}

fn digits(error: f32) -> String {
    format!("{error:.4}")
}
