//! Variants of a model side by side, each trained from several seeds.

use super::{Job, Setting};
use anyhow::{Result, ensure};
use seq2seq::dataset::Evaluation;
use seq2seq::text::Pair;
use seq2seq::train::Seq2SeqModel;
use support::{Mark, Plot, Series, heading, line_plots, row, seeds, spread};

/// Epochs from one score to the next, in a training that has as many.
const EVERY: usize = 4;

/// The course of one training.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The seed that it started from.
    pub seed: u64,
    /// The loss per token of each epoch.
    pub losses: Vec<f32>,
    /// The mean BLEU-2 of the validation pairs after every few epochs, with
    /// the number of the epoch.
    pub scores: Vec<(usize, f64)>,
    /// On the validation pairs, at the end.
    pub validation: Evaluation,
    /// On the pairs that are held out, at the end.
    pub held_out: Evaluation,
    /// On those of them that are one word away from a training sentence, and
    /// on the others.
    pub near_and_far: [Evaluation; 2],
}

/// Trains a setting from `count` seeds.
///
/// # Errors
/// If there is no pair to train with, or none is held out.
pub fn outcomes<M: Seq2SeqModel>(
    job: &Job,
    name: &str,
    setting: &Setting<M>,
    count: u64,
) -> Result<Vec<Outcome>> {
    outcomes_of(job, name, setting, count, |_| ())
}

/// Trains like [`outcomes`]; `trained` is called with each model.
///
/// # Errors
/// As [`outcomes`].
pub fn outcomes_of<M: Seq2SeqModel>(
    job: &Job,
    name: &str,
    setting: &Setting<M>,
    count: u64,
    mut trained: impl FnMut(M),
) -> Result<Vec<Outcome>> {
    let dataset = &job.dataset;
    let is_held_out = !dataset.held_out.is_empty();
    ensure!(
        is_held_out,
        "nothing is held out to compare by; --held-out N holds out N sentences"
    );
    let every = EVERY.min(job.schedule(setting).epochs);
    let on = |pairs: &[Pair], model: &M| Evaluation::new(model, dataset, pairs);
    let parts = dataset.near_and_far(&dataset.held_out);
    let one = |seed| {
        let mut scores = Vec::new();
        let score = |epoch: usize, model: &M| {
            if epoch.is_multiple_of(every) {
                scores.push((epoch, on(&dataset.validation, model).mean_bleu));
            }
        };
        let (model, losses) = job.train_from(name, setting, seed, score)?;
        let validation = on(&dataset.validation, &model);
        let held_out = on(&dataset.held_out, &model);
        let near_and_far = parts.each_ref().map(|part| on(part, &model));
        trained(model);
        let outcome =
            Outcome { seed, losses, scores, validation, held_out, near_and_far };
        Ok(outcome)
    };
    seeds(job.run.seed, count).map(one).collect()
}

/// Prints how each training of each variant ended, mean and standard deviation
/// of a variant's BLEU-2 on the pairs that are held out.
pub fn print_outcomes(title: &str, variants: &[(&str, Vec<Outcome>)]) {
    heading(title);
    row("held out", 18, &["seed", "loss", "BLEU-2", "corpus", "right"]);
    for (name, outcomes) in variants {
        for Outcome { seed, losses, held_out, .. } in outcomes {
            let loss = losses.last().copied().unwrap_or(f32::NAN);
            let Evaluation { mean_bleu, corpus_bleu, exact, .. } = held_out;
            let cells = [f64::from(loss), *mean_bleu, *corpus_bleu, *exact];
            let cells = cells.map(|cell| format!("{cell:.4}"));
            row(name, 18, &[&[seed.to_string()], &cells[..]].concat());
        }
        let scores: Vec<f64> =
            outcomes.iter().map(|one| one.held_out.mean_bleu).collect();
        let (mean, deviation) = mean_and_deviation(&scores);
        println!("{name}: mean {mean:.4}, standard deviation {deviation:.4}");
    }
}

/// Prints for each training the share of the held-out sentences that are right
/// as a whole, one word away from a training sentence and further away, how
/// many are wrong, and how many of the wrong ones are training sentences.
pub fn print_near_and_far(title: &str, variants: &[(&str, Vec<Outcome>)]) {
    heading(title);
    let columns = ["seed", "one word", "further", "wrong", "copied"];
    row("right, held out", 18, &columns);
    for (name, outcomes) in variants {
        for Outcome { seed, held_out, near_and_far, .. } in outcomes {
            let [near, far] = near_and_far.map(|part| format!("{:.2}", part.exact));
            let Evaluation { wrong, copied, .. } = held_out;
            let counts = [seed.to_string(), near, far, wrong.to_string()];
            row(name, 18, &[&counts[..], &[copied.to_string()]].concat());
        }
    }
}

/// Returns the mean, 0 of no number, and the standard deviation, 0 of fewer than two.
fn mean_and_deviation(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len().max(1) as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

/// Draws the mean loss of each epoch, and the BLEU-2 of the validation pairs
/// of each training: `compare-loss` and `compare-bleu`.
///
/// # Errors
/// If a figure cannot be written.
pub fn draw_outcomes(job: &Job, variants: &[(&str, Vec<Outcome>)]) -> Result<()> {
    let plot = |y, series| {
        let labels = ("Epoch", y);
        line_plots(&[Plot { labels, series, ..Plot::default() }], 1)
    };
    let losses = variants.iter().map(|(name, outcomes)| {
        let loss = |epoch: usize| mean(outcomes, |one| one.losses[epoch].into());
        let points = (0..outcomes[0].losses.len()).map(|n| (n as f64 + 1.0, loss(n)));
        Series::new(name, Mark::Line, points)
    });
    job.run
        .figure("compare-loss", &plot("Cross-entropy per token", losses.collect())?)?;
    let scores = variants.iter().map(|(name, outcomes)| {
        let score = |at: usize| mean(outcomes, |one| one.scores[at].1);
        let epochs = outcomes[0].scores.iter().enumerate();
        let points = epochs.map(|(at, (epoch, _))| (*epoch as f64, score(at)));
        Series::new(name, Mark::LineDots, points)
    });
    job.run.figure("compare-bleu", &plot("BLEU-2, validation", scores.collect())?)
}

/// Returns the mean of what `number` takes from each training.
fn mean(outcomes: &[Outcome], number: impl Fn(&Outcome) -> f64) -> f64 {
    outcomes.iter().map(number).sum::<f64>() / outcomes.len() as f64
}

/// Trains candidates from `count` seeds each, and prints the mean of their
/// BLEU-2 on the validation pairs after several numbers of epochs: by this the
/// rate and the end of a long training are chosen.
///
/// # Errors
/// If there is no pair to train with.
pub fn validate_epochs<M: Seq2SeqModel>(
    job: &Job,
    candidates: &[(&str, Setting<M>)],
    count: u64,
    epochs: &[usize],
) -> Result<()> {
    let settings: Vec<&Setting<M>> = candidates.iter().map(|(_, one)| one).collect();
    job.print_settings(&settings, count);
    heading("BLEU-2 on the validation pairs after so many epochs");
    row("", 26, epochs);
    for (name, setting) in candidates {
        let outcomes = outcomes(job, name, setting, count)?;
        let mean = |epochs: &usize| {
            let scores = outcomes.iter().flat_map(|one| &one.scores);
            let scores = scores.filter(|(epoch, _)| epoch == epochs);
            let mean = spread(scores.map(|&(_, score)| score)).mean;
            // Of an epoch that no training has reached there is none.
            if mean.is_nan() { "-".into() } else { format!("{mean:.4}") }
        };
        row(name, 26, &epochs.iter().map(mean).collect::<Vec<_>>());
    }
    Ok(())
}

/// Trains candidates from `count` seeds each, and prints the mean of their
/// BLEU-2 on the validation pairs: by this settings are chosen.
///
/// # Errors
/// If there is no pair to train with.
pub fn validate<M: Seq2SeqModel>(
    job: &Job,
    candidates: &[(&str, Setting<M>)],
    count: u64,
) -> Result<()> {
    let settings: Vec<&Setting<M>> = candidates.iter().map(|(_, one)| one).collect();
    job.print_settings(&settings, count);
    heading("Settings on the validation pairs");
    row("", 26, &["BLEU-2", "lowest", "highest"]);
    for (name, setting) in candidates {
        let outcomes = outcomes(job, name, setting, count)?;
        let scores = outcomes.iter().map(|one| one.validation.mean_bleu);
        row(name, 26, &spread(scores).cells(4));
    }
    Ok(())
}
