//! The training on two hundred samples: how often it arrives, and what an
//! estimate is then worth.

use super::Setting;
use super::training::Others;
use ch10_2::*;
use dfdx::prelude::*;
use support::{Progress, RunArgs, heading, row, spread};

const SEEDS: u64 = 200;
/// A learning rate, and after how many steps we look.
const TRAININGS: [(f32, usize); 4] =
    [(LR, EPOCHS), (LR, 100), (LR, 500), (LR / 10.0, 500)];

/// What one sample came to.
struct Counted {
    /// The w with the smallest loss.
    best: f32,
    /// |w| after each training.
    w: [f32; 4],
    /// The error at the test inputs then.
    error: [f32; 4],
    /// That of average pooling, and of the fixed width.
    average: f32,
    fixed: f32,
    /// The derivative of the loss at a w near 0.
    slope: f32,
    /// The loss with a point as its own key, at the `w` of the third training and
    /// after a training of that kind; and the error then.
    own_loss: [f32; 2],
    own_error: f32,
}

pub fn counts(run: &RunArgs) {
    run.print_settings(&(SEEDS, TRAININGS), &[]);
    let mut progress = Progress::new("training", SEEDS as usize);
    let seeds = support::seeds(run.seed, SEEDS).map(|seed| {
        let counted = count(&Setting::new(seed));
        progress.step(counted.own_loss[0]);
        counted
    });
    let all: Vec<Counted> = seeds.collect();
    heading("Two hundred samples");
    table("learning rate", |i| TRAININGS[i].0);
    table("steps", |i| TRAININGS[i].1);
    let many = |label: &str, is: &dyn Fn(&Counted, usize) -> bool| {
        table(label, |i| all.iter().filter(|c| is(c, i)).count());
    };
    many("w within 5 % of the best", &|c, i| (c.w[i] / c.best - 1.0).abs() < 0.05);
    many("w above twice the best", &|c, i| c.w[i] > 2.0 * c.best);
    many("w below a tenth of it", &|c, i| c.w[i] < 0.1 * c.best);
    many("MSE below half of fixed", &|c, i| c.error[i] < 0.5 * c.fixed);
    many("MSE not below fixed", &|c, i| c.error[i] >= c.fixed);
    let median = |value: &dyn Fn(&Counted) -> f32| spread(all.iter().map(value)).median;
    table("median MSE", |i| format!("{:.3}", median(&|c| c.error[i])));
    let (average, fixed) = (median(&|c| c.average), median(&|c| c.fixed));
    println!("median MSE of average pooling {average:.3}, of fixed width {fixed:.3}");
    let worse = all.iter().filter(|c| c.average > c.fixed).count();
    println!("average pooling is worse than fixed width in {worse}");
    let mut best: Vec<f32> = all.iter().map(|c| c.best).collect();
    best.sort_by(f32::total_cmp);
    let [low, high] = [best[best.len() / 4], best[best.len() * 3 / 4]];
    let (least, most) = (best[0], best[best.len() - 1]);
    println!("best w from {least:.1} to {most:.1}, half from {low:.1} to {high:.1}");
    let to_0 = all.iter().filter(|c| c.slope > 0.0).count();
    println!("the gradient at w = {NEAR_0} is positive in {to_0}");
    let smaller = all.iter().filter(|c| c.own_loss[1] < c.own_loss[0]).count();
    println!("a point as its own key, 500 steps: smaller loss in {smaller}");
    let times =
        |factor: f32| all.iter().filter(|c| c.own_error > factor * c.error[2]).count();
    println!("larger MSE in {}, more than twice in {}", times(1.0), times(2.0));
}

/// Where the derivative near 0 is taken.
const NEAR_0: f32 = 0.01;

fn count(s: &Setting) -> Counted {
    let (others, all) =
        (Others::leave_one_out(&s.train), TrainingSet::with_self(&s.train));
    let [fast, slow] = [2, 3].map(|i| after(s, &others, TRAININGS[i]));
    let [first, second] = [0, 1].map(|i| fast[TRAININGS[i].1 - 1]);
    let w = [first, second, fast[499], slow[499]];
    let own = after(s, &all, TRAININGS[2])[499];
    let error = |w: f32| s.error(&s.model(w));
    let best = best(s, &others);
    let near_0 = s.model(NEAR_0);
    let gradients = loss(&near_0, &others, OwnedTape::default()).backward();
    Counted {
        best,
        w,
        error: w.map(error),
        average: error(0.0),
        fixed: error(1.0),
        slope: gradients.get(&near_0.w).array(),
        own_loss: [w[2], own].map(|w| loss(&s.model(w), &all, NoneTape).array()),
        own_error: error(own),
    }
}

/// |w| after each step.
fn after<const K: usize>(
    s: &Setting,
    set: &TrainingSet<50, K>,
    (lr, steps): (f32, usize),
) -> Vec<f32> {
    let mut model = s.start.clone();
    let history = train(&mut model, set, lr, steps);
    history.into_iter().map(|(_, w)| w.abs()).collect()
}

/// The w with the smallest loss: of 0.05 to 70 in steps of 5 %, then of 1 %.
fn best(s: &Setting, set: &Others) -> f32 {
    let at = |w: &f32| loss(&s.model(*w), set, NoneTape).array();
    let least = |from: f32, ratio: f32, count: i32| {
        let tried = (0..count).map(|i| from * ratio.powi(i));
        tried.min_by(|a, b| at(a).total_cmp(&at(b))).unwrap_or(f32::NAN)
    };
    least(least(0.05, 1.05, 150) / 1.05, 1.01, 11)
}

/// A row with one cell for each training.
fn table<D: std::fmt::Display>(label: &str, cell: impl Fn(usize) -> D) {
    let cells: [D; 4] = std::array::from_fn(cell);
    row(label, 26, &cells);
}
