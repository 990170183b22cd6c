//! The decoder of today, trained on a seed other than the page's.

use crate::positions::{
    ALL, Decoder, NARROW, Positions, Way, attend, perplexity, trained,
};
use ch10_3::Mask;
use ch10_7::decoder_of_today::{Parts, train_decoder};
use ch10_7::language_model::Setting;
use ch10_7::stories::{STEPS, Stories};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

const SEED: u64 = 21;

/// The perplexity on the stories held out, with the parts of 2017.
fn held_out(stories: &Stories, way: Way, lr: f32) -> f64 {
    let model = trained(stories, way, (200, lr), SEED);
    perplexity(&model, way.0, &stories.held_out)
}

/// A third of the page's steps: turned queries and keys are better than an encoding
/// that is added, and with half the keys and values it stays so.
#[test]
fn rotary_positions_lower_the_perplexity() {
    let stories = Stories::book();
    let added = [Setting::BOOK.lr, 0.008]
        .map(|lr| held_out(&stories, (Positions::Added, ALL), lr))
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    let turned = held_out(&stories, (Positions::Rotary, ALL), 0.008);
    assert!(turned < added - 1.5, "{turned:.2} {added:.2}");
    assert!(turned < 15.6, "{turned:.2}");
    let setting = Setting { steps: 200, lr: 0.008, ..Setting::BOOK };
    let on_step = |_, _, _, _: &_| {};
    let today =
        train_decoder::<2, 86>(&stories, &Parts::TODAY, &setting, SEED, on_step);
    let today = today.perplexity(&stories.held_out);
    assert!(today < added - 1.0, "{today:.2} {added:.2}");
}

/// A third of the steps of exercise 14: a penalty on the distance is better than the
/// mask alone.
#[test]
fn a_penalty_on_the_distance_lowers_the_perplexity() {
    let stories = Stories::book();
    let nothing = held_out(&stories, (Positions::Nothing, ALL), 0.004);
    let penalty = held_out(&stories, (Positions::Penalty, ALL), 0.008);
    assert!(penalty < nothing - 4.5, "{penalty:.2} {nothing:.2}");
    assert!(penalty < 15.2, "{penalty:.2}");
}

/// A third of the steps of exercise 14: without any positions, a mask of eight tokens has
/// most of what rotary positions gain.
#[test]
fn a_short_reach_lowers_the_perplexity() {
    let stories = Stories::book();
    let nothing = held_out(&stories, (Positions::Nothing, ALL), 0.004);
    let near = held_out(&stories, (Positions::Nothing, NARROW), 0.004);
    assert!(near < nothing - 2.5, "{near:.2} {nothing:.2}");
    assert!(near < 17.6, "{near:.2}");
}

/// With slopes of 0 its attention is the library's, so it does not read ahead either.
#[test]
fn a_penalty_of_nothing_is_the_attention_of_the_decoder() {
    let dev = Dev::seed_from_u64(SEED);
    let model = Decoder::new(&dev, 100, 1, 0.2, &Parts::BEFORE);
    let attention = &model.blocks[0].attention;
    let x: Tensor3<1, STEPS, 64> = dev.sample_normal();
    let mask = Mask::causal_within([100]);
    let found = attend(attention, x.clone(), &mask, [0.0; 4]).as_vec();
    testing::close(&found, &attention.forward(x, &mask).as_vec(), 1e-5, "attention");
}
