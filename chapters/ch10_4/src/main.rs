// ANCHOR: main
//! The telling run of section 10.4: a translator is trained, asked sentences
//! it has never seen, and shows what it looked at. `translate "…"` asks it a
//! sentence of the reader's; `compare` trains it with attention and without;
//! `d2l` trains in the setting of *Dive into Deep Learning*.

mod answers;
mod compare;
mod d2l;
mod job;

use answers::{alignments, asked, translate};
use anyhow::{Result, ensure};
use ch10_1::Dev;
use ch10_4::{Attention, Memory};
use dfdx::prelude::*;
use job::{Job, WIDTH};
use seq2seq::loss::{Logits, logits};
use seq2seq::parameters::Parameters;
use seq2seq::translator::{Dropouts, Translator};
use std::process::ExitCode;
use support::{Mark, Plot, Run, Series, heading, line_plots, row};

/// The model of this section.
type Model = Translator<WIDTH, WIDTH, Attention<WIDTH>>;

fn main() -> ExitCode {
    support::run_with("ch10_4", job::command(), 0, |run, args| {
        if let Some(("d2l", args)) = args.subcommand() {
            return d2l::d2l(run.seed, args);
        }
        let job = Job::new(run.seed, args)?;
        match args.subcommand() {
            Some(("translate", args)) => {
                let sentence = args.get_one::<String>("sentence");
                translate(&job, sentence.map_or("", String::as_str))
            }
            Some(("compare", _)) => compare::compare(run, &job),
            _ => {
                shapes(run.seed)?;
                let model = training(run, &job)?;
                asked(&job.course, &model);
                alignments(run, &job.course, &model)
            }
        }
    })
}
// ANCHOR_END: main

// ANCHOR: shapes
fn shapes(seed: u64) -> Result<()> {
    heading("Shapes");
    let dev = Dev::seed_from_u64(seed);
    let attention = Attention::new(&dev, 0.0);
    let model: Translator<8, 16, _> =
        Translator::new(&dev, (10, 10), 2, Dropouts::default(), attention);
    let x = [[0; 7]; 4];
    let (encoded, _) = model.encoder.forward(&x, &[7; 4], NoneTape);
    println!("encoder outputs   {:?}", encoded.outputs.shape().concrete());
    let (mut writing, _) = model.decoder.start(encoded, NoneTape);
    let Memory { keys, values, .. } = &writing.memory;
    println!("keys              {:?}", keys.shape().concrete());
    println!("values            {:?}", values.shape().concrete());
    let (states, weights) = model.decoder.forward(&x, &mut writing, NoneTape);
    let state = writing.state.iter().map(|h| h.shape().concrete());
    println!("decoder state     {:?}", state.collect::<Vec<_>>());
    ensure!(weights.len() == 7, "weights for each step");
    println!("weights of a step {:?}", weights[0].shape().concrete());
    let by_step: Logits<7, 4> = logits(states, model.decoder.words());
    let by_sentence: Logits<4, 7> = by_step.permute::<_, Axes3<1, 0, 2>>();
    println!("logits            {:?}", by_sentence.shape().concrete());
    Ok(())
}
// ANCHOR_END: shapes

// ANCHOR: training
fn training(run: &Run, job: &Job) -> Result<Model> {
    heading("Training");
    let (source, target) = job.course.words();
    println!("pairs to train with {:6}", job.course.training.len());
    println!("words that are read {source:6}");
    println!("words to be written {target:6}");
    let (mut model, losses) = job.train()?;
    println!("parameters          {:6}", model.count());
    row("epoch", 12, &["loss"]);
    let told = losses.len().div_ceil(8);
    for (epoch, loss) in (1..).zip(&losses) {
        if epoch % told == 0 || epoch == losses.len() {
            row(&epoch.to_string(), 12, &[format!("{loss:.4}")]);
        }
    }
    let points = (1..).zip(&losses);
    let points = points.map(|(n, &loss)| (f64::from(n), f64::from(loss)));
    let plot = Plot {
        labels: ("Epoch", "Cross-entropy a token"),
        series: vec![Series::new("", Mark::Line, points)],
        ..Plot::default()
    };
    run.figure("loss", &line_plots(&[plot], 1)?)?;
    Ok(model)
}
// ANCHOR_END: training
