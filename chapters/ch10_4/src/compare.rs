// ANCHOR: compare_header
//! Section 10.4: the same training with attention and without, from several
//! seeds. It takes as long as that many default runs.

use crate::job::{Job, WIDTH};
use anyhow::Result;
use ch10_1::Dev;
use ch10_4::Attention;
use seq2seq::context::{Context, LastState};
use seq2seq::course::{DROPOUT, LAYERS};
use seq2seq::translator::Translator;
use support::{Mark, Plot, Run, Series, heading, line_plots, row};

/// Seeds of each.
const SEEDS: u64 = 3;
// ANCHOR_END: compare_header

// ANCHOR: outcome
/// Of one training: the loss of each epoch, and the BLEU at the end.
struct Outcome {
    losses: Vec<f32>,
    bleu: f64,
}
// ANCHOR_END: outcome

// ANCHOR: compare
/// Trains, prints the table and draws the losses.
///
/// # Errors
/// The figure cannot be written.
pub fn compare(run: &Run, job: &Job) -> Result<()> {
    heading("With attention and without");
    let with = outcomes(job, "with", |dev| Attention::new(dev, DROPOUT))?;
    let without = outcomes(job, "without", |_| LastState)?;
    row("", 12, &["seed", "loss", "BLEU, k = 2"]);
    table("with", job.seed, &with);
    table("without", job.seed, &without);
    let series = |name, mark, outcomes: &[Outcome]| {
        let points = (0..job.epochs).map(|epoch| {
            let losses =
                outcomes.iter().map(|one| f64::from(one.losses[epoch]));
            ((epoch + 1) as f64, mean(losses))
        });
        Series::new(name, mark, points)
    };
    let plot = Plot {
        labels: ("Epoch", "Cross-entropy a token"),
        series: vec![
            series("with attention", Mark::Line, &with),
            series("without", Mark::Dashes, &without),
        ],
        ..Plot::default()
    };
    run.figure("compare", &line_plots(&[plot], 1)?)
}
// ANCHOR_END: compare

// ANCHOR: outcomes
fn outcomes<C: Context<WIDTH> + Send>(
    job: &Job,
    what: &'static str,
    context: impl Fn(&Dev) -> C,
) -> Result<Vec<Outcome>> {
    let course = &job.course;
    let one = |seed| {
        let model = |dev: &Dev| {
            let words = course.words();
            Translator::new(dev, words, LAYERS, DROPOUT, context(dev))
        };
        let learnt = course.learn(what, job.epochs, seed, model)?;
        let (model, losses): (Translator<WIDTH, WIDTH, C>, _) = learnt;
        Ok(Outcome { losses, bleu: course.score(&model, 2) })
    };
    (job.seed..job.seed + SEEDS).map(one).collect()
}
// ANCHOR_END: outcomes

// ANCHOR: table
fn table(name: &str, seed: u64, outcomes: &[Outcome]) {
    for (seed, one) in (seed..).zip(outcomes) {
        let loss = one.losses.last().copied().unwrap_or(f32::NAN);
        let cells = [seed.to_string(), format!("{loss:.4}")];
        row(name, 12, &[&cells[..], &[format!("{:.4}", one.bleu)]].concat());
    }
    let bleu = || outcomes.iter().map(|one| one.bleu);
    let middle = mean(bleu());
    let squares = bleu().map(|x| (x - middle) * (x - middle));
    let spread = mean(squares).sqrt();
    println!("{name}: mean {middle:.4}, standard deviation {spread:.4}");
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(s, n), x| (s + x, n + 1));
    sum / f64::from(count)
}
// ANCHOR_END: table
