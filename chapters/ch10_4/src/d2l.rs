// ANCHOR: d2l_header
//! Section 10.4: the setting of *Dive into Deep Learning*, to compare with its
//! numbers. The sentences are not the book's: the reader brings the file.

use anyhow::{Context, Result};
use ch10_1::Dev;
use ch10_4::{Attention, DROPOUT};
use clap::ArgMatches;
use dfdx::prelude::*;
use seq2seq::bleu::bleu;
use seq2seq::course::{Course, D2L, PART, STEPS, words};
use seq2seq::parameters::Parameters;
use seq2seq::text::tokens;
use seq2seq::translator::Translator;
use seq2seq::vocab::Batch;
use std::collections::BTreeMap;
use std::path::PathBuf;
use support::{heading, row};

/// The width of its embeddings and states.
const WIDTH: usize = 32;
/// How many pairs of the file it reads: it takes 600 lines, and one more.
const PAIRS: usize = 601;
/// Trainings, each from another seed.
const SEEDS: u64 = 3;

type Model = Translator<WIDTH, WIDTH, Attention<WIDTH>>;

/// The sentences that it asks, and the answers that it counts as right.
const ASKED: [(&str, &str); 4] = [
    ("go .", "va !"),
    ("i lost .", "j'ai perdu ."),
    ("he's calm .", "il est calme ."),
    ("i'm home .", "je suis chez moi ."),
];
// ANCHOR_END: d2l_header

// ANCHOR: d2l
/// Trains in that setting from several seeds, and prints what d2l prints and
/// what says more.
///
/// # Errors
/// There is no `--data`, or the file is not as it should be.
pub fn d2l(seed: u64, args: &ArgMatches) -> Result<()> {
    let file = args.get_one::<PathBuf>("data");
    let file = file.context("d2l needs its sentences: --data FILE")?;
    let number = |name| args.get_one::<u32>(name).map(|&n| n as usize);
    let course = Course::file(file, number("pairs").unwrap_or(PAIRS))?;
    let mut how = D2L.schedule;
    how.epochs = number("epochs").unwrap_or(how.epochs);
    let model = |dev: &Dev| course.translator(dev, &D2L, Attention::new(dev, DROPOUT));
    let models =
        (seed..seed + SEEDS).map(|seed| course.learn("d2l", &how, seed, model));
    let mut models: Vec<(Model, Vec<f32>)> = models.collect::<Result<_>>()?;
    heading("The setting of d2l");
    println!("pairs      {:6}", course.training.len());
    println!("words      {:?}", course.words());
    println!("parameters {:6}", models[0].0.count());
    println!("least loss {:6.4}", least(&course)?);
    losses(&course, seed, &models)?;
    asked(&course, seed, &models);
    Ok(())
}
// ANCHOR_END: d2l

// ANCHOR: d2l_least
/// The loss a token of a model that knows for each sentence how often it has
/// which translation in the file: no model can do better there.
fn least(course: &Course) -> Result<f64> {
    let mut sources: BTreeMap<_, f64> = BTreeMap::new();
    let mut pairs: BTreeMap<_, f64> = BTreeMap::new();
    let mut count = 0;
    for pair in &course.training {
        let batch: Batch<1, STEPS> = Batch::new([pair], &course.languages)?;
        *sources.entry(batch.source).or_default() += 1.0;
        *pairs.entry((batch.source, batch.target)).or_default() += 1.0;
        count += batch.tokens();
    }
    let each = pairs.iter().map(|((source, _), n)| n * (sources[source] / n).ln());
    Ok(each.sum::<f64>() / count as f64)
}
// ANCHOR_END: d2l_least

// ANCHOR: d2l_losses
fn losses(course: &Course, seed: u64, models: &[(Model, Vec<f32>)]) -> Result<()> {
    heading("Loss a token, and BLEU of all sentences");
    row("seed", 6, &["training", "tenth", "evaluated", "BLEU"]);
    for (seed, (model, losses)) in (seed..).zip(models) {
        let last = losses.last().copied().unwrap_or(f32::NAN);
        let evaluated = cross_entropy(course, model)?;
        let cells = [last, last / STEPS as f32, evaluated];
        let mut cells = cells.map(|cell| format!("{cell:.4}")).to_vec();
        cells.push(format!("{:.4}", course.score(model, 2)));
        row(&seed.to_string(), 6, &cells);
    }
    Ok(())
}

/// The loss a token over all sentences, without dropout.
fn cross_entropy(course: &Course, model: &Model) -> Result<f32> {
    let (mut sum, mut count) = (0.0, 0);
    for pairs in course.training.chunks(PART) {
        let batch: Batch<PART, STEPS> = Batch::new(pairs, &course.languages)?;
        sum += model.loss(&batch, NoneTape).sum().array() * STEPS as f32;
        count += batch.tokens();
    }
    Ok(sum / count as f32)
}
// ANCHOR_END: d2l_losses

// ANCHOR: d2l_asked
fn asked(course: &Course, seed: u64, models: &[(Model, Vec<f32>)]) {
    heading("Its four sentences");
    for (english, french) in ASKED {
        let source = tokens(english);
        let taught = course.training.iter().any(|pair| pair.source == source);
        let taught = if taught { "taught" } else { "not taught" };
        println!("{english}  ({taught})  right: {french}");
        for (seed, (model, _)) in (seed..).zip(models) {
            let row = course.languages.source.row(&source);
            let (written, _) = model.translate::<STEPS>(row);
            let ours = words(&course.languages.target, &written);
            let score = bleu(&ours, &tokens(french), 2);
            println!("  seed {seed}  {score:.3}  {}", ours.join(" "));
        }
    }
}
// ANCHOR_END: d2l_asked
