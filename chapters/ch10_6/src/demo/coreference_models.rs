//! Many models that say what "it" refers to: how often each kind finds it, and
//! which words its second layer needs.

use super::coreference::{Test, drawn, right};
use ch10_6::task::sentences::{
    Kind, LR, Model, STEPS, Sentence, Split, answers, mean_weights, shares, train,
    with_values_zeroed,
};
use dfdx::prelude::*;
use kernels::Dev;
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::{Progress, RunArgs, heading, seeds, spread};

const KINDS: [(&str, Kind, &[usize]); 3] = [
    ("two layers", Kind::Full, &[STEPS, END]),
    ("one layer", Kind::OneLayer, &[STEPS, END, 3 * END]),
    ("no positions", Kind::NoPositions, &[STEPS, END]),
];
/// Three times the steps of the page's two models.
const END: usize = 2400;
const RATES: [f32; 3] = [0.001, LR, 0.01];

pub fn main(run: &RunArgs, count: usize, validation: bool) {
    run.print_settings(&(count, KINDS, LR, RATES, run.seed), &[]);
    if validation {
        rates(run, count);
    } else {
        compared(run, count);
    }
}

/// Each kind with each learning rate, trained for its most steps.
fn rates(run: &RunArgs, count: usize) {
    heading("Learning rates");
    let test = drawn(run, Split::Validation);
    println!("{:<14} steps{}", "", RATES.map(|lr| format!("{lr:>8.3}")).concat());
    for (name, kind, ends) in KINDS {
        let end = ends[ends.len() - 1];
        print!("{name:<14}{end:>6}");
        for lr in RATES {
            let models =
                seeds(run.seed, count as u64).map(|s| trained(s, kind, lr, &[end]));
            let right = models.map(|models| right(&models[0], kind, &test)[0]);
            print!("{:>8.3}", spread(right).mean);
        }
        println!();
    }
}

/// How often each kind is right, and what the models of two layers need.
fn compared(run: &RunArgs, count: usize) {
    heading("Models of each kind");
    let test = drawn(run, Split::Test);
    println!("{:<22}above{:>15}{:>20}{:>20}", "", "all", "place", "animal");
    println!("{:<14}{:>6}   .9 {}", "", "steps", "   mean least  most".repeat(3));
    let mut full = Vec::new();
    for (name, kind, ends) in KINDS {
        let models = seeds(run.seed, count as u64).map(|s| trained(s, kind, LR, ends));
        let models: Vec<Vec<Model>> = models.collect();
        for (n, steps) in ends.iter().enumerate() {
            let right = models.iter().map(|models| right(&models[n], kind, &test));
            let right: Vec<[f32; 3]> = right.collect();
            let good = right.iter().filter(|right| right[0] > 0.9).count();
            print!("{name:<14}{steps:>6}{good:>4}  ");
            for part in 0..3 {
                let cells = spread(right.iter().map(|right| right[part])).cells(3);
                print!("  {}", cells.join(" "));
            }
            println!();
        }
        if kind == Kind::Full {
            full = models.into_iter().filter_map(|mut models| models.pop()).collect();
        }
    }
    ablation(&full, &test);
}

/// One model after so many steps, and after so many more.
fn trained(seed: u64, kind: Kind, lr: f32, ends: &[usize]) -> Vec<Model> {
    let mut model = kind.model(&Dev::seed_from_u64(seed));
    let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1000));
    let last = ends.iter().copied().max().unwrap_or_default();
    let mut progress = Progress::new(format!("{kind:?} {seed}"), last);
    let (mut steps, mut kept) = (0, Vec::new());
    train(&mut model, kind, &mut rng, (last, lr), |model, loss| {
        progress.step(loss);
        steps += 1;
        kept.extend(ends.contains(&steps).then(|| model.clone()));
    });
    kept
}

/// The positions of all words but the noun that "it" refers to.
fn all_but_meant(sentence: &Sentence) -> Vec<usize> {
    let meant = sentence.position(sentence.meant);
    (0..sentence.words.len()).filter(|&k| k != meant).collect()
}

/// What the second layer of a model does.
struct Row {
    /// Mean weights of the noun that "it" refers to and of the adjective; and of
    /// the right answers, the share with less than 0.05 on that noun.
    weights: [f32; 3],
    /// The shares of right answers with nothing masked; without that noun,
    /// without all other words, without the adjective, without the other noun;
    /// with the values of that noun, or of all other words, set to 0.
    right: [f32; 7],
}

impl Row {
    fn new(model: &Model, test: &Test) -> Self {
        let output = model.forward(&test.tokens, &test.masks(), NoneTape);
        let weights = mean_weights(&output.second);
        let of = |noun: fn(&Sentence) -> usize| -> Vec<f32> {
            test.sentences.iter().zip(&weights).map(|(s, row)| row[noun(s)]).collect()
        };
        let noun = of(|s| s.position(s.meant));
        let given = answers(&output.logits);
        let right =
            test.sentences.iter().zip(&given).map(|(s, given)| s.meant == *given);
        let right: Vec<f32> = right
            .zip(&noun)
            .filter_map(|(right, &weight)| right.then_some(weight))
            .collect();
        let below = right.iter().filter(|&&weight| weight < 0.05).count();
        let masked = |of: fn(&Sentence) -> Vec<usize>| {
            let masks = test.without(&test.positions(of));
            shares(test, &model.forward(&test.tokens, &masks, NoneTape).logits)[0]
        };
        let zeroed = |of: fn(&Sentence) -> Vec<usize>| {
            shares(test, &with_values_zeroed(model, test, &test.positions(of)))[0]
        };
        let meant: fn(&Sentence) -> Vec<usize> = |s| vec![s.position(s.meant)];
        Row {
            weights: [
                spread(noun.iter().copied()).mean,
                spread(of(Sentence::adjective)).mean,
                below as f32 / right.len() as f32,
            ],
            right: [
                masked(|_| vec![]),
                masked(meant),
                masked(all_but_meant),
                masked(|s| vec![s.adjective()]),
                masked(|s| vec![s.position(s.other)]),
                zeroed(meant),
                zeroed(all_but_meant),
            ],
        }
    }
}

/// What is left of the answers when "it" may not attend to some words in the
/// second layer: the other weights grow to sum to 1 again, or they stay. The
/// models stand in the order of their noun's weight.
fn ablation(models: &[Model], test: &Test) {
    heading("Without a word");
    let mut rows: Vec<Row> = models.iter().map(|model| Row::new(model, test)).collect();
    rows.sort_by(|a, b| b.weights[0].total_cmp(&a.weights[0]));
    println!("  weight of     noun  right  masked                     value 0");
    println!("  noun  adj.  < 0.05    all   noun   rest   adj.  other   noun   rest");
    for Row { weights: [noun, adjective, below], right } in &rows {
        print!(" {noun:.3} {adjective:.3}{below:>8.3}");
        println!("{}", right.map(|x| format!("{x:>7.3}")).concat());
    }
    let count = |what: &str, holds: fn(&Row) -> bool| {
        let models = rows.iter().filter(|row| holds(row)).count();
        println!("{what:<44}{models:>3} of {}", rows.len());
    };
    count("more weight on the noun than the adjective", |r| {
        r.weights[0] > r.weights[1]
    });
    count("worse without the noun than the adjective", |r| r.right[1] < r.right[3]);
    count("worse without the noun than the rest", |r| r.right[1] < r.right[2]);
    count("the same with values of 0", |r| r.right[5] < r.right[6]);
    let points = rows.iter().map(|r| [r.weights[0], r.right[0] - r.right[1]]);
    let correlation = correlation(&points.collect::<Vec<_>>());
    println!(
        "weight of the noun, and what masking it costs: correlation {correlation:.2}"
    );
}

fn correlation(points: &[[f32; 2]]) -> f32 {
    let mean = |of: &dyn Fn(&[f32; 2]) -> f32| spread(points.iter().map(of)).mean;
    let [x, y] = [mean(&|p| p[0]), mean(&|p| p[1])];
    let both = mean(&|p| (p[0] - x) * (p[1] - y));
    both / (mean(&|p| (p[0] - x).powi(2)) * mean(&|p| (p[1] - y).powi(2))).sqrt()
}
