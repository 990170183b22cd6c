//! What the page says of trainings, on trainings made here: ten samples, ten
//! starts. Section 10.2.

use crate::model;
use ch10_1::{Dev, Tensor1};
use ch10_2::*;
use dfdx::prelude::*;
use std::sync::OnceLock;

/// A sample, the start of `w`, and what estimates are compared with.
struct Case {
    samples: Samples<50>,
    start: GaussianAttention,
    x: Tensor1<50>,
}

impl Case {
    fn ten() -> Vec<Case> {
        (0..10).map(Case::new).collect()
    }

    fn new(seed: u64) -> Case {
        let dev = Dev::seed_from_u64(seed);
        let samples = draw_samples(&dev);
        let start = GaussianAttention::new(&dev);
        Case { samples, start, x: test_inputs(&dev) }
    }

    fn others(&self) -> TrainingSet<50, 49> {
        TrainingSet::leave_one_out(&self.samples)
    }

    /// The trained model, and the loss before each step and w after it.
    fn trained(&self, epochs: usize) -> (GaussianAttention, Vec<(f32, f32)>) {
        let mut model = self.start.clone();
        let history = train(&mut model, &self.others(), LR, epochs);
        (model, history)
    }

    fn loss(&self, model: &GaussianAttention) -> f32 {
        loss(model, &self.others(), NoneTape).array()
    }

    /// The w with the smallest loss, to 1 %.
    fn search(&self) -> f32 {
        let tried = (0..464).map(|i| 0.5 * 1.01f32.powi(i));
        let loss = |w: f32| self.loss(&model(w));
        tried.min_by(|&a, &b| loss(a).total_cmp(&loss(b))).expect("not empty")
    }

    /// The mean squared error at the test inputs.
    fn error(&self, model: &GaussianAttention) -> f32 {
        let weights =
            model.weights(differences(self.x.clone(), self.samples.x.clone()));
        mse(pool(weights, self.samples.y.clone()), &truth(self.x.clone()))
    }
}

/// The best w of each of the ten.
fn best() -> &'static [f32] {
    static BEST: OnceLock<Vec<f32>> = OnceLock::new();
    BEST.get_or_init(|| Case::ten().iter().map(Case::search).collect())
}

#[test]
fn training_beats_the_fixed_width_and_that_the_average_on_every_sample() {
    for case in Case::ten() {
        let models =
            [&model(0.0), &model(1.0), &case.trained(EPOCHS).0, &case.trained(100).0];
        let [average, fixed, five, hundred] = models.map(|model| case.error(model));
        assert!(average > 1.5 * fixed, "{average} {fixed}");
        assert!(
            fixed > 2.0 * five && fixed > 2.5 * hundred,
            "{fixed} {five} {hundred}"
        );
    }
}

#[test]
fn the_first_step_of_seed_0_lands_near_the_minimum() {
    let case = Case::new(0);
    let (model, history) = case.trained(EPOCHS);
    let losses: Vec<f32> = history.iter().map(|e| e.0).collect();
    assert!((44.0..47.0).contains(&losses[0]), "{losses:?}");
    assert!(losses[1..].iter().all(|l| (18.4..18.8).contains(l)), "{losses:?}");
    assert!(losses.is_sorted_by(|a, b| a > b), "{losses:?}");
    assert!((3.4..3.7).contains(&model.w.array()), "{}", model.w.array());
    let error = case.error(&model);
    assert!((0.12..0.145).contains(&error), "{error}");
}

#[test]
fn from_nine_of_ten_starts_five_steps_end_beyond_the_minimum() {
    let w = |case: &Case| case.trained(EPOCHS).0.w.array();
    let ratios = Case::ten().into_iter().zip(best()).map(|(case, b)| w(&case) / b);
    let ratios: Vec<f32> = ratios.collect();
    assert!(ratios[0] < 1.1, "{ratios:?}");
    assert!(ratios[1..].iter().all(|r| (1.2..7.0).contains(r)), "{ratios:?}");
    let far = ratios.iter().filter(|&&ratio| ratio > 2.0).count();
    assert_eq!(far, 6, "{ratios:?}");
}

#[test]
fn a_hundred_steps_arrive_at_the_minimum_from_every_start() {
    for (case, best) in Case::ten().into_iter().zip(best()) {
        let w = case.trained(100).0.w.array();
        assert!((w / best - 1.0).abs() < 0.03, "{w} where {best} is best");
        assert!((2.9..6.0).contains(best), "a width of {}", best.recip());
    }
}

#[test]
fn most_of_the_fall_of_the_loss_is_in_the_first_two_steps() {
    for case in Case::ten() {
        let (model, history) = case.trained(EPOCHS);
        let (first, third, end) = (history[0].0, history[2].0, case.loss(&model));
        assert!(first - third > 0.85 * (first - end), "{history:?} {end}");
    }
}

#[test]
fn small_steps_lower_the_loss_every_time() {
    let case = Case::new(5);
    let mut model = model(1.0);
    let history = train(&mut model, &case.others(), 0.005, 40);
    assert_eq!(history.len(), 40);
    assert!(history.is_sorted_by(|a, b| a.0 > b.0), "{history:?}");
    assert_eq!(history[39].1, model.w.array());
    assert!(model.w.array() > 1.5, "{}", model.w.array());
}

#[test]
fn a_point_as_its_own_key_lowers_the_loss_and_raises_the_error() {
    for case in Case::ten() {
        let (fair, _) = case.trained(500);
        let set = TrainingSet::with_self(&case.samples);
        let mut leaking = case.start.clone();
        train(&mut leaking, &set, LR, 500);
        let loss = loss(&leaking, &set, NoneTape).array();
        assert!(loss < 0.4 * case.loss(&fair), "{loss}");
        let (w, fair_w) = (leaking.w.array(), fair.w.array());
        assert!(w > 4.0 * fair_w, "{w} {fair_w}");
        let (error, fair_error) = (case.error(&leaking), case.error(&fair));
        assert!(error > 1.5 * fair_error, "{error} {fair_error}");
    }
}
