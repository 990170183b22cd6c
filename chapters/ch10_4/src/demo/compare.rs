//! The translator with attention and without, each with its own learning rate
//! and as many epochs as improve it.

use super::alignments::{draw_of_seeds, largest_weights};
use super::{Bahdanau, Section};
use anyhow::Result;
use ch10_4::{CONFIG, SCHEDULE, WIDTH};
use program::{
    Job, Setting, draw_outcomes, outcomes, outcomes_of, print_near_and_far,
    print_outcomes,
};
use seq2seq::context::FixedContext;
use seq2seq::train::Schedule;
use seq2seq::translator::Translator;

/// Seeds of each.
pub const SEEDS: u64 = 5;

/// The translator with the fixed context of the interlude.
pub type Without = Translator<WIDTH, WIDTH, FixedContext>;

/// As `settings without` chose it.
const SCHEDULE_WITHOUT: Schedule = Schedule { epochs: 120, ..SCHEDULE };

/// How it is trained.
pub fn without() -> Setting<Without> {
    Setting {
        name: "Translator<64, 64, FixedContext>",
        config: "without attention".into(),
        schedule: SCHEDULE_WITHOUT,
        model: |dev, sizes| Translator::new(dev, sizes, &CONFIG, FixedContext),
    }
}

/// Trains both from the same seeds, prints tables, and draws the scores and the
/// alignments of the models with attention.
pub fn compare(job: &Job) -> Result<()> {
    let (book, without) = (Bahdanau::book(), without());
    let depends = (job.schedule(&without), &without.config);
    let config = format!("{} {depends:?}", book.config);
    let settings = Setting { config, ..book.clone() };
    job.print_settings(&[&settings], SEEDS);
    let mut models = Vec::new();
    let with = outcomes_of(job, "with attention", &book, SEEDS, |m| models.push(m))?;
    let without = outcomes(job, "without", &without, SEEDS)?;
    let variants = [("with attention", with), ("without", without)];
    print_outcomes("With attention and without", &variants);
    print_near_and_far("One word from the training, and further", &variants);
    largest_weights(job, &models)?;
    draw_outcomes(job, &variants)?;
    draw_of_seeds(job, &models)
}
