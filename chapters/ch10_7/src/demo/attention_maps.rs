//! The three attentions of the trained model, for one sentence and its
//! translation: layers down, heads across.

use super::TransformerSection;
use anyhow::{Result, ensure};
use ch10_7::translator::{BookTransformer, HEADS};
use dfdx::prelude::*;
use kernels::Tensor4;
use program::{Job, Section, alignment, printable_tokens};
use seq2seq::text::Pair;
use seq2seq::train::STEPS;
use seq2seq::translator::Translation;
use seq2seq::vocab::Batch;
use support::{Labels, heading, printable, show_heatmaps};

/// The weights of one layer for one sentence.
type Layer = Tensor4<1, HEADS, STEPS, STEPS>;

/// The sentence of the book's pages, and its translation.
pub const RED_CAR: (&str, &str) =
    ("The red car is new.", "La voiture rouge est neuve.");

/// Translates a sentence, and draws what the last layer attended to: the mean
/// of its heads.
pub fn translation(job: &Job, model: &BookTransformer) -> Result<()> {
    heading("A translation");
    let vocabularies = &job.dataset.vocabularies;
    let Some(Pair { source, .. }) = job.examples([RED_CAR]).pop() else {
        return Ok(());
    };
    let row = vocabularies.source.encode(&source);
    let Translation { tokens, weights } = TransformerSection::translate(model, row);
    // A model that is hardly trained may not come to an end.
    let len = tokens.len().min(STEPS - 1);
    let target = vocabularies.target.decode(&tokens[..len]);
    println!("{}\n{}\n", printable_tokens(&source), printable_tokens(&target));
    alignment(job, "translation", &Pair { source, target }, &weights)
}

/// Draws them: `encoder`, `decoder` and `cross`.
pub fn attention_maps(job: &Job, model: &BookTransformer) -> Result<()> {
    heading("All attentions");
    let Some(pair) = job.examples([RED_CAR]).pop() else { return Ok(()) };
    let batch: Batch<1, STEPS> = Batch::new([&pair], &job.dataset.vocabularies)?;
    ensure!(pair.source.len() < STEPS && pair.target.len() < STEPS, "too long");
    let inputs = batch.teacher_forcing();
    let source = (&batch.source, &batch.source_lens);
    let (_, weights) = model.forward(source, (&inputs, &batch.target_lens), NoneTape);
    let [of_source, of_target] = [&pair.source, &pair.target]
        .map(|words| words.iter().map(|word| printable(word)).collect::<Vec<String>>());
    let read = [&of_source[..], &["<eos>".into()]].concat();
    let written = [&["<bos>".into()], &of_target[..]].concat();
    let decoder = weights.decoder.iter();
    let own: Vec<Layer> = decoder.clone().map(|w| w.self_attention.clone()).collect();
    let cross: Vec<Layer> = decoder.map(|w| w.cross_attention.clone()).collect();
    draw(job, "encoder", &weights.encoder, &read, &read)?;
    draw(job, "decoder", &own, &written, &written)?;
    draw(job, "cross", &cross, &written, &read)
}

/// Draws the weights of all layers and heads for one sentence.
fn draw(
    job: &Job,
    name: &str,
    layers: &[Layer],
    queries: &[String],
    keys: &[String],
) -> Result<()> {
    let mut panels = Vec::new();
    let mut titles = Vec::new();
    for (layer, weights) in (1..).zip(layers) {
        for (head, rows) in (1..).zip(&weights.array()[0]) {
            let rows = rows[..queries.len()].iter();
            panels.push(rows.map(|row| row[..keys.len()].to_vec()).collect::<Vec<_>>());
            titles.push(format!("layer {layer}, head {head}"));
        }
    }
    let labels = Labels {
        keys: "Keys",
        queries: "Queries",
        titles,
        key_tokens: keys.to_vec(),
        query_tokens: queries.to_vec(),
        columns: 2,
    };
    job.run.figure(name, &show_heatmaps(&panels[..], &labels)?)
}
