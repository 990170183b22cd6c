//! The game of pairs on seeds that chose nothing. A single head first gets a
//! learning rate of its own, chosen on circles that are used for nothing else.

use ch10_5::task::cards::*;
use kernels::Dev;
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::{RunArgs, Spread, heading, seeds, spread};

/// Models that choose a rate, and models that are counted.
const CHOOSING: u64 = 2;
const COUNTED: u64 = 100;
/// Steps of a single head, for either read-out.
const LONG: usize = 600;
/// Steps of a single head with a falling learning rate, and its models.
const LONGEST: usize = 3000;
const FALLING: u64 = 20;
/// Rates to choose from.
const RATES: [f32; 4] = [0.001, 0.003, 0.01, 0.03];

/// Cards that no model was trained on.
type Cards = CardBatch<256>;

fn cards(seed: u64) -> Cards {
    CardBatch::new(&Dev::default(), &mut StdRng::seed_from_u64(seed))
}

pub fn main(run: &RunArgs) {
    let settings = (LONG, RATES, (STEPS, LR), CHOOSING, COUNTED, (LONGEST, FALLING));
    run.print_settings(&settings, &[]);
    heading("Learning rates of a single head");
    rates(LONG);
    let [linear, nonlinear] = [false, true].map(|nonlinear| {
        chosen(run, name(nonlinear), |seed, rate| {
            trained(seed, nonlinear, (LONG, rate), |_| ())
        })
    });
    heading("A hundred models of each kind");
    println!("                                both right    the worse question");
    println!("heads  read-out   steps   rate   on > 0.99   least  median    most");
    let one = count::<1, 32>(run, false, (LONG, linear));
    let other = count::<1, 32>(run, true, (LONG, nonlinear));
    let two = count::<2, 16>(run, false, (STEPS, LR));
    let four = count::<4, 8>(run, false, (STEPS, LR));
    let test = cards(run.seed.wrapping_add(20_000));
    attended(&one, &other, &test);
    longest(run, &test);
    masked(&two, &four, &test);
}

fn rates(steps: usize) {
    print!("loss after {:<11}", format!("{steps} steps"));
    RATES.iter().for_each(|rate| print!("{rate:>9}"));
    println!();
}

/// Returns the rate with the least loss on the validation circles.
fn chosen(
    run: &RunArgs,
    name: &str,
    train: impl Fn(u64, f32) -> CardModel<1, 32>,
) -> f32 {
    let validation = cards(run.seed.wrapping_add(10_000));
    print!("{name:<22}");
    let mean = |rate: f32| {
        let models = seeds(run.seed.wrapping_add(100), CHOOSING);
        let losses = models
            .map(|seed| train(seed, rate).losses(&validation, &[]).iter().sum::<f32>());
        spread(losses).mean
    };
    let losses = RATES.map(|rate| {
        let loss = mean(rate);
        print!("{loss:>9.4}");
        (loss, rate)
    });
    println!();
    losses
        .into_iter()
        .fold((f32::INFINITY, RATES[0]), |a, b| if b < a { b } else { a })
        .1
}

/// Trains linear single heads for five times as long, at a rate that falls to
/// 0, and prints what is left of the worse question.
fn longest(run: &RunArgs, test: &Cards) {
    heading("Linear single heads, trained for longer");
    rates(LONGEST);
    let train = |seed, rate| trained_falling(seed, false, (LONGEST, rate), |_| ());
    let rate = chosen(run, "linear, falling rate", train);
    let models = seeds(run.seed.wrapping_add(200), FALLING);
    let models: Vec<CardModel<1, 32>> = models.map(|seed| train(seed, rate)).collect();
    println!("{FALLING} models at {rate:<13} least  median    most");
    let of = |what: &dyn Fn(&CardModel<1, 32>) -> [f32; 2], largest: bool| {
        let two = models.iter().map(what);
        three(two.map(|[a, b]| if largest { a.max(b) } else { a.min(b) }))
    };
    let right = |model: &CardModel<1, 32>| model.accuracy(test);
    let loss = |model: &CardModel<1, 32>| model.losses(test, &[]);
    let weight = |model: &CardModel<1, 32>| model.attended(test)[0];
    println!("better question, right  {}", of(&right, true));
    println!("worse question, right   {}", of(&right, false));
    println!("better question, loss   {}", of(&loss, false));
    println!("worse question, loss    {}", of(&loss, true));
    println!("larger weight           {}", of(&weight, true));
    println!("smaller weight          {}", of(&weight, false));
}

fn name(nonlinear: bool) -> &'static str {
    if nonlinear { "nonlinear" } else { "linear" }
}

/// Trains models and prints how many answer both questions, and how they do
/// on the question that they answer worse.
fn count<const H: usize, const D: usize>(
    run: &RunArgs,
    nonlinear: bool,
    (steps, rate): (usize, f32),
) -> Vec<CardModel<H, D>> {
    let test = cards(run.seed.wrapping_add(20_000));
    let models = seeds(run.seed.wrapping_add(200), COUNTED);
    let models: Vec<CardModel<H, D>> =
        models.map(|seed| trained(seed, nonlinear, (steps, rate), |_| ())).collect();
    let worse = models.iter().map(|model| {
        let [left, partner] = model.accuracy(&test);
        left.min(partner)
    });
    let worse: Vec<f32> = worse.collect();
    let both = worse.iter().filter(|&&share| share > 0.99).count();
    print!("{H:>5}  {:<9}{steps:>7}{rate:>7}{both:>4} of {COUNTED}", name(nonlinear));
    println!("{}", three(worse));
    models
}

fn three(numbers: impl IntoIterator<Item = f32>) -> String {
    let Spread { least, median, most, .. } = spread(numbers);
    format!("{least:>8.3}{median:>8.3}{most:>8.3}")
}

/// The weights of single heads: on the card that answers the question that
/// the model answers better, and on the other.
fn attended(one: &[CardModel<1, 32>], other: &[CardModel<1, 32>], test: &Cards) {
    heading("Weights of the single heads");
    println!("                              least  median    most");
    for (name, models) in [("linear", one), ("nonlinear", other)] {
        let weights = models.iter().map(|model| model.attended(test)[0]);
        for (which, part) in [("larger weight", 1), ("smaller weight", 0)] {
            let part = |[a, b]: [f32; 2]| [a.min(b), a.max(b)][part];
            println!("{name:<9}  {which:<14} {}", three(weights.clone().map(part)));
        }
    }
    let agrees = |model: &&CardModel<1, 32>| {
        let ([[a, b]], [c, d]) = (model.attended(test), model.accuracy(test));
        (a > b) == (c > d)
    };
    let count = one.iter().filter(agrees).count();
    println!("linear: more weight on what is answered better  {count} of {COUNTED}");
}

/// What the heads of two and of four are needed for.
fn masked(two: &[CardModel<2, 16>], four: &[CardModel<4, 8>], test: &Cards) {
    heading("Heads of two or four masked out");
    let apart = |model: &&CardModel<2, 16>| {
        let [a, b] = [0, 1].map(|h| model.losses(test, &[h]).map(|loss| loss > 2.0));
        a[0] != a[1] && b == a.map(|lost| !lost)
    };
    println!(
        "two:  a question for each head             {:>3} of {COUNTED}",
        two.iter().filter(apart).count()
    );
    let without: Vec<[[f32; 2]; 4]> = four
        .iter()
        .map(|model| [0, 1, 2, 3].map(|h| model.losses(test, &[h])))
        .collect();
    let one_question =
        |heads: &&[[f32; 2]; 4]| heads.iter().all(|l| l[0].min(l[1]) < 0.01);
    let both = without.iter().filter(one_question).count();
    println!("four: no head is needed for both questions {both:>3} of {COUNTED}");
    let cost = |heads: &[[f32; 2]; 4], pick: fn(f32, f32) -> f32| {
        heads.iter().map(|l| l[0] + l[1]).reduce(pick).unwrap_or(f32::NAN)
    };
    println!("                                      least  median    most");
    for (name, pick) in
        [("cheapest", f32::min as fn(f32, f32) -> f32), ("dearest", f32::max)]
    {
        let costs = without.iter().map(|heads| cost(heads, pick));
        println!("four: loss without the {name:<8} head{}", three(costs));
    }
    let more: Vec<f32> = four.iter().map(|model| model.stand_ins(test)).collect();
    println!("four: two heads, more than their sum  {}", three(more.iter().copied()));
    let shared = more.iter().filter(|&&more| more > 1.0).count();
    println!("four: over a nat more than their sum  {shared:>5} of {COUNTED}");
}
