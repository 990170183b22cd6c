//! The loss counts every token, also those that have not been there before.
//!
//! Worked answer to exercise 13 of section 10.7: three rates with twelve seeds each,
//! all else as on the page.

use ch10_7::induction::{
    AttentionOnly, HEADS, LEN, PART, PERIODS, Repetition, TOKENS, on_distance,
    on_successors,
};
use ch10_7::training::train_steps;
use dfdx::prelude::*;
use kernels::Dev;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::greedy::argmax;
use seq2seq::loss::masked_cross_entropy;
use seq2seq::train::WORKERS;
use std::process::ExitCode;
use support::{Progress, heading, row, seeds};

const SEEDS: u64 = 12;
const STEPS: usize = 600;
/// Steps for those that do not copy by then.
const LONGER: usize = 2400;
const RATES: [f32; 3] = [0.003, 0.01, 0.03];
/// The rate of the page, whose models are looked at one by one.
const RATE: f32 = 0.01;
/// Sequences to evaluate with.
const ASKED: usize = 64;

/// Trains two layers with a loss that counts every token.
fn trained(seed: u64, steps: usize, rate: f32) -> AttentionOnly {
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
    train_steps(steps, rate, seed, new, batch, loss, on_step)
}

/// Returns the largest weight that a head of a layer has by some measure.
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

/// Letters that are read in one order, then in another.
const READ: usize = 10;
const BOTH: usize = 2 * READ;

/// Returns how often the most probable letter is the one that came next in the first
/// order, and how often the one that has been away longest, where the two differ.
fn old_and_away(model: &AttentionOnly, rng: &mut StdRng) -> [f32; 2] {
    let (mut shares, mut asked) = ([0.0; 2], 0.0);
    for _ in 0..ASKED {
        let mut drawn: [usize; TOKENS] = std::array::from_fn(|token| token);
        drawn.shuffle(rng);
        let mut second = drawn[..READ].to_vec();
        second.shuffle(rng);
        let read: Vec<usize> = [&drawn[..READ], &second].concat();
        let tokens: [usize; BOTH] = std::array::from_fn(|at| read[at]);
        let logits = model.output.logits(model.forward(&[tokens], NoneTape).0).as_vec();
        for at in READ..BOTH {
            let first = tokens.iter().position(|token| *token == tokens[at]);
            let old = tokens[first.expect("read before") + 1];
            let last = |token: &&usize| tokens[..=at].iter().rposition(|t| t == *token);
            let away = *second.iter().min_by_key(last).expect("some");
            if old != away {
                let most = argmax(&logits[at * TOKENS..][..TOKENS]);
                asked += 1.0;
                shares[0] += f32::from(most == old);
                shares[1] += f32::from(most == away);
            }
        }
    }
    shares.map(|share| share / asked)
}

/// What a model does: [right, 1 back, after, period 26, old, away].
fn asked(model: &AttentionOnly, seed: u64) -> [f32; 6] {
    let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1000));
    let asked = std::array::from_fn(|_| Repetition::draw(&mut rng));
    let draw = |_| Repetition::random_with_period(TOKENS, &mut rng);
    let longest: [Repetition<LEN>; ASKED] = std::array::from_fn(draw);
    let first = 3..PERIODS[1] + 1;
    let back = |map: &[[f32; LEN]], _: &_| on_distance(map, 1, first.clone());
    let after = largest(model, &asked, 1, on_successors);
    let [old, away] = old_and_away(model, &mut rng);
    let period = model.repeats(&longest).right;
    let right = model.repeats(&asked).right;
    [right, largest(model, &asked, 0, back), after, period, old, away]
}

fn copies(found: &[f32; 6]) -> bool {
    found[2] > 0.5
}

fn print(seed: u64, found: &[f32; 6]) {
    row(&seed.to_string(), 8, &found.map(|cell| format!("{cell:.3}")));
}

fn main() -> ExitCode {
    let about = "Repetitions, with a loss that counts every token";
    support::run_plain("exercise_10_7_13", about, |run| {
        let settings = (SEEDS, STEPS, LONGER, RATES, RATE, ASKED, READ, run.seed);
        run.print_settings(&settings, &[]);
        let columns = ["right", "1 back", "after", "period 26", "old", "away"];
        let (mut at_rate, mut all) = (Vec::new(), Vec::new());
        heading(&format!("Models that copy, of {SEEDS}"));
        row("rate", 8, &["copy"]);
        for rate in RATES {
            let each = seeds(run.seed, SEEDS)
                .map(|seed| (seed, asked(&trained(seed, STEPS, rate), seed)));
            let each: Vec<(u64, [f32; 6])> = each.collect();
            let copying = each.iter().filter(|(_, found)| copies(found)).count();
            row(&rate.to_string(), 8, &[copying]);
            all.extend(each.iter().map(|(_, found)| *found));
            if rate == RATE {
                at_rate = each;
            }
        }
        heading(&format!("One by one, at the rate {RATE}"));
        row("seed", 8, &columns);
        at_rate.iter().for_each(|(seed, found)| print(*seed, found));
        heading(&format!("Those that do not copy, after {LONGER} steps"));
        row("seed", 8, &columns);
        for (seed, _) in at_rate.iter().filter(|(_, found)| !copies(found)) {
            let found = asked(&trained(*seed, LONGER, RATE), *seed);
            print(*seed, &found);
            all.push(found);
        }
        // A model copies where it is right with a period that it was not trained with,
        // and where it continues in the old order.
        for [_, _, after, period, old, _] in all {
            assert_eq!(after > 0.5, period > 0.5, "{after} {period}");
            assert_eq!(after > 0.5, old > 0.5, "{after} {old}");
        }
        Ok(())
    })
}
