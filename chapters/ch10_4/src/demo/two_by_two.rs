//! Few sentences or many, without attention or with it: which of the two is
//! missing in the interlude?

use super::compare::{SEEDS, without};
use super::{Bahdanau, Section};
use anyhow::Result;
use program::{Job, Setting};
use seq2seq::dataset::{Dataset, Evaluation};
use seq2seq::train::{BATCH, Schedule, Seq2SeqModel, train};
use support::{Progress, heading, row, seeds, spread};

/// Pairs to train with, as in the interlude.
const FEW: usize = 128;
/// Epochs with few pairs: an epoch has two steps.
const EPOCHS_FEW: usize = 400;
/// Epochs with all pairs, the same with attention and without.
const EPOCHS_ALL: usize = 40;

/// Trains four kinds of model from the same seeds, and prints how well they
/// translate the new sentences of the words of the few pairs.
pub fn two_by_two(job: &Job) -> Result<()> {
    let (with, without) = (Bahdanau::book(), without());
    let depends = (&without.config, without.schedule.lr, FEW, EPOCHS_FEW, EPOCHS_ALL);
    let config = format!("{} {depends:?}", with.config);
    let settings = Setting { config, ..with.clone() };
    job.print_settings(&[&settings], SEEDS);
    let few = job.dataset.first(FEW);
    let all = Dataset { held_out: few.held_out.clone(), ..job.dataset.clone() };
    let new = few.held_out.len();
    heading("Sentences and attention, two by two");
    println!("{new} new sentences; mean of {SEEDS} seeds, lowest and highest\n");
    row("pairs, attention", 18, &["BLEU-2", "right", "lowest", "highest", "copied"]);
    cell(job, "without", &few, EPOCHS_FEW, &without)?;
    cell(job, "with", &few, EPOCHS_FEW, &with)?;
    cell(job, "without", &all, EPOCHS_ALL, &without)?;
    cell(job, "with", &all, EPOCHS_ALL, &with)
}

/// Prints the means over the seeds of BLEU-2, of the share of the translations
/// that are right, and of the share of the wrong ones that are sentences of the
/// training.
fn cell<M: Seq2SeqModel>(
    job: &Job,
    name: &str,
    data: &Dataset,
    epochs: usize,
    setting: &Setting<M>,
) -> Result<()> {
    let name = format!("{}, {name}", data.train.len());
    let epochs = job.training.epochs.epochs.unwrap_or(epochs);
    let schedule = Schedule { epochs, ..setting.schedule };
    let one = |seed| -> Result<Evaluation> {
        let steps = schedule.epochs * data.train.len().div_ceil(BATCH);
        let mut progress = Progress::new(format!("{name}, seed {seed}"), steps);
        let model = |dev: &_| (setting.model)(dev, data.vocabularies.sizes());
        let on_step = |loss, tokens| progress.step_of(tokens, loss);
        let (model, _) = train(data, &schedule, seed, model, on_step, |_, _| ())?;
        Ok(Evaluation::new(&model, data, &data.held_out))
    };
    let found = seeds(job.run.seed, SEEDS).map(one).collect::<Result<Vec<_>>>()?;
    let of = |number: fn(&Evaluation) -> f64| spread(found.iter().map(number));
    let right = of(|one| one.exact);
    let copied = of(|one| one.copied as f64 / one.wrong.max(1) as f64);
    let mean_bleu = of(|one| one.mean_bleu);
    let cells = [mean_bleu.mean, right.mean, right.least, right.most, copied.mean];
    row(&name, 18, &cells.map(|cell| format!("{cell:.2}")));
    Ok(())
}
