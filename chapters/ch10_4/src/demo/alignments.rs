//! The alignments of three sentences in which the order of the words differs.

use anyhow::Result;
use ch10_4::AttentionTranslator;
use program::{Job, alignment, printable_tokens};
use seq2seq::greedy::argmax;
use seq2seq::text::Pair;
use seq2seq::train::STEPS;
use seq2seq::vocab::Batch;
use support::{Labels, heading, printable, row, seeds, show_heatmaps};

const NAMES: [&str; 3] = ["red-car", "black-cat", "at-me"];

const SENTENCES: [(&str, &str); 3] = [
    ("The red car is new.", "La voiture rouge est neuve."),
    ("She does not see the black cat.", "Elle ne voit pas le chat noir."),
    ("Is she looking at me?", "Est-ce qu'elle me regarde ?"),
];

/// The sentences with the names of their figures; of a reader's own sentences some
/// that were not trained with.
fn sentences(job: &Job) -> impl Iterator<Item = (&'static str, Pair)> {
    let own = job.training.sentences.data.is_some();
    let names = if own { ["own-1", "own-2", "own-3"] } else { NAMES };
    names.into_iter().zip(job.examples(SENTENCES))
}

/// What a model attends to while it writes the right translation.
fn weights(
    job: &Job,
    model: &AttentionTranslator,
    pair: &Pair,
) -> Result<Vec<[f32; STEPS]>> {
    let batch: Batch<1, STEPS> = Batch::new([pair], &job.dataset.vocabularies)?;
    Ok(model.weights(&batch).iter().map(|step| step[0]).collect())
}

/// Draws what the model attends to in each sentence.
pub fn alignments(job: &Job, model: &AttentionTranslator) -> Result<()> {
    heading("Alignments");
    for (name, pair) in sentences(job) {
        alignment(job, name, &pair, &weights(job, model, &pair)?)?;
    }
    Ok(())
}

fn with_end(words: &[String]) -> Vec<String> {
    words.iter().map(|word| printable(word)).chain(["<eos>".into()]).collect()
}

/// Prints for each sentence and model where the largest weight of each token
/// is.
pub fn largest_weights(job: &Job, models: &[AttentionTranslator]) -> Result<()> {
    for (n, (_, pair)) in sentences(job).take(2).enumerate() {
        let title = match job.training.sentences.data.is_some() {
            true => printable_tokens(&pair.source),
            false => SENTENCES[n].0.to_string(),
        };
        heading(&format!("Largest weights in % for: {title}"));
        row("seed", 6, &with_end(&pair.target));
        let read = with_end(&pair.source);
        for (seed, model) in seeds(job.run.seed, models.len() as u64).zip(models) {
            let largest = |row: [f32; STEPS]| {
                let key = argmax(&row);
                format!("{} {:.0}", read[key], row[key] * 100.0)
            };
            let cells = weights(job, model, &pair)?.into_iter().map(largest);
            row(
                &seed.to_string(),
                6,
                &cells.take(pair.target.len()).collect::<Vec<_>>(),
            );
        }
    }
    Ok(())
}

/// Draws the weights of several models for one sentence, side by side.
pub fn draw_of_seeds(job: &Job, models: &[AttentionTranslator]) -> Result<()> {
    let Some((_, pair)) = sentences(job).take(2).last() else { return Ok(()) };
    let (keys, queries) = (with_end(&pair.source), with_end(&pair.target));
    let mut panels = Vec::new();
    for model in models {
        let weights = weights(job, model, &pair)?.into_iter().take(queries.len());
        panels.push(weights.map(|row| row[..keys.len()].to_vec()).collect());
    }
    let titles =
        seeds(job.run.seed, models.len() as u64).map(|seed| format!("Seed {seed}"));
    let labels = Labels {
        keys: "Tokens read",
        queries: "Tokens written",
        titles: titles.collect(),
        key_tokens: keys,
        query_tokens: queries,
        columns: 3,
    };
    job.run.figure("seeds", &show_heatmaps(&panels[..], &labels)?)
}
