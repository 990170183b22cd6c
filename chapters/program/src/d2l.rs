//! The setting of *Dive into Deep Learning*, to compare with its numbers. The
//! sentences are not the book's: the reader brings the file.

use super::tasks::cells;
use super::{Job, JobArgs, Section, Setting, printable_tokens};
use anyhow::{Result, ensure};
use ch10_2::parameters::Parameters;
use dfdx::prelude::*;
use seq2seq::bleu::bleu;
use seq2seq::dataset::{Dataset, Evaluation};
use seq2seq::text::tokens;
use seq2seq::train::{BATCH, PART, STEPS, Seq2SeqModel};
use seq2seq::vocab::Batch;
use std::any::type_name;
use std::collections::BTreeMap;
use std::time::Instant;
use support::{RunArgs, heading, note, row, seeds};

/// How many pairs of the file it reads: it takes 600 lines, and one more.
const PAIRS: usize = 601;

/// The sentences that it translates, and the translations that it counts as
/// right.
const SENTENCES: [(&str, &str); 4] = [
    ("go .", "va !"),
    ("i lost .", "j'ai perdu ."),
    ("he's calm .", "il est calme ."),
    ("i'm home .", "je suis chez moi ."),
];

/// The subcommand `d2l`.
pub(super) fn d2l<S: Section>(
    run: &RunArgs,
    args: &JobArgs,
    count: usize,
) -> Result<()> {
    let setting = S::d2l();
    let epochs = args.epochs.unwrap_or(setting.schedule.epochs);
    let pairs = args.pairs.unwrap_or(PAIRS);
    let model = (type_name::<S::D2lModel>(), &setting.config);
    let held_out = args.held_out.unwrap_or(0);
    let sentences = (pairs, held_out);
    let depends = (model, setting.schedule, epochs, sentences, run.seed, count);
    run.print_settings(&depends, &[]);
    ensure!(args.data.is_some(), "d2l needs its sentences: --data FILE");
    let (pairs, held_out) = (Some(pairs), Some(held_out));
    let args = JobArgs { pairs, held_out, ..args.clone() };
    let job = Job::new(run.clone(), args)?;
    let mut models = Vec::new();
    for seed in seeds(run.seed, count as u64) {
        let (model, losses) = train(&job, &setting, seed)?;
        models.push((seed, model, losses.last().copied().unwrap_or(f32::NAN)));
    }
    heading("The setting of d2l");
    println!("pairs      {:6}", job.dataset.train.len());
    println!("tokens     {:?}", job.dataset.vocabularies.sizes());
    println!("parameters {:6}", models[0].1.count());
    println!("least loss {:6.4}", least_loss(&job.dataset)?);
    if held_out == Some(0) {
        let best = right_but_for_rare_words(&job.dataset);
        let Evaluation { mean_bleu, corpus_bleu, .. } = best;
        println!("right, <unk> for rare words: {mean_bleu:.4} and {corpus_bleu:.4}");
    }
    losses(&job.dataset, &models)?;
    new_sentences(&job.dataset, &models);
    translations(&job.dataset, &models);
    Ok(())
}

/// Trains, and notes how long a step took.
fn train<M: Seq2SeqModel>(
    job: &Job,
    setting: &Setting<M>,
    seed: u64,
) -> Result<(M, Vec<f32>)> {
    let steps = job.dataset.train.len().div_ceil(BATCH) as f64;
    let (mut start, mut times) = (Instant::now(), Vec::new());
    let done = job.train_from(&format!("seed {seed}"), setting, seed, |_, _| {
        times.push(start.elapsed().as_secs_f64() * 1e3 / steps);
        start = Instant::now();
    })?;
    times.sort_by(f64::total_cmp);
    let (least, median) = (times[0], times[times.len() / 2]);
    note(format_args!(
        "... seed {seed}: ms a step: least {least:.2}, median {median:.2}"
    ));
    Ok(done)
}

/// The loss per token of a model that knows for each sentence how often it has
/// which translation in the file: no model can do better there.
fn least_loss(dataset: &Dataset) -> Result<f64> {
    let mut sources: BTreeMap<_, f64> = BTreeMap::new();
    let mut pairs: BTreeMap<_, f64> = BTreeMap::new();
    let mut count = 0;
    for pair in &dataset.train {
        let batch: Batch<1, STEPS> = Batch::new([pair], &dataset.vocabularies)?;
        *sources.entry(batch.source).or_default() += 1.0;
        *pairs.entry((batch.source, batch.target)).or_default() += 1.0;
        count += batch.target_tokens();
    }
    let each = pairs.iter().map(|((source, _), n)| n * (sources[source] / n).ln());
    Ok(each.sum::<f64>() / count as f64)
}

/// How well a model translates the training pairs that makes no mistake but one: for a
/// word that is not in the vocabulary it writes `<unk>`. Of several translations it
/// writes the one with the best score.
fn right_but_for_rare_words(dataset: &Dataset) -> Evaluation {
    let target = &dataset.vocabularies.target;
    let mut right: BTreeMap<&[String], Vec<&Vec<String>>> = BTreeMap::new();
    for pair in &dataset.train {
        right.entry(&pair.source).or_default().push(&pair.target);
    }
    let translate = |source: &[String]| {
        let known = |words: &&Vec<String>| -> Vec<String> {
            target.decode(&words.iter().map(|w| target.number(w)).collect::<Vec<_>>())
        };
        let score = |ours: &Vec<String>| {
            let scores = right[source].iter().map(|right| bleu(ours, right, 2));
            scores.fold(0.0, f64::max)
        };
        let known = right[source].iter().map(known);
        known.max_by(|a, b| score(a).total_cmp(&score(b))).unwrap_or_default()
    };
    Evaluation::of(translate, &dataset.train, &dataset.train)
}

fn losses<M: Seq2SeqModel>(dataset: &Dataset, models: &[(u64, M, f32)]) -> Result<()> {
    heading("Loss per token, and BLEU of all sentences");
    row("seed", 6, &["training", "tenth", "evaluated", "BLEU-2", "corpus"]);
    for (seed, model, last) in models {
        let evaluated = cross_entropy(dataset, model)?;
        let evaluation = Evaluation::new(model, dataset, &dataset.train);
        let cells = [*last, last / STEPS as f32, evaluated].map(f64::from);
        let scores = [evaluation.mean_bleu, evaluation.corpus_bleu];
        let cells = cells.into_iter().chain(scores);
        let cells: Vec<String> = cells.map(|cell| format!("{cell:.4}")).collect();
        row(&seed.to_string(), 6, &cells);
    }
    Ok(())
}

/// How well the sentences are translated that are held out, if any are.
fn new_sentences<M: Seq2SeqModel>(dataset: &Dataset, models: &[(u64, M, f32)]) {
    if dataset.held_out.is_empty() {
        return;
    }
    heading("Sentences it was not trained with");
    row("seed", 6, &["", "sentences", "BLEU-2", "corpus", "right"]);
    let parts = [("validation", &dataset.validation), ("held out", &dataset.held_out)];
    for (seed, model, _) in models {
        for (name, pairs) in parts {
            let cells = cells(&Evaluation::new(model, dataset, pairs));
            row(&seed.to_string(), 6, &[&[name.to_string()], &cells[..]].concat());
        }
    }
}

/// The loss per token over all sentences, without dropout.
fn cross_entropy<M: Seq2SeqModel>(dataset: &Dataset, model: &M) -> Result<f32> {
    let (mut sum, mut count) = (0.0, 0);
    for pairs in dataset.train.chunks(PART) {
        let batch: Batch<PART, STEPS> = Batch::new(pairs, &dataset.vocabularies)?;
        sum += model.loss(&batch, NoneTape).sum().array() * STEPS as f32;
        count += batch.target_tokens();
    }
    Ok(sum / count as f32)
}

fn translations<M: Seq2SeqModel>(dataset: &Dataset, models: &[(u64, M, f32)]) {
    heading("Its four sentences");
    for (english, french) in SENTENCES {
        let source = tokens(english);
        let trained = dataset.train.iter().any(|pair| pair.source == source);
        let trained = if trained { "in the training" } else { "not in the training" };
        println!("{english}  ({trained})  right: {french}");
        for (seed, model, _) in models {
            let row = dataset.vocabularies.source.encode::<STEPS>(&source);
            let ours = dataset.vocabularies.target.decode(&model.decode(row));
            let score = bleu(&ours, &tokens(french), 2);
            println!("  seed {seed}  {score:.3}  {}", printable_tokens(&ours));
        }
    }
}
