//! What is done with a trained translator: it translates, is evaluated, and its
//! attention is drawn.

use super::{Job, Section};
use anyhow::{Result, ensure};
use seq2seq::bleu::bleu;
use seq2seq::dataset::Evaluation;
use seq2seq::text::Pair;
use seq2seq::train::{STEPS, Seq2SeqModel};
use seq2seq::vocab::UNK;
use support::{
    Labels, Mark, Plot, Series, heading, line_plots, printable, row, show_heatmaps,
};

/// Prints and draws how a training went.
pub(super) fn training<M: Seq2SeqModel>(
    job: &Job,
    model: &mut M,
    losses: &[f32],
) -> Result<()> {
    heading("Training");
    let (source, target) = job.dataset.vocabularies.sizes();
    println!("pairs to train with {:6}", job.dataset.train.len());
    let [read, written] = match job.training.sentences.data {
        None => ["of English", "of French"],
        Some(_) => ["read", "written"],
    };
    println!("{:20}{source:6}", format!("tokens {read}"));
    println!("{:20}{target:6}", format!("tokens {written}"));
    println!("parameters          {:6}", model.count());
    row("epoch", 12, &["loss"]);
    let every = losses.len().div_ceil(8);
    for (epoch, loss) in (1..).zip(losses) {
        if epoch % every == 0 || epoch == losses.len() {
            row(&epoch.to_string(), 12, &[format!("{loss:.4}")]);
        }
    }
    let points = (1..).zip(losses);
    let points = points.map(|(n, &loss)| (f64::from(n), f64::from(loss)));
    let plot = Plot {
        labels: ("Epoch", "Cross-entropy per token"),
        series: vec![Series::new("", Mark::Line, points)],
        ..Plot::default()
    };
    job.run.figure("loss", &line_plots(&[plot], 1)?)
}

/// Evaluates a model on the pairs that it was not trained with, and prints its
/// first translations of those that are held out.
pub(super) fn evaluate<M: Seq2SeqModel>(job: &Job, model: &M) {
    let dataset = &job.dataset;
    let unseen = [("validation", &dataset.validation), ("held out", &dataset.held_out)];
    let splits = match dataset.held_out.is_empty() {
        true => &[("training", &dataset.train)][..],
        false => &unseen,
    };
    heading(match dataset.held_out.is_empty() {
        true => "Sentences it was trained with",
        false => "Sentences it was not trained with",
    });
    row("", 15, &["sentences", "BLEU-2", "corpus", "right"]);
    for (name, pairs) in splits {
        row(name, 15, &cells(&Evaluation::new(model, dataset, pairs)));
    }
    if !dataset.held_out.is_empty() {
        let parts = dataset.near_and_far(&dataset.held_out);
        let [near, far] = parts.map(|part| Evaluation::new(model, dataset, &part));
        row("  one word away", 15, &cells(&near));
        row("  further away", 15, &cells(&far));
        let (copied, wrong) = (near.copied + far.copied, near.wrong + far.wrong);
        println!("{copied} of {wrong} wrong translations are training sentences");
    }
    let examples = splits[splits.len() - 1].1;
    for pair in examples.iter().take(8) {
        let ours = translation(job, model, &pair.source);
        println!(
            "\n{:.2}  {}",
            bleu(&ours, &pair.target, 2),
            printable_tokens(&pair.source)
        );
        println!("      {}", printable_tokens(&ours));
        if ours != pair.target {
            println!("not   {}", printable_tokens(&pair.target));
        }
    }
}

/// Joins tokens to a line. They may be from a file of the reader's.
pub fn printable_tokens(tokens: &[String]) -> String {
    printable(&tokens.join(" "))
}

pub(super) fn cells(evaluation: &Evaluation) -> [String; 4] {
    let Evaluation { sentences, mean_bleu, corpus_bleu, exact, .. } = evaluation;
    let shares = [mean_bleu, corpus_bleu, exact].map(|share| format!("{share:.2}"));
    let [mean, corpus, exact] = shares;
    [sentences.to_string(), mean, corpus, exact]
}

fn translation<M: Seq2SeqModel>(
    job: &Job,
    model: &M,
    source: &[String],
) -> Vec<String> {
    let vocabularies = &job.dataset.vocabularies;
    let row = vocabularies.source.encode::<STEPS>(source);
    vocabularies.target.decode(&model.decode(row))
}

/// Runs the subcommand `translate`.
pub(super) fn translate<S: Section>(job: &Job, sentence: &str) -> Result<()> {
    let source = job.sentence(sentence)?;
    let model = job.model(S::NAME, &S::book())?;
    let vocab = &job.dataset.vocabularies.source;
    for word in source.iter().filter(|word| vocab.number(word) == UNK) {
        println!("not in the vocabulary, read as <unk>: {}", printable(word));
    }
    translation_table::<S>(job, &model, &source);
    Ok(())
}

/// Prints the translation of a sentence and, if the model attends, the weights
/// with which each of its tokens was written.
fn translation_table<S: Section>(job: &Job, model: &S::Model, source: &[String]) {
    let vocabularies = &job.dataset.vocabularies;
    let translation = S::translate(model, vocabularies.source.encode(source));
    let ours = vocabularies.target.decode(&translation.tokens);
    println!("{}", printable_tokens(&ours));
    if translation.weights.is_empty() {
        return;
    }
    let ours: Vec<String> = ours.iter().map(|word| printable(word)).collect();
    let width = ours.iter().map(|word| word.chars().count()).max();
    let width = width.unwrap_or(0).max(8);
    let cell = |text: &str| format!(" {:>7}", printable(text));
    let read = source.iter().map(String::as_str).chain(["<eos>"]);
    let read: String = read.map(cell).collect();
    println!("\n{:width$}{read}  weights in %", "");
    for (word, weights) in ours.iter().zip(&translation.weights) {
        let weights = weights[..=source.len()].iter();
        let percent = weights.map(|w| cell(&format!("{:.0}", w * 100.0)));
        println!("{word:width$}{}", percent.collect::<String>());
    }
}

/// Draws the weights with which a model writes the tokens of a translation, the
/// end included; `weights` has a row for each step, of which the first tokens
/// are those of the sentence. Prints for each token where its largest weight
/// is.
///
/// # Errors
/// If the sentences are longer than the model reads, or the figure cannot be
/// written.
pub fn alignment(
    job: &Job,
    name: &str,
    pair: &Pair,
    weights: &[[f32; STEPS]],
) -> Result<()> {
    let end = |words: &[String]| {
        let words = words.iter().map(|word| printable(word));
        words.chain(["<eos>".into()]).collect::<Vec<_>>()
    };
    let (keys, queries) = (end(&pair.source), end(&pair.target));
    let fits = keys.len() <= STEPS && queries.len() <= weights.len();
    ensure!(fits, "{name}: too long");
    let weights = weights.iter().take(queries.len());
    let rows: Vec<Vec<f32>> = weights.map(|row| row[..keys.len()].to_vec()).collect();
    for (word, row) in queries.iter().zip(&rows) {
        let key = seq2seq::greedy::argmax(row);
        println!("{word:9} attends to  {:9}{:3.0} %", keys[key], row[key] * 100.0);
    }
    let labels = Labels {
        keys: "Tokens read",
        queries: "Tokens written",
        key_tokens: keys,
        query_tokens: queries,
        ..Labels::default()
    };
    job.run.figure(name, &show_heatmaps(&[rows][..], &labels)?)
}
