//! A head that copies, from several seeds: two layers beside one, each at the
//! rate that is best for it, and what the two layers need.

use super::induction::{
    Args, FIRST, HELD_OUT, HeldOut, draw, held_out, named, scores, without,
};
use anyhow::Result;
use ch10_3::Mask;
use ch10_7::induction::{
    AttentionOnly, HEADS, LEN, RATE, Repeats, Repetition, STEPS, TOKENS,
    train_attention_only,
};
use dfdx::prelude::*;
use program::Job;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::greedy::argmax;
use support::{Mark, Plot, Progress, Series, heading, line_plots, row, seeds, spread};

/// The rates that are tried, by seeds of their own.
const RATES: [f32; 4] = [0.001, 0.003, 0.01, 0.03];
/// Seeds for each.
const CHOOSING: u64 = 3;
/// How much longer one layer is trained than two.
const LONGER: [usize; 3] = [1, 4, 16];
/// The share that is right is measured after each so many steps.
const EVERY: usize = 10;
/// Periods of the sequences to evaluate with.
const ASKED: [usize; 7] = [3, 6, 10, 15, 16, 20, 26];

/// A trained model, and how well it did on the way there.
struct Trained {
    seed: u64,
    model: AttentionOnly,
    curve: Vec<Repeats>,
}

impl Trained {
    fn new(layers: usize, steps: usize, rate: f32, seed: u64) -> Self {
        let (held_out, mut curve) = (held_out(seed), Vec::new());
        let mut progress = Progress::new("copying", steps);
        let model =
            train_attention_only(layers, steps, rate, seed, |step, loss, model| {
                progress.step(loss);
                if step.is_multiple_of(EVERY) {
                    curve.push(model.repeats(&held_out));
                }
            });
        Trained { seed, model, curve }
    }

    fn right(&self) -> f32 {
        self.model.repeats(&held_out(self.seed)).right
    }

    /// The step after which the share right was first so high.
    fn first(&self, share: f32) -> String {
        let at = self.curve.iter().position(|one| one.right >= share);
        at.map_or("-".into(), |at| ((at + 1) * EVERY).to_string())
    }
}

/// Chooses rates, trains with them from other seeds, and takes the models apart.
pub fn compare(job: &Job, args: &Args) -> Result<()> {
    let settings = (RATES, CHOOSING, LONGER, EVERY, ASKED, HELD_OUT, RATE, STEPS);
    let seed = job.run.seed;
    job.run.print_settings(&(settings, args.steps, args.seeds, seed), &[]);
    let choosing = seed.wrapping_add(args.seeds as u64);
    heading("Rates");
    row("layers", 8, &["steps", "rate", "mean", "lowest", "highest"]);
    let two = best(2, args.steps, &RATES, choosing);
    let mut one = RATES[0];
    for longer in &LONGER[..2] {
        one = best(1, args.steps * longer, &RATES, choosing);
    }
    best(1, args.steps * LONGER[2], &[one], choosing);

    let train = |layers, steps, rate| -> Vec<Trained> {
        let one = |seed| Trained::new(layers, steps, rate, seed);
        seeds(seed, args.seeds as u64).map(one).collect()
    };
    let models = train(2, args.steps, two);
    let controls = train(1, args.steps * LONGER[1], one);
    heading("Two layers, and one");
    row(
        "seed",
        8,
        &["0.3 at", "0.9 at", "right", "1 back", "later", "after", "one layer"],
    );
    let mut weakest = (f32::INFINITY, 0);
    for (at, (trained, control)) in models.iter().zip(&controls).enumerate() {
        let heads = scores(&trained.model, &held_out(trained.seed));
        let [first, second] = named(&heads);
        let (previous, after) = (heads[first], heads[second].after);
        let weights = [previous.before, previous.later, after];
        let steps = [0.3, 0.9].map(|share| trained.first(share));
        let [right, control] =
            [trained, control].map(|one| format!("{:.3}", one.right()));
        let weights = weights.map(|weight| format!("{weight:.2}"));
        let cells = [&steps[..], &[right], &weights, &[control]].concat();
        row(&trained.seed.to_string(), 8, &cells);
        if previous.before < weakest.0 {
            weakest = (previous.before, at);
        }
    }
    taken_out(&models);
    read_without(&models);
    periods(&models);
    println!();
    curves(job, &models, &controls)?;
    let other = &models[weakest.1];
    println!("the other model: seed {}", other.seed);
    let heads = named(&scores(&other.model, &held_out(other.seed)));
    draw(job, "induction_otherwise", &other.model, heads)
}

/// Prints what several rates lead to; the one with the highest mean.
fn best(layers: usize, steps: usize, rates: &[f32], from: u64) -> f32 {
    let mut best = (0.0, rates[0]);
    for &rate in rates {
        let of = |seed| Trained::new(layers, steps, rate, seed).right();
        let found = spread(seeds(from, CHOOSING).map(of));
        row(&format!("{layers} {steps:12} {rate:9}"), 28, &found.cells(3));
        if found.mean > best.0 {
            best = (found.mean, rate);
        }
    }
    best.1
}

/// What is right without heads, by what they do: P and C are those with most
/// weight on the token before and on tokens that came after, p and c their
/// neighbours.
fn taken_out(models: &[Trained]) {
    heading("Heads taken out");
    row("out", 8, &["mean", "lowest", "highest"]);
    for out in ["none", "P", "p", "C", "c", "P p", "C c", "P C", "P c", "p C", "p c"] {
        let right = |trained: &Trained| {
            let held_out = held_out(trained.seed);
            let [first, second] = named(&scores(&trained.model, &held_out));
            let head = |name: &str| match name {
                "P" => Some(first),
                "p" => Some(HEADS - 1 - first),
                "C" => Some(second),
                "c" => Some(3 * HEADS - 1 - second),
                _ => None,
            };
            let out: Vec<usize> = out.split(' ').filter_map(head).collect();
            without(&trained.model, &out).repeats(&held_out).right
        };
        row(out, 8, &spread(models.iter().map(right)).cells(3));
    }
}

/// What is right if the queries, the keys or the values of the second layer are
/// computed from rows to which the first has added nothing.
fn read_without(models: &[Trained]) {
    heading("What the second layer reads of the first");
    row("not in", 8, &["mean", "lowest", "highest"]);
    for (at, name) in ["queries", "keys", "values"].into_iter().enumerate() {
        let right = |trained: &Trained| {
            let held_out = held_out(trained.seed);
            second_layer_reads(&trained.model, &held_out, at)
        };
        row(name, 8, &spread(models.iter().map(right)).cells(3));
    }
}

// ANCHOR: second_layer_reads
/// The share right if the queries (0), the keys (1) or the values (2) of the
/// second layer do not know of the first.
fn second_layer_reads(model: &AttentionOnly, asked: &HeldOut, which: usize) -> f32 {
    let tokens = asked.each_ref().map(|sequence| sequence.tokens);
    let [first, second] = [&model.layers[0], &model.layers[1]];
    let before = model.embedding.forward(&tokens, 0, NoneTape);
    let after = first.forward(before.clone()).output;
    let rows = |input: usize| {
        let rows = if input == which { &before } else { &after };
        second.residual.norm.forward(rows.clone())
    };
    let found = second.attention.forward(rows(0), rows(1), rows(2), &Mask::causal());
    model.repeats_of(model.norm.forward(found.output + after), asked).right
}
// ANCHOR_END: second_layer_reads

/// What is right by the period of the sequence, for sequences as long as in
/// training and twice as long; and apart by what came after the first occurrence
/// of the present token: among the first 16 positions, and later.
fn periods(models: &[Trained]) {
    heading("Other periods, and longer sequences");
    row("length", 8, &["period", "mean", "lowest", "highest", "early", "late"]);
    for period in ASKED {
        asked::<LEN>(models, period);
    }
    for period in ASKED {
        asked::<{ 2 * LEN }>(models, period);
    }
}

fn asked<const S: usize>(models: &[Trained], period: usize) {
    let mut rng = StdRng::seed_from_u64(period as u64);
    let asked: [Repetition<S>; HELD_OUT] =
        std::array::from_fn(|_| Repetition::random_with_period(period, &mut rng));
    let tokens = asked.each_ref().map(|sequence| sequence.tokens);
    let (mut all, mut early, mut late) = (Vec::new(), Vec::new(), Vec::new());
    for Trained { model, .. } in models {
        let logits = model.output.logits(model.forward(&tokens, NoneTape).0).as_vec();
        let right = |b: usize, s: usize| {
            argmax(&logits[(b * S + s) * TOKENS..][..TOKENS]) == asked[b].next[s]
        };
        let share = |of: &dyn Fn(usize) -> bool| {
            let at = (0..HELD_OUT).flat_map(|b| (period..S).map(move |s| (b, s)));
            let at: Vec<_> = at.filter(|(_, s)| of(s % period + 1)).collect();
            let right = at.iter().filter(|(b, s)| right(*b, *s)).count();
            right as f32 / at.len() as f32
        };
        all.push(share(&|_| true));
        early.push(share(&|first| first < FIRST));
        late.push(share(&|first| first >= FIRST));
    }
    let [early, late] = [early, late].map(|shares| {
        if shares[0].is_nan() {
            "-".into()
        } else {
            format!("{:.3}", spread(shares).mean)
        }
    });
    let all = spread(all).cells(3);
    let cells = [&[period.to_string()], &all[..], &[early, late]].concat();
    row(&S.to_string(), 8, &cells);
}

/// Draws the losses of the first models of each kind.
fn curves(job: &Job, models: &[Trained], controls: &[Trained]) -> Result<()> {
    let line = |name: &str, trained: &Trained| {
        let points = trained.curve.iter().enumerate();
        let points =
            points.map(|(at, one)| (((at + 1) * EVERY) as f64, f64::from(one.loss)));
        Series::new(&format!("{name}, seed {}", trained.seed), Mark::Line, points)
    };
    let two = models.iter().take(3).map(|one| line("two layers", one));
    let one = controls.iter().take(2).map(|one| line("one layer", one));
    let plot = Plot {
        labels: ("Step", "Loss of a token, nats"),
        series: two.chain(one).collect(),
        ..Plot::default()
    };
    job.run.figure("induction_loss", &line_plots(&[plot], 1)?)
}
