// ANCHOR: d2l_header
//! Section 10.7: the setting of *Dive into Deep Learning*, to compare with its
//! numbers. The sentences are not the book's: the reader brings the file.

use anyhow::{Context, Result};
use ch10_1::Dev;
use ch10_7::{NormAt, Transformer};
use clap::ArgMatches;
use dfdx::prelude::*;
use seq2seq::bleu::bleu;
use seq2seq::course::{Course, PART, STEPS, Schedule, words};
use seq2seq::parameters::Parameters;
use seq2seq::text::tokens;
use seq2seq::train::Learner;
use seq2seq::vocab::Batch;
use std::path::PathBuf;
use support::{heading, row};

/// Width 32, four heads of width 8, networks of width 64.
type Model = Transformer<32, 4, 8, 64>;
/// How it learns, if no other number of epochs is asked for.
const SCHEDULE: Schedule = Schedule { epochs: 200, rate: 0.005, left: 1.0, warm_up: 0 };
/// How many pairs of the file it reads.
const PAIRS: usize = 601;
/// Trainings, each from another seed.
const SEEDS: u64 = 3;

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
pub fn d2l(start: u64, args: &ArgMatches) -> Result<()> {
    let file = args.get_one::<PathBuf>("data");
    let file = file.context("d2l needs its sentences: --data FILE")?;
    let number = |name| args.get_one::<u32>(name).map(|&n| n as usize);
    let course = &Course::file(file, number("pairs").unwrap_or(PAIRS))?;
    let epochs = number("epochs").unwrap_or(SCHEDULE.epochs);
    let schedule = Schedule { epochs, ..SCHEDULE };
    let model = |dev: &Dev| Model::new(dev, course.words(), 2, 0.1, NormAt::Post);
    let mut models: Vec<(Model, f32)> = Vec::new();
    for seed in start..start + SEEDS {
        let (model, losses) = course.learn("d2l", &schedule, seed, model)?;
        models.push((model, losses.last().copied().unwrap_or(f32::NAN)));
    }
    heading("The setting of d2l");
    println!("pairs      {:6}", course.training.len());
    println!("words      {:?}", course.words());
    println!("parameters {:6}\n", models[0].0.count());
    losses(course, start, &models)?;
    asked(course, &models);
    Ok(())
}
// ANCHOR_END: d2l

// ANCHOR: d2l_losses
fn losses(course: &Course, start: u64, models: &[(Model, f32)]) -> Result<()> {
    row("seed", 6, &["training", "tenth", "evaluated", "BLEU"]);
    for (seed, (model, last)) in (start..).zip(models) {
        let evaluated = cross_entropy(course, model)?;
        let cells = [*last, last / STEPS as f32, evaluated];
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
/// Asks the four sentences of each model.
fn asked(course: &Course, models: &[(Model, f32)]) {
    heading("Its four sentences");
    for (english, french) in ASKED {
        println!("{english}  right: {french}");
        for (model, _) in models {
            let row = course.languages.source.row(&tokens(english));
            let (written, _) = model.translate::<STEPS>(row);
            let ours = words(&course.languages.target, &written);
            let score = bleu(&ours, &tokens(french), 2);
            println!("  {score:.3}  {}", ours.join(" "));
        }
    }
}
// ANCHOR_END: d2l_asked
