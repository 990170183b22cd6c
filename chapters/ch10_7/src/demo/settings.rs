//! How the settings were chosen: each is changed alone, and judged by the
//! validation pairs. The times differ from run to run.

use super::{Section, TransformerSection};
use anyhow::Result;
use ch10_7::translator::{BookTransformer, DROPOUT, LAYERS, SCHEDULE};
use ch10_7::{NormPosition, Transformer};
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::program::{Job, Setting, outcomes};
use seq2seq::train::{Schedule, Seq2SeqModel, Trainer, WORKERS};
use support::{fastest, heading, row};

/// Seeds of each.
const SEEDS: u64 = 2;

fn candidates() -> Vec<(&'static str, Setting<BookTransformer>)> {
    let book = TransformerSection::book();
    let lr = |lr| Setting { schedule: Schedule { lr, ..SCHEDULE }, ..book.clone() };
    let model =
        |config: &str, model| Setting { config: config.into(), model, ..book.clone() };
    vec![
        ("1 layer", model("1", |dev, n| post(dev, n, 1, DROPOUT))),
        ("2 layers, as on the page", book.clone()),
        ("3 layers", model("3", |dev, n| post(dev, n, 3, DROPOUT))),
        ("4 layers", model("4", |dev, n| post(dev, n, 4, DROPOUT))),
        ("learning rate halved", lr(SCHEDULE.lr / 2.0)),
        ("learning rate doubled", lr(SCHEDULE.lr * 2.0)),
        ("no dropout", model("0", |dev, n| post(dev, n, LAYERS, 0.0))),
        ("twice the dropout", model("d", |dev, n| post(dev, n, LAYERS, 2.0 * DROPOUT))),
    ]
}

fn post(
    dev: &kernels::Dev,
    sizes: (usize, usize),
    layers: usize,
    dropout: f32,
) -> BookTransformer {
    Transformer::new(dev, sizes, layers, dropout, NormPosition::Post)
}

/// Trains them all.
pub fn settings(job: &Job) -> Result<()> {
    let candidates = candidates();
    let all: Vec<_> = candidates.iter().map(|(_, setting)| setting).collect();
    if job.print_settings(&all, SEEDS) {
        return Ok(());
    }
    heading("Settings on the validation pairs");
    row("", 26, &["ms a step", "BLEU-2", "lowest", "highest"]);
    for (name, setting) in &candidates {
        let time = milliseconds(job, setting)?;
        let outcomes = outcomes(job, name, setting, SEEDS)?;
        let scores = outcomes.iter().map(|one| one.validation.mean_bleu);
        let mean = scores.clone().sum::<f64>() / outcomes.len() as f64;
        let low = scores.clone().fold(f64::INFINITY, f64::min);
        let high = scores.fold(0.0, f64::max);
        let scores = [mean, low, high].map(|score| format!("{score:.4}"));
        row(name, 26, &[&[format!("{time:.1}")], &scores[..]].concat());
    }
    Ok(())
}

/// The shortest time of a step of training.
fn milliseconds(job: &Job, setting: &Setting<BookTransformer>) -> Result<f64> {
    let mut rng = StdRng::seed_from_u64(0);
    let parts = job.dataset.shuffled_batches(&mut rng)?.swap_remove(0);
    let sizes = job.dataset.vocabularies.sizes();
    let model = |dev: &_| (setting.model)(dev, sizes);
    let mut trainer = Trainer::new(WORKERS, 0, setting.schedule.lr, model);
    let step = || {
        trainer.step(&parts, |model, part| {
            model.loss(part, OwnedTape::default()).sum()
        });
    };
    Ok(1e3 * fastest(20, step))
}
