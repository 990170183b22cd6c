//! The decoder of today, trained on a seed other than the page's.

use crate::positions::{Decoder, Positions, attend, perplexity, trained};
use ch10_3::Mask;
use ch10_7::decoder_of_today::{Parts, train_decoder};
use ch10_7::language_model::Setting;
use ch10_7::stories::Stories;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

/// A third of the page's steps: turned queries and keys are better than an encoding
/// that is added, and with half the keys and values it stays so.
#[test]
fn rotary_positions_lower_the_perplexity() {
    let stories = Stories::book();
    let before = Setting { steps: 200, ..Setting::BOOK };
    let setting = Setting { lr: 0.008, ..before };
    let added =
        train_decoder::<4, 128>(&stories, &Parts::BEFORE, &before, 21, |_, _, _, _| {});
    let parts = Parts { rotary: true, ..Parts::BEFORE };
    let turned =
        train_decoder::<4, 128>(&stories, &parts, &setting, 21, |_, _, _, _| {});
    let today =
        train_decoder::<2, 86>(&stories, &Parts::TODAY, &setting, 21, |_, _, _, _| {});
    let added = added.perplexity(&stories.held_out);
    let turned = turned.perplexity(&stories.held_out);
    let today = today.perplexity(&stories.held_out);
    assert!(turned < added - 1.5, "{turned:.2} {added:.2}");
    assert!(today < added - 1.0, "{today:.2} {added:.2}");
    assert!(turned < 15.6, "{turned:.2}");
}

/// A third of the steps of exercise 14: a penalty on the distance is better than the
/// mask alone.
#[test]
fn a_penalty_on_the_distance_lowers_the_perplexity() {
    let stories = Stories::book();
    let held_out = |positions, lr| {
        let model = trained(&stories, positions, (200, lr), 21);
        perplexity(&model, positions, &stories.held_out)
    };
    let nothing = held_out(Positions::Nothing, 0.004);
    let penalty = held_out(Positions::Penalty, 0.008);
    assert!(penalty < nothing - 4.5, "{penalty:.2} {nothing:.2}");
    assert!(penalty < 15.2, "{penalty:.2}");
}

/// With slopes of 0 its attention is the library's, so it does not read ahead either.
#[test]
fn a_penalty_of_nothing_is_the_attention_of_the_decoder() {
    let dev = Dev::seed_from_u64(21);
    let model = Decoder::new(&dev, 100, 1, 0.2, &Parts::BEFORE);
    let attention = &model.blocks[0].attention;
    let x: Tensor3<2, 9, 64> = dev.sample_normal();
    let mask = Mask::causal_within([9, 5]);
    let found = attend(attention, x.clone(), &mask, [0.0; 4]).as_vec();
    testing::close(&found, &attention.forward(x, &mask).as_vec(), 1e-5, "attention");
}
