// ANCHOR: main
//! The telling run of the interlude: sentences as tensors, the parts of the
//! model and their shapes, a short training, translations and what they are
//! worth. The mechanism is the library; attention comes in section 10.4.

use anyhow::Result;
use ch10_1::Dev;
use seq2seq::bleu::bleu;
use seq2seq::context::LastState;
use seq2seq::course::{Course, D2L, STEPS, Schedule, words};
use seq2seq::parameters::Parameters;
use seq2seq::text::Pair;
use seq2seq::translator::Translator;
use seq2seq::vocab::{Languages, UNK};
use std::process::ExitCode;
use support::{Mark, Plot, Run, Series, heading, line_plots, row};

mod parts;

/// Embeddings and states of 32 numbers; one context for all steps.
type Model = Translator<32, 32, LastState>;

fn main() -> ExitCode {
    let about = "Interlude: sequence to sequence";
    support::old::run("seq2seq", about, 0, |run| {
        let dev = Dev::seed_from_u64(run.seed);
        let course = few_pairs()?;
        parts::sentences(&course)?;
        parts::one_step(&dev);
        parts::shapes(&dev);
        parts::loss_of_ones(&dev);
        parts::bleu_by_hand();
        let model = training(run, &course)?;
        asked("Asked what it was taught", &course, &model, &course.training);
        asked("Asked what is new", &course, &model, &course.asked);
        Ok(())
    })
}
// ANCHOR_END: main

// ANCHOR: few_pairs
/// The first 64 pairs of the corpus to train with; to ask, sentences that
/// were held out and whose words all occur in the 64.
fn few_pairs() -> Result<Course> {
    let mut course = Course::book()?;
    course.training.truncate(64);
    course.languages = Languages::of(&course.training);
    let vocab = &course.languages.source;
    let known = |word: &String| vocab.number(word) != UNK;
    course.asked.retain(|pair| pair.source.iter().all(known));
    Ok(course)
}
// ANCHOR_END: few_pairs

// ANCHOR: short_training
fn training(run: &Run, course: &Course) -> Result<Model> {
    heading("A short training");
    let how = Schedule { epochs: 200, ..D2L.schedule };
    let model = |dev: &Dev| course.translator(dev, &D2L, LastState);
    let learnt = course.learn("training", &how, run.seed, model);
    let (mut model, losses): (Model, _) = learnt?;
    println!("parameters {}", model.count());
    for (epoch, loss) in (1..).zip(&losses) {
        if epoch == 1 || epoch % 40 == 0 {
            row(&format!("epoch {epoch}"), 12, &[format!("{loss:.4}")]);
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
// ANCHOR_END: short_training

// ANCHOR: asked
fn asked(what: &str, course: &Course, model: &Model, pairs: &[Pair]) {
    heading(what);
    let Languages { source, target } = &course.languages;
    for pair in pairs.iter().take(5) {
        let (written, _) = model.translate::<STEPS>(source.row(&pair.source));
        let ours = words(target, &written);
        let score = bleu(&ours, &pair.target, 2);
        println!("{score:.2}  {}", pair.source.join(" "));
        println!("      {}", ours.join(" "));
        if ours != pair.target {
            println!("not   {}", pair.target.join(" "));
        }
    }
    let asked = Course { asked: pairs.to_vec(), ..course.clone() };
    println!("mean of {}: {:.2}", pairs.len(), asked.score(model, 2));
}
// ANCHOR_END: asked
