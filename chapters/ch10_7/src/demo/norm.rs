//! Where the norm stands, with warm-up and without.

use super::{Section, TransformerSection};
use anyhow::Result;
use ch10_7::translator::{BookTransformer, DROPOUT, LAYERS, SCHEDULE};
use ch10_7::{NormPosition, Transformer};
use kernels::Dev;
use seq2seq::program::{Job, Setting, outcomes};
use seq2seq::train::Schedule;
use support::{Mark, Plot, Series, heading, line_plots, row};

/// Seeds of each.
const SEEDS: u64 = 2;

type Model = fn(&Dev, (usize, usize)) -> BookTransformer;

/// Trains with the norm after and before each sublayer, with warm-up and
/// without, prints how well they translate the validation pairs, and draws the
/// losses and the two schedules.
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
    heading("Norm after and before, warm-up and none");
    row("validation", 16, &["seed", "loss", "BLEU-2", "right"]);
    let mut losses = Vec::new();
    for (name, setting) in &settings {
        let trained = outcomes(job, name, setting, SEEDS)?;
        for one in &trained {
            let loss = one.losses.last().copied().unwrap_or(f32::NAN);
            let found = one.validation;
            let cells = [f64::from(loss), found.mean_bleu, found.exact];
            let cells = cells.map(|cell| format!("{cell:.4}"));
            row(name, 16, &[&[one.seed.to_string()], &cells[..]].concat());
        }
        let mean = |epoch| {
            let all = trained.iter().map(|one| f64::from(one.losses[epoch]));
            (epoch as f64 + 1.0, all.sum::<f64>() / trained.len() as f64)
        };
        let epochs = 0..trained[0].losses.len();
        losses.push(Series::new(name, Mark::Line, epochs.map(mean)));
    }
    let labels = ("Epoch", "Cross-entropy per token");
    let plot = Plot { labels, series: losses, ..Plot::default() };
    job.run.figure("norm", &line_plots(&[plot], 1)?)?;
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
