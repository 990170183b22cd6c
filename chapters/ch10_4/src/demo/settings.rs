//! How the settings were chosen: each is changed alone, and judged by the
//! validation pairs.

use super::Bahdanau;
use super::compare::without;
use super::mean::{Mean, mean};
use anyhow::Result;
use ch10_4::mean_context::MeanContext;
use ch10_4::{AttentionTranslator, BahdanauAttention, CONFIG, DROPOUT, SCHEDULE};
use clap::ValueEnum;
use kernels::Dev;
use program::{Job, Section, Setting, validate, validate_epochs};
use seq2seq::train::Schedule;
use seq2seq::translator::{Config, Translator};

/// Seeds of each.
const SEEDS: u64 = 3;

/// Seeds of each candidate without attention, which is trained for longer.
const SEEDS_CONTROL: u64 = 2;

/// Whose settings they are.
#[derive(Clone, Copy, ValueEnum)]
pub enum Of {
    /// The translator of the section
    Attention,
    /// With the mean of all states as the context
    Mean,
    /// Without attention
    Without,
}

/// Trains candidates, and prints how good each is.
pub fn settings(of: Of, job: &Job) -> Result<()> {
    match of {
        Of::Attention => attention(job),
        Of::Mean => {
            let mean = mean();
            let config = "mean of all states, twice the dropout".into();
            let model = mean_twice_the_dropout;
            let twice = Setting { config, model, ..mean.clone() };
            let candidates = [
                ("learning rate 0.0025", with_rate(&mean, 0.0025)),
                ("learning rate 0.005", mean.clone()),
                ("learning rate 0.01", with_rate(&mean, 0.01)),
                ("twice the dropout", twice),
            ];
            validate_epochs(job, &candidates, SEEDS_CONTROL, &[40, 60, 80])
        }
        Of::Without => {
            let without = without();
            let candidates = [
                ("learning rate 0.0025", with_rate(&without, 0.0025)),
                ("learning rate 0.005", without.clone()),
                ("learning rate 0.01", with_rate(&without, 0.01)),
            ];
            validate_epochs(job, &candidates, SEEDS_CONTROL, &[40, 80, 120])
        }
    }
}

fn with_rate<M>(setting: &Setting<M>, lr: f32) -> Setting<M>
where
    Setting<M>: Clone,
{
    Setting { schedule: Schedule { lr, ..setting.schedule }, ..setting.clone() }
}

/// Trains them all.
fn attention(job: &Job) -> Result<()> {
    let book = Bahdanau::book();
    let schedule = |name, schedule| (name, Setting { schedule, ..book.clone() });
    let model = |name: &'static str, model| {
        (name, Setting { config: name.into(), model, ..book.clone() })
    };
    let candidates = [
        ("as on the page", book.clone()),
        schedule("learning rate halved", Schedule { lr: 0.0025, ..SCHEDULE }),
        schedule("learning rate doubled", Schedule { lr: 0.01, ..SCHEDULE }),
        schedule(
            "learning rate falls",
            Schedule { final_lr_fraction: 0.05, ..SCHEDULE },
        ),
        model("two layers", two_layers),
        model("no dropout on vectors", no_dropout),
        model("twice that dropout", twice_the_dropout),
        model("no dropout on weights", no_dropout_on_weights),
    ];
    validate(job, &candidates, SEEDS)
}

fn changed(
    dev: &Dev,
    sizes: (usize, usize),
    config: Config,
    dropout: f32,
) -> AttentionTranslator {
    Translator::new(dev, sizes, &config, BahdanauAttention::new(dev, dropout))
}

fn two_layers(dev: &Dev, sizes: (usize, usize)) -> AttentionTranslator {
    changed(dev, sizes, Config { layers: 2, layer_dropout: 0.1, ..CONFIG }, DROPOUT)
}

fn no_dropout(dev: &Dev, sizes: (usize, usize)) -> AttentionTranslator {
    changed(dev, sizes, Config { embedding_dropout: 0.0, ..CONFIG }, DROPOUT)
}

fn twice_the_dropout(dev: &Dev, sizes: (usize, usize)) -> AttentionTranslator {
    let twice = 2.0 * CONFIG.embedding_dropout;
    changed(dev, sizes, Config { embedding_dropout: twice, ..CONFIG }, DROPOUT)
}

fn mean_twice_the_dropout(dev: &Dev, sizes: (usize, usize)) -> Mean {
    let twice = 2.0 * CONFIG.embedding_dropout;
    let config = Config { embedding_dropout: twice, ..CONFIG };
    Translator::new(dev, sizes, &config, MeanContext)
}

fn no_dropout_on_weights(dev: &Dev, sizes: (usize, usize)) -> AttentionTranslator {
    changed(dev, sizes, CONFIG, 0.0)
}
