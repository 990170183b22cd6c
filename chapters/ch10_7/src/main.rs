// ANCHOR: main
//! The telling run of section 10.7: a Transformer is trained, asked sentences
//! it has never seen, and shows all that it looked at. `translate "…"` asks it
//! a sentence of the reader's; `compare` trains it in four ways; `time` tells
//! what it saves to keep keys and values; `write "…"` has half a Transformer
//! write a story on; `d2l` trains in the setting of *Dive into Deep Learning*.

mod alone;
mod answers;
mod compare;
mod d2l;
mod job;
mod maps;
mod shapes;
mod storyteller;
mod time;

use answers::{asked, translate};
use anyhow::Result;
use job::{HEADS, Job, LAYERS, Model};
use seq2seq::parameters::Parameters;
use std::process::ExitCode;
use support::{Mark, Plot, Run, Series, heading, line_plots, row};

fn main() -> ExitCode {
    support::run_with("ch10_7", job::command(), 0, |run, args| {
        let what = args.subcommand();
        match what {
            Some(("write", args)) => return storyteller::write(args),
            Some(("d2l", args)) => return d2l::d2l(run.seed, args),
            _ => {}
        }
        let job = Job::new(run.seed, args)?;
        match what {
            Some(("translate", args)) => translate(&job, args),
            Some(("compare", _)) => compare::compare(run, &job),
            Some(("time", args)) => time::measured(run, args),
            _ => {
                shapes::shapes(run.seed);
                let model = training(run, &job)?;
                asked(&job.course, &model);
                maps::maps(run, &job.course, &model)?;
                alone::encoder_alone(run, args)?;
                alone::decoder_alone(run, args)
            }
        }
    })
}
// ANCHOR_END: main

// ANCHOR: training
fn training(run: &Run, job: &Job) -> Result<Model> {
    heading("Training");
    let (source, target) = job.course.words();
    println!("pairs to train with {:6}", job.course.training.len());
    println!("words that are read {source:6}");
    println!("words to be written {target:6}");
    println!("layers and heads    {LAYERS:4} {HEADS}");
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
