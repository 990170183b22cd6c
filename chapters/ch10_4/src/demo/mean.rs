//! The translator whose context is the mean of all states of the encoder: how
//! much of what attention gains is access to the states, and how much choice?

use super::compare::SEEDS;
use anyhow::Result;
use ch10_4::mean_context::MeanContext;
use ch10_4::{CONFIG, SCHEDULE, WIDTH};
use program::{Job, Setting, outcomes, print_near_and_far, print_outcomes};
use seq2seq::train::Schedule;
use seq2seq::translator::Translator;

/// The translator with the mean of all states as its context.
pub type Mean = Translator<WIDTH, WIDTH, MeanContext>;

/// How it is trained: of the candidates of `settings mean` none is better by more
/// than two seeds tell.
pub fn mean() -> Setting<Mean> {
    Setting {
        name: "Translator<64, 64, MeanContext>",
        config: "mean of all states".into(),
        schedule: Schedule { epochs: 80, ..SCHEDULE },
        model: |dev, sizes| Translator::new(dev, sizes, &CONFIG, MeanContext),
    }
}

/// Trains it from the seeds of `compare`, and prints the same two tables.
pub fn print(job: &Job) -> Result<()> {
    let mean = mean();
    job.print_settings(&[&mean], SEEDS);
    let variants = [("mean of states", outcomes(job, "mean", &mean, SEEDS)?)];
    print_outcomes("The mean of all states as the context", &variants);
    print_near_and_far("One word from the training, and further", &variants);
    Ok(())
}
