// ANCHOR: compare_header
//! Section 10.4: the same training with attention and without, from several
//! seeds. It takes as long as that many default runs.

use crate::job::{Job, WIDTH};
use anyhow::Result;
use ch10_1::Dev;
use ch10_4::{Attention, DROPOUT};
use seq2seq::context::{Context, LastState};
use seq2seq::translator::Translator;
use support::{Mark, Plot, Portable, Run, Series, heading, line_plots, row};

/// Seeds of each.
const SEEDS: u64 = 3;
/// Epochs from one score to the next.
const EVERY: usize = 4;
// ANCHOR_END: compare_header

// ANCHOR: outcome
/// Of one training: the loss of each epoch, and the BLEU that was reached
/// after every few, each with the number of the epoch.
struct Outcome {
    seed: u64,
    losses: Vec<(f64, f64)>,
    scores: Vec<(f64, f64)>,
}
// ANCHOR_END: outcome

// ANCHOR: compare
/// Trains, prints the table and draws losses and scores.
///
/// # Errors
/// A figure cannot be written.
pub fn compare(run: &Run, job: &Job) -> Result<()> {
    heading("With attention and without");
    let with = outcomes(job, "with", |dev| Attention::new(dev, DROPOUT))?;
    let without = outcomes(job, "without", |_| LastState)?;
    row("", 12, &["seed", "loss", "BLEU-2"]);
    let margin = table("with", &with) - table("without", &without);
    println!("difference of the means {margin:.4}");
    draw(run, &with, &without)
}
// ANCHOR_END: compare

// ANCHOR: outcomes
fn outcomes<C: Context<WIDTH> + Portable>(
    job: &Job,
    what: &'static str,
    context: impl Fn(&Dev) -> C,
) -> Result<Vec<Outcome>> {
    let (course, how) = (&job.course, &job.how);
    let one = |seed| {
        let model = |dev: &Dev| -> Translator<WIDTH, WIDTH, C> {
            course.translator(dev, how, context(dev))
        };
        let (mut scores, last) = (Vec::new(), how.schedule.epochs);
        let score = |epoch: usize, model: &_| {
            if epoch.is_multiple_of(EVERY) || epoch == last {
                scores.push((epoch as f64, course.score(model, 2)));
            }
        };
        let schedule = &how.schedule;
        let learnt = course.learn_watched(what, schedule, seed, model, score);
        let losses = (1..).zip(learnt?.1);
        let losses = losses.map(|(n, loss)| (f64::from(n), f64::from(loss)));
        Ok(Outcome { seed, losses: losses.collect(), scores })
    };
    (job.seed..job.seed + SEEDS).map(one).collect()
}
// ANCHOR_END: outcomes

// ANCHOR: draw
/// The mean loss of each epoch, and the BLEU of each seed.
fn draw(run: &Run, with: &[Outcome], without: &[Outcome]) -> Result<()> {
    let plot = |y, series| {
        let labels = ("Epoch", y);
        line_plots(&[Plot { labels, series, ..Plot::default() }], 1)
    };
    let losses = vec![
        Series::new("with attention", Mark::Line, mean_losses(with)),
        Series::new("without", Mark::Dashes, mean_losses(without)),
    ];
    let loss = plot("Cross-entropy a token", losses)?;
    run.figure("compare-loss", &loss)?;
    let mut scores = of_each("with", Mark::LineDots, with);
    scores.extend(of_each("without", Mark::Dashes, without));
    run.figure("compare-bleu", &plot("BLEU, held out", scores)?)
}

fn of_each(name: &str, mark: Mark, outcomes: &[Outcome]) -> Vec<Series> {
    let series = outcomes.iter().map(|one| {
        let name = format!("{name}, seed {}", one.seed);
        Series::new(&name, mark, one.scores.iter().copied())
    });
    series.collect()
}

/// The loss of each epoch, the mean of all seeds.
fn mean_losses(outcomes: &[Outcome]) -> Vec<(f64, f64)> {
    let epochs = outcomes.first().map_or(0, |one| one.losses.len());
    let mean = |epoch: usize| {
        let losses = outcomes.iter().map(|one| one.losses[epoch].1);
        losses.sum::<f64>() / outcomes.len() as f64
    };
    (0..epochs).map(|epoch| ((epoch + 1) as f64, mean(epoch))).collect()
}
// ANCHOR_END: draw

// ANCHOR: table
/// Prints how each training ended; gives the mean BLEU.
fn table(name: &str, outcomes: &[Outcome]) -> f64 {
    let end = |points: &[(f64, f64)]| points.last().map_or(f64::NAN, |p| p.1);
    for one in outcomes {
        let ends = [end(&one.losses), end(&one.scores)];
        let ends = ends.map(|x| format!("{x:.4}"));
        row(name, 12, &[&[one.seed.to_string()], &ends[..]].concat());
    }
    let count = outcomes.len() as f64;
    let scores = || outcomes.iter().map(|one| end(&one.scores));
    let mean = scores().sum::<f64>() / count;
    let squares: f64 = scores().map(|x| (x - mean) * (x - mean)).sum();
    let deviation = (squares / (count - 1.0)).sqrt();
    println!("{name}: mean {mean:.4}, standard deviation {deviation:.4}");
    mean
}
// ANCHOR_END: table
