// ANCHOR: answers_header
//! Section 10.4: what the trained translator answers, and what it looks at.

use crate::Model;
use crate::job::Job;
use anyhow::{Result, ensure};
use ch10_1::{Dev, Labels, show_heatmaps};
use dfdx::prelude::*;
use seq2seq::bleu::bleu;
use seq2seq::course::{Course, STEPS, words};
use seq2seq::text::{Pair, tokens};
use seq2seq::vocab::{Batch, UNK};
use support::{Run, heading};
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
) -> (Vec<String>, Vec<[f32; STEPS]>) {
    let row = course.languages.source.row(sentence);
    let (written, weights) = model.translate(row);
    (words(&course.languages.target, &written), weights)
}
// ANCHOR_END: asked

// ANCHOR: translate
/// Translates a sentence of the reader's, and prints what each token of the
/// translation was written after looking at.
///
/// # Errors
/// The sentence is empty or too long; the model cannot be read or kept.
pub fn translate(job: &Job, sentence: &str) -> Result<()> {
    let source = tokens(sentence);
    let (most, len) = (STEPS - 1, source.len());
    ensure!(len > 0, "there is no sentence to translate");
    ensure!(len <= most, "{len} tokens; the model reads at most {most}");
    let model = job.model()?;
    let vocab = &job.course.languages.source;
    for word in source.iter().filter(|word| vocab.number(word) == UNK) {
        println!("not in the vocabulary, read as <unk>: {word}");
    }
    let (ours, weights) = ask(&job.course, &model, &source);
    println!("{}\n", ours.join(" "));
    let width = ours.iter().map(|word| word.chars().count()).max();
    let width = width.unwrap_or(0).max(8);
    let cell = |text: &str| format!(" {text:>7}");
    let read = source.iter().map(String::as_str).chain(["<eos>"]);
    let read: String = read.map(cell).collect();
    println!("{:width$}{read}  weights in %", "");
    for (word, weights) in ours.iter().zip(&weights) {
        let weights = weights[..=len].iter();
        let percent = weights.map(|w| cell(&format!("{:.0}", w * 100.0)));
        println!("{word:width$}{}", percent.collect::<String>());
    }
    Ok(())
}
// ANCHOR_END: translate

// ANCHOR: alignments
/// Draws the alignments of three sentences in which the order differs.
///
/// # Errors
/// A figure cannot be written.
pub fn alignments(run: &Run, course: &Course, model: &Model) -> Result<()> {
    heading("Alignments");
    let (english, french) = ("The red car is new.", "La voiture rouge est neuve.");
    alignment::<7, 7>(run, course, model, "red-car", english, french)?;
    let (english, french) =
        ("She does not see the black cat.", "Elle ne voit pas le chat noir.");
    alignment::<9, 9>(run, course, model, "black-cat", english, french)?;
    let (english, french) = ("Is she looking at me?", "Est-ce qu'elle me regarde ?");
    alignment::<6, 7>(run, course, model, "at-me", english, french)
}

/// Draws what the model looks at when it writes the Q tokens of the right
/// translation, the end included, after reading the K of the sentence.
fn alignment<const Q: usize, const K: usize>(
    run: &Run,
    course: &Course,
    model: &Model,
    name: &str,
    english: &str,
    french: &str,
) -> Result<()> {
    let pair = Pair { source: tokens(english), target: tokens(french) };
    let batch: Batch<1, STEPS> = Batch::new([&pair], &course.languages)?;
    ensure!((batch.source_lens, batch.target_lens) == ([K], [Q]), "{name}");
    let weights = model.weights(&batch);
    let rows: [[f32; K]; Q] =
        std::array::from_fn(|q| std::array::from_fn(|k| weights[q][0][k]));
    let matrix: Tensor<Rank2<Q, K>, f32, Dev> = Dev::default().tensor(rows);
    let matrix: Tensor<Rank4<1, 1, Q, K>, f32, Dev> = matrix.reshape();
    let end = |words: &[String]| [words, &["<eos>".into()]].concat();
    let labels = Labels {
        keys: "Tokens read",
        queries: "Tokens written",
        key_tokens: end(&pair.source),
        query_tokens: end(&pair.target),
        ..Labels::default()
    };
    for (word, row) in labels.query_tokens.iter().zip(&rows) {
        let (at, weight) = largest(row);
        let (key, percent) = (&labels.key_tokens[at], weight * 100.0);
        println!("{word:9} looks at  {key:9}{percent:3.0} %");
    }
    run.figure(name, &show_heatmaps(&matrix, &labels)?)
}

/// Where the largest weight of a row lies, and how large it is.
fn largest(row: &[f32]) -> (usize, f32) {
    let cells = row.iter().copied().enumerate();
    cells.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
}
// ANCHOR_END: alignments
