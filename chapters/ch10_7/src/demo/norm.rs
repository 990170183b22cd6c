//! Where the norm stands, with warm-up and without.

use super::{Section, TransformerSection};
use anyhow::Result;
use ch10_7::translator::{BookTransformer, DROPOUT, LAYERS, SCHEDULE};
use ch10_7::{NormPosition, Transformer};
use kernels::Dev;
use program::{Job, Outcome, Setting, outcomes};
use seq2seq::train::Schedule;
use support::{Mark, Plot, Series, Spread, heading, line_plots, row, spread};

/// Seeds of each.
const SEEDS: u64 = 5;
/// Learning rates of each.
const RATES: [f32; 4] = [0.0015, 0.003, 0.006, 0.012];

type Model = fn(&Dev, (usize, usize)) -> BookTransformer;

/// Trains with the norm after and before each sublayer, with warm-up and
/// without, at several learning rates, prints how well they translate the
/// validation pairs, and draws the losses at the section's rate and the two
/// schedules.
pub fn norm(job: &Job) -> Result<()> {
    job.run.check_out()?;
    let post = TransformerSection::book().model;
    let pre: Model =
        |dev, sizes| Transformer::new(dev, sizes, LAYERS, DROPOUT, NormPosition::Pre);
    let none = Schedule { warm_up: 0, ..SCHEDULE };
    let all: [(_, Model, _); 4] = [
        ("post, warm-up", post, SCHEDULE),
        ("post, none", post, none),
        ("pre, warm-up", pre, SCHEDULE),
        ("pre, none", pre, none),
    ];
    let of = |(name, model, schedule): (&str, Model, Schedule), lr| {
        let config = format!("{name}, {LAYERS} layers, dropout {DROPOUT}");
        let schedule = Schedule { lr, ..schedule };
        Setting { config, schedule, model, ..TransformerSection::book() }
    };
    let settings = all.map(|one| RATES.map(|rate| of(one, rate)));
    job.print_settings(&settings.iter().flatten().collect::<Vec<_>>(), SEEDS);
    heading("Norm after and before, warm-up and none");
    row("validation", 14, &["rate", "loss", "BLEU-2", "lowest", "highest", "right"]);
    let mut losses = Vec::new();
    for ((name, ..), settings) in all.iter().zip(&settings) {
        for setting in settings {
            let trained = outcomes(job, name, setting, SEEDS)?;
            let mean =
                |of: &dyn Fn(&Outcome) -> f64| spread(trained.iter().map(of)).mean;
            let of_epoch = |epoch: usize| mean(&|one| f64::from(one.losses[epoch]));
            let epochs = trained[0].losses.len();
            let Spread { mean: bleu, least, most, .. } =
                spread(trained.iter().map(|one| one.validation.mean_bleu));
            let exact = mean(&|one| one.validation.exact);
            let numbers = [of_epoch(epochs - 1), bleu, least, most, exact];
            let rate = setting.schedule.lr;
            let numbers = numbers.map(|number| format!("{number:.4}"));
            row(name, 14, &[&[rate.to_string()], &numbers[..]].concat());
            if rate == SCHEDULE.lr {
                let points = (0..epochs).map(|e| (e as f64 + 1.0, of_epoch(e)));
                losses.push(Series::new(name, Mark::Line, points));
            }
        }
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
