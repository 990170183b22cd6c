// ANCHOR: compare_header
//! Section 10.7: the same training with the norm after and before each layer,
//! with a warm-up and without.

use crate::job::{DROPOUT, Job, LAYERS, Model};
use anyhow::Result;
use ch10_1::Dev;
use ch10_7::NormAt;
use seq2seq::course::Schedule;
use support::{Mark, Plot, Run, Series, heading, line_plots, row};

/// Seeds of each.
const SEEDS: u64 = 2;
/// The four ways: where the norm stands, and whether the rate warms up.
const WAYS: [(&str, NormAt, bool); 4] = [
    ("after, warm-up", NormAt::Post, true),
    ("after, none", NormAt::Post, false),
    ("before, warm-up", NormAt::Pre, true),
    ("before, none", NormAt::Pre, false),
];
// ANCHOR_END: compare_header

// ANCHOR: compare
/// Trains in four ways, prints a table and draws the losses.
///
/// # Errors
/// The figure cannot be written.
pub fn compare(run: &Run, job: &Job) -> Result<()> {
    heading("Norm after and before, warm-up and none");
    row("norm", 18, &["seed", "loss", "BLEU-2"]);
    let marks = [Mark::Line, Mark::Dashes, Mark::Line, Mark::Dashes];
    let mut series = Vec::new();
    for ((name, at, warm), mark) in WAYS.into_iter().zip(marks) {
        let mean = way(job, name, at, warm)?;
        let points = (1..).zip(mean);
        let points = points.map(|(n, loss)| (f64::from(n), loss));
        series.push(Series::new(name, mark, points));
    }
    let plot = Plot {
        labels: ("Epoch", "Cross-entropy a token"),
        log: (false, true),
        series,
        ..Plot::default()
    };
    run.figure("compare", &line_plots(&[plot], 1)?)
}
// ANCHOR_END: compare

// ANCHOR: way
/// Trains in one way from several seeds. The result is the loss of each epoch,
/// the mean over the seeds.
fn way(job: &Job, name: &'static str, at: NormAt, warm: bool) -> Result<Vec<f64>> {
    let course = &job.course;
    let warm_up = if warm { job.schedule.warm_up } else { 0 };
    let schedule = Schedule { warm_up, ..job.schedule };
    let mut mean = vec![0.0; schedule.epochs];
    for seed in job.seed..job.seed + SEEDS {
        let model = |dev: &Dev| Model::new(dev, course.words(), LAYERS, DROPOUT, at);
        let (model, losses) = course.learn(name, &schedule, seed, model)?;
        for (mean, &loss) in mean.iter_mut().zip(&losses) {
            *mean += f64::from(loss) / SEEDS as f64;
        }
        let last = losses.last().copied().unwrap_or(f32::NAN);
        let cells = [f64::from(last), course.score(&model, 2)];
        let cells = cells.map(|cell| format!("{cell:.4}"));
        row(name, 18, &[&[seed.to_string()], &cells[..]].concat());
    }
    Ok(mean)
}
// ANCHOR_END: way
