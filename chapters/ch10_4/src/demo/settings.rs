//! How the settings were chosen: each is changed alone, and judged by the
//! validation pairs.

use super::Bahdanau;
use super::compare::without;
use anyhow::Result;
use ch10_4::{AttentionTranslator, BahdanauAttention, CONFIG, DROPOUT, SCHEDULE};
use kernels::Dev;
use program::{Job, Section, Setting, validate, validate_epochs};
use seq2seq::train::Schedule;
use seq2seq::translator::{Config, Translator};

/// Seeds of each.
const SEEDS: u64 = 3;

/// Seeds of each candidate without attention, which is trained for longer.
const SEEDS_WITHOUT: u64 = 2;

/// Trains the translator without attention with several learning rates, long
/// enough to see where it stops improving.
pub fn without_attention(job: &Job) -> Result<()> {
    let without = without();
    let of = |lr| {
        let schedule = Schedule { lr, ..without.schedule };
        Setting { schedule, ..without.clone() }
    };
    let candidates = [
        ("learning rate 0.0025", of(0.0025)),
        ("learning rate 0.005", of(0.005)),
        ("learning rate 0.01", of(0.01)),
    ];
    validate_epochs(job, &candidates, SEEDS_WITHOUT, &[40, 80, 120])
}

/// Trains them all.
pub fn settings(job: &Job) -> Result<()> {
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

fn no_dropout_on_weights(dev: &Dev, sizes: (usize, usize)) -> AttentionTranslator {
    changed(dev, sizes, CONFIG, 0.0)
}
