//! How the settings were chosen: each is changed alone, and judged by the
//! validation pairs.

use super::{Section, TransformerSection};
use anyhow::Result;
use ch10_7::translator::{BookTransformer, DROPOUT, LAYERS, SCHEDULE};
use ch10_7::{NormPosition, Transformer};
use kernels::Dev;
use program::{Job, Setting, validate};
use seq2seq::train::Schedule;

/// Seeds of each.
const SEEDS: u64 = 5;

/// Trains them all.
pub fn settings(job: &Job) -> Result<()> {
    let book = TransformerSection::book();
    let lr = |lr| Setting { schedule: Schedule { lr, ..SCHEDULE }, ..book.clone() };
    let model =
        |config: &str, model| Setting { config: config.into(), model, ..book.clone() };
    let candidates = [
        ("as on the page", book.clone()),
        ("learning rate halved", lr(SCHEDULE.lr / 2.0)),
        ("learning rate doubled", lr(SCHEDULE.lr * 2.0)),
        ("no dropout", model("no dropout", |dev, n| post(dev, n, 0.0))),
        ("twice the dropout", model("twice", |dev, n| post(dev, n, 2.0 * DROPOUT))),
    ];
    validate(job, &candidates, SEEDS)
}

fn post(dev: &Dev, sizes: (usize, usize), dropout: f32) -> BookTransformer {
    Transformer::new(dev, sizes, LAYERS, dropout, NormPosition::Post)
}
