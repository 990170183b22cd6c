//! Exercise 1 of the interlude: a loss without the mask, in which the padding
//! of the translations counts like their words.

use anyhow::Result;
use ch10_1::Dev;
use dfdx::prelude::*;
use seq2seq::context::LastState;
use seq2seq::course::{Course, D2L, STEPS, Settings, words};
use seq2seq::text::Pair;
use seq2seq::train::Training;
use seq2seq::translator::{Dropouts, Translator};
use seq2seq::vocab::{Batch, Languages, PAD};
use support::row;

type Model = Translator<32, 32, LastState>;
type Pairs = Batch<64, STEPS>;

/// The loss a cell of `batch`: of what counts in it.
fn loss(model: &Model, batch: &Pairs) -> f32 {
    let sum = model.loss(batch, NoneTape).sum().array();
    sum * STEPS as f32 / batch.tokens() as f32
}

/// Trains on `batch`, and tells how the loss of `right` and of `batch` fall.
fn train(course: &Course, batch: &Pairs, right: &Pairs) -> Model {
    let how = Settings { dropouts: Dropouts::default(), ..D2L };
    let mut training: Training<Model> =
        Training::new(1, 0, how.schedule.rate, |dev: &Dev| {
            course.translator(dev, &how, LastState)
        });
    row("step", 8, &["minimised", "words"]);
    for step in 0..=100 {
        if step % 20 == 0 {
            let model = training.model();
            let losses = [loss(model, batch), loss(model, right)];
            row(&step.to_string(), 8, &losses.map(|x| format!("{x:.4}")));
        }
        training.step(std::slice::from_ref(batch));
    }
    training.into_model()
}

fn main() -> Result<()> {
    let mut course = Course::book()?;
    course.training.truncate(64);
    course.languages = Languages::of(&course.training);
    let masked: Pairs = Batch::new(&course.training, &course.languages)?;
    let all = Batch { target_lens: [STEPS; 64], ..masked.clone() };
    println!("cells that count: {} of {}", masked.tokens(), 64 * STEPS);

    println!("\nwith the mask");
    let with = train(&course, &masked, &masked);
    println!("\nwithout");
    let without = train(&course, &all, &masked);

    let pair: &Pair = &course.training[0];
    let row = course.languages.source.row::<STEPS>(&pair.source);
    let target = &course.languages.target;
    println!("\n{}", pair.source.join(" "));
    for model in [&with, &without] {
        let (written, _) = model.translate(row);
        assert!(!written.contains(&PAD));
        println!("  {}", words(target, &written).join(" "));
    }
    let (all, words) = (loss(&without, &all), loss(&without, &masked));
    assert!(all < 0.85 * words, "{all} {words}");
    Ok(())
}
