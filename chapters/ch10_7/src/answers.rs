// ANCHOR: answers_header
//! Section 10.7: what the trained model answers.

use crate::job::{HEADS, Job, Model};
use anyhow::{Result, ensure};
use ch10_7::translator::Step;
use clap::ArgMatches;
use dfdx::prelude::*;
use seq2seq::bleu::bleu;
use seq2seq::course::{Course, STEPS, words};
use seq2seq::text::tokens;
use seq2seq::vocab::UNK;
use support::heading;
// ANCHOR_END: answers_header

// ANCHOR: asked
/// Asks the sentences that are held out, and prints the first answers.
pub fn asked(course: &Course, model: &Model) {
    heading("Sentences never seen");
    let whole = course
        .asked
        .iter()
        .filter(|pair| ask(course, model, &pair.source).0 == pair.target);
    let whole = whole.count() as f64 / course.asked.len() as f64;
    println!("sentences       {:6}", course.asked.len());
    println!("BLEU, k = 2     {:6.2}", course.score(model, 2));
    println!("right as a whole {whole:5.2}");
    for pair in course.asked.iter().take(8) {
        let (ours, _) = ask(course, model, &pair.source);
        let score = bleu(&ours, &pair.target, 2);
        println!("\n{score:.2}  {}", pair.source.join(" "));
        println!("      {}", ours.join(" "));
        if ours != pair.target {
            println!("not   {}", pair.target.join(" "));
        }
    }
}

/// The translation of a sentence, and the weights of each of its tokens.
fn ask(
    course: &Course,
    model: &Model,
    sentence: &[String],
) -> (Vec<String>, Vec<Step<STEPS, HEADS>>) {
    let row = course.languages.source.row(sentence);
    let (written, weights) = model.translate(row);
    (words(&course.languages.target, &written), weights)
}
// ANCHOR_END: asked

// ANCHOR: translate
/// Translates a sentence of the reader's, and prints what was looked at; or
/// prints several candidates.
///
/// # Errors
/// The sentence is empty or too long; the model cannot be read or kept.
pub fn translate(job: &Job, args: &ArgMatches) -> Result<()> {
    let sentence = args.get_one::<String>("sentence");
    let source = tokens(sentence.map_or("", String::as_str));
    let (most, len) = (STEPS - 1, source.len());
    ensure!(len > 0, "there is no sentence to translate");
    ensure!(len <= most, "{len} tokens; the model reads at most {most}");
    let model = job.model()?;
    let vocab = &job.course.languages.source;
    for word in source.iter().filter(|word| vocab.number(word) == UNK) {
        println!("not in the vocabulary, read as <unk>: {word}");
    }
    if let Some(&width) = args.get_one::<u8>("beam") {
        candidates(&job.course, &model, &source, width.into());
        return Ok(());
    }
    let (ours, weights) = ask(&job.course, &model, &source);
    looks(&source, &ours, &weights);
    Ok(())
}
// ANCHOR_END: translate

// ANCHOR: candidates
/// Prints the translations that are kept at the end, with the probability that
/// the model gives to each.
fn candidates(course: &Course, model: &Model, sentence: &[String], width: usize) {
    let row = course.languages.source.row(sentence);
    for found in model.beam::<STEPS>(row, width) {
        let ours = words(&course.languages.target, &found.tokens).join(" ");
        println!("{:8.4}  {ours}", found.log.exp());
    }
}
// ANCHOR_END: candidates

// ANCHOR: looks
/// Prints a translation, and for each of its tokens what the last layer looked
/// at, the mean over its heads.
fn looks(source: &[String], ours: &[String], weights: &[Step<STEPS, HEADS>]) {
    println!("{}\n", ours.join(" "));
    let width = ours.iter().map(|word| word.chars().count()).max();
    let width = width.unwrap_or(0).max(8);
    let cell = |text: &str| format!(" {text:>7}");
    let read = source.iter().map(String::as_str).chain(["<eos>"]);
    let read: String = read.map(cell).collect();
    println!("{:width$}{read}  weights in %", "");
    for (word, step) in ours.iter().zip(weights) {
        let weights = mean_of_heads(step);
        let weights = weights[..=source.len()].iter();
        let percent = weights.map(|w| cell(&format!("{:.0}", w * 100.0)));
        println!("{word:width$}{}", percent.collect::<String>());
    }
}

fn mean_of_heads(step: &Step<STEPS, HEADS>) -> [f32; STEPS] {
    let last = &step[step.len() - 1].read;
    let mean: Tensor<Rank1<STEPS>, f32, _> = last.clone().mean::<_, Axes3<0, 1, 2>>();
    mean.array()
}
// ANCHOR_END: looks
