//! Where the norm stands, with warm-up and without; and how many layers.

use super::{Section, TransformerSection};
use anyhow::Result;
use ch10_7::translator::{BookTransformer, DROPOUT, LAYERS, SCHEDULE};
use ch10_7::{NormPosition, Transformer};
use kernels::Dev;
use seq2seq::program::{
    Job, Setting, draw_outcomes, outcomes, print_outcomes, validate,
};
use seq2seq::train::Schedule;

/// Seeds of each.
const SEEDS: u64 = 3;

type Model = fn(&Dev, (usize, usize)) -> BookTransformer;

const POST: Model =
    |dev, sizes| Transformer::new(dev, sizes, LAYERS, DROPOUT, NormPosition::Post);
const PRE: Model =
    |dev, sizes| Transformer::new(dev, sizes, LAYERS, DROPOUT, NormPosition::Pre);

/// Trains with the norm after and before each sublayer, with warm-up and
/// without, prints a table and draws the losses.
pub fn norm(job: &Job) -> Result<()> {
    let none = Schedule { warm_up: 0, ..SCHEDULE };
    let mut variants = Vec::new();
    for (name, model, schedule) in [
        ("post, warm-up", POST, SCHEDULE),
        ("post, none", POST, none),
        ("pre, warm-up", PRE, SCHEDULE),
        ("pre, none", PRE, none),
    ] {
        let config = format!("{name} {}", TransformerSection::book().config);
        let setting = Setting { config, schedule, model };
        variants.push((name, outcomes(job, name, &setting, SEEDS)?));
    }
    print_outcomes("Norm after and before, warm-up and none", &variants);
    draw_outcomes(job, &variants)
}

/// Trains with 1, 2, 3 and 4 layers and scores the validation pairs.
pub fn layers(job: &Job) -> Result<()> {
    let model: [(&str, Model); 4] = [
        ("1 layer", |dev, sizes| {
            Transformer::new(dev, sizes, 1, DROPOUT, NormPosition::Post)
        }),
        ("2 layers", POST),
        ("3 layers", |dev, sizes| {
            Transformer::new(dev, sizes, 3, DROPOUT, NormPosition::Post)
        }),
        ("4 layers", |dev, sizes| {
            Transformer::new(dev, sizes, 4, DROPOUT, NormPosition::Post)
        }),
    ];
    let setting = |(name, model): (&'static str, Model)| {
        let config = format!("{name}, width 64, dropout {DROPOUT}");
        (name, Setting { config, schedule: SCHEDULE, model })
    };
    validate(job, &model.map(setting), SEEDS)
}
