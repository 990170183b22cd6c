//! Where the norm stands, with warm-up and without.

use super::{Section, TransformerSection};
use anyhow::Result;
use ch10_7::translator::{BookTransformer, DROPOUT, LAYERS, SCHEDULE};
use ch10_7::{NormPosition, Transformer};
use kernels::Dev;
use seq2seq::program::{Job, Setting, draw_outcomes, outcomes, print_outcomes};
use seq2seq::train::Schedule;
use support::{Mark, Plot, Series, line_plots};

/// Seeds of each.
const SEEDS: u64 = 2;

type Model = fn(&Dev, (usize, usize)) -> BookTransformer;

/// Trains with the norm after and before each sublayer, with warm-up and
/// without, prints a table and draws the losses, and the two schedules.
pub fn norm(job: &Job) -> Result<()> {
    job.run.check_out()?;
    let book = TransformerSection::book();
    let pre: Model =
        |dev, sizes| Transformer::new(dev, sizes, LAYERS, DROPOUT, NormPosition::Pre);
    let none = Schedule { warm_up: 0, ..SCHEDULE };
    let of = |name, model, schedule| {
        let config = format!("{name}, {LAYERS} layers, dropout {DROPOUT}");
        (name, Setting { config, schedule, model })
    };
    let settings = [
        of("post, warm-up", book.model, SCHEDULE),
        of("post, none", book.model, none),
        of("pre, warm-up", pre, SCHEDULE),
        of("pre, none", pre, none),
    ];
    let all: Vec<_> = settings.iter().map(|(_, setting)| setting).collect();
    if job.print_settings(&all, SEEDS) {
        return Ok(());
    }
    let mut variants = Vec::new();
    for (name, setting) in &settings {
        variants.push((*name, outcomes(job, name, setting, SEEDS)?));
    }
    print_outcomes("Norm after and before, warm-up and none", &variants);
    draw_outcomes(job, &variants)?;
    schedules(job, [SCHEDULE, none])
}

/// Draws the learning rate of each epoch.
fn schedules(job: &Job, both: [Schedule; 2]) -> Result<()> {
    let series = ["warm-up", "none"].into_iter().zip(both).map(|(name, schedule)| {
        let epochs = 0..schedule.epochs;
        let points = epochs.map(|n| (n as f64 + 1.0, f64::from(schedule.lr_of(n))));
        Series::new(name, Mark::Line, points)
    });
    let plot = Plot {
        labels: ("Epoch", "Learning rate"),
        series: series.collect(),
        ..Plot::default()
    };
    job.run.figure("schedule", &line_plots(&[plot], 1)?)
}
