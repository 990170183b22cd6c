//! The alignments of three sentences in which the order of the words differs.

use anyhow::Result;
use ch10_4::AttentionTranslator;
use program::{Job, alignment};
use seq2seq::greedy::argmax;
use seq2seq::text::Pair;
use seq2seq::train::STEPS;
use seq2seq::vocab::Batch;
use support::{Labels, heading, row, seeds, show_heatmaps};

const SENTENCES: [(&str, &str, &str); 3] = [
    ("red-car", "The red car is new.", "La voiture rouge est neuve."),
    ("black-cat", "She does not see the black cat.", "Elle ne voit pas le chat noir."),
    ("at-me", "Is she looking at me?", "Est-ce qu'elle me regarde ?"),
];

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
    for (name, english, french) in SENTENCES {
        let pair = Pair::new(english, french);
        alignment(job, name, &pair, &weights(job, model, &pair)?)?;
    }
    Ok(())
}

fn with_end(words: &[String]) -> Vec<String> {
    words.iter().cloned().chain(["<eos>".into()]).collect()
}

/// Prints for each sentence and model where the largest weight of each token
/// is.
pub fn largest_weights(job: &Job, models: &[AttentionTranslator]) -> Result<()> {
    for (_, english, french) in &SENTENCES[..2] {
        heading(&format!("Largest weights in % for: {english}"));
        let pair = Pair::new(english, french);
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
    let (_, english, french) = SENTENCES[1];
    let pair = Pair::new(english, french);
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
