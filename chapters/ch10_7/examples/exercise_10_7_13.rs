//! The loss counts every token, also those that have not been there before.
//!
//! Worked answer to exercise 13 of section 10.7: all else as on the page, from
//! twelve seeds.

use ch10_7::induction::{
    AttentionOnly, HEADS, LEN, PART, PERIODS, Repetition, on_distance, on_successors,
};
use ch10_7::training::train_steps;
use dfdx::prelude::*;
use kernels::Dev;
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::loss::masked_cross_entropy;
use seq2seq::train::WORKERS;
use std::process::ExitCode;
use support::{Progress, row, seeds};

const SEEDS: u64 = 12;
const STEPS: usize = 600;
/// Of those that do not copy by then.
const LONGER: usize = 2400;
const RATE: f32 = 0.01;
/// Sequences to evaluate with.
const ASKED: usize = 64;

fn trained(seed: u64, steps: usize) -> AttentionOnly {
    let mut rng = StdRng::seed_from_u64(seed);
    let batch = || -> [[Repetition<LEN>; PART]; WORKERS] {
        std::array::from_fn(|_| std::array::from_fn(|_| Repetition::draw(&mut rng)))
    };
    let loss = |model: &AttentionOnly, part: &[Repetition<LEN>; PART]| {
        let tokens = part.each_ref().map(|sequence| sequence.tokens);
        let next = part.each_ref().map(|sequence| sequence.next);
        let (rows, _) = model.forward(&tokens, OwnedTape::default());
        let (weight, bias) = (&model.output.weight, &model.output.bias);
        masked_cross_entropy(rows, weight, bias, &next, &[LEN; PART]).sum()
    };
    let mut progress = Progress::new(format!("seed {seed}"), steps);
    let on_step = |_, loss, _: &AttentionOnly| {
        progress.step(loss / (WORKERS * PART) as f32);
    };
    let new = |dev: &Dev| AttentionOnly::new(dev, 2);
    train_steps(steps, RATE, seed, new, batch, loss, on_step)
}

/// The largest weight that a head of a layer has by some measure.
fn largest(
    model: &AttentionOnly,
    asked: &[Repetition<LEN>; ASKED],
    layer: usize,
    measure: impl Fn(&[[f32; LEN]], &[usize; LEN]) -> f32,
) -> f32 {
    let tokens = asked.each_ref().map(|sequence| sequence.tokens);
    let (_, weights) = model.forward(&tokens, NoneTape);
    let weights = weights[layer].as_vec();
    let mut heads = [0.0; HEADS];
    for (at, map) in weights.as_chunks::<LEN>().0.chunks(LEN).enumerate() {
        heads[at % HEADS] += measure(map, &tokens[at / HEADS]) / ASKED as f32;
    }
    heads.into_iter().fold(0.0, f32::max)
}

/// Prints what a model does after so many steps; whether it copies.
fn copies(seed: u64, steps: usize) -> bool {
    let model = trained(seed, steps);
    let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1000));
    let asked = std::array::from_fn(|_| Repetition::draw(&mut rng));
    let mut of_period = |period| {
        let draw = |_| Repetition::random_with_period(period, &mut rng);
        let asked: [Repetition<LEN>; ASKED] = std::array::from_fn(draw);
        model.repeats(&asked).right
    };
    let others = [3, 26].map(&mut of_period);
    let first = 1..PERIODS[1] + 1;
    let back = |map: &[[f32; LEN]], _: &_| on_distance(map, 1, first.clone());
    let after = largest(&model, &asked, 1, on_successors);
    let weights = [largest(&model, &asked, 0, back), after];
    let cells = [&[model.repeats(&asked).right], &weights[..], &others].concat();
    let cells: Vec<_> = cells.iter().map(|cell| format!("{cell:.3}")).collect();
    row(&seed.to_string(), 6, &cells);
    // What copies does so with a period that it was not trained with.
    assert_eq!(after > 0.5, others[1] > 0.5, "{after} {others:?}");
    after > 0.5
}

fn main() -> ExitCode {
    let about = "Repetitions, with a loss that counts every token";
    support::run_plain("exercise_10_7_13", about, |run| {
        let settings = (SEEDS, STEPS, LONGER, RATE, ASKED, run.seed);
        run.print_settings(&settings, &[]);
        let columns = ["right", "1 back", "after", "period 3", "period 26"];
        row("seed", 6, &columns);
        let (copying, others): (Vec<u64>, Vec<u64>) =
            seeds(run.seed, SEEDS).partition(|&seed| copies(seed, STEPS));
        println!("{} of {SEEDS} copy; the others after {LONGER} steps:", copying.len());
        row("seed", 6, &columns);
        let later = others.iter().filter(|&&seed| copies(seed, LONGER)).count();
        println!("{later} of {} copy", others.len());
        Ok(())
    })
}
