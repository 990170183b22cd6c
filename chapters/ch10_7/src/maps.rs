// ANCHOR: maps
//! Section 10.7: all that the model looks at, in one sentence and its
//! translation: layers down, heads across.

use crate::job::{HEADS, LAYERS, Model};
use anyhow::{Result, ensure};
use ch10_1::{Dev, Labels, show_heatmaps};
use dfdx::prelude::*;
use seq2seq::course::{Course, STEPS};
use seq2seq::text::{Pair, tokens};
use seq2seq::vocab::Batch;
use std::array::from_fn;
use support::{Run, heading};

/// Tokens of the sentence and of its translation, the end included.
const LEN: usize = 7;

/// The weights of one layer: (1, H, S, S).
type Weights = Tensor<Rank4<1, HEADS, STEPS, STEPS>, f32, Dev>;

/// Draws the three attentions.
///
/// # Errors
/// A figure cannot be written.
pub fn maps(run: &Run, course: &Course, model: &Model) -> Result<()> {
    heading("All attentions");
    let source = tokens("The red car is new.");
    let target = tokens("La voiture rouge est neuve.");
    let pair = Pair { source, target };
    let batch: Batch<1, STEPS> = Batch::new([&pair], &course.languages)?;
    let lens = [batch.source_lens, batch.target_lens];
    ensure!(lens == [[LEN]; 2], "{LEN} tokens on each side");
    let (own, looks) = model.weights(&batch);
    let start = |words: &[String]| [&["<bos>".into()], words].concat();
    let end = |words: &[String]| [words, &["<eos>".into()]].concat();
    let (read, put) = (end(&pair.source), start(&pair.target));
    let written: Vec<Weights> =
        looks.iter().map(|looks| looks.written.clone()).collect();
    let cross: Vec<Weights> = looks.iter().map(|looks| looks.read.clone()).collect();
    let draw = |name, weights: &[Weights], queries, keys| {
        run.figure(name, &drawn(weights, queries, keys)?)
    };
    draw("encoder", &own, &read, &read)?;
    draw("decoder", &written, &put, &put)?;
    draw("cross", &cross, &put, &read)
}

fn drawn(weights: &[Weights], queries: &[String], keys: &[String]) -> Result<String> {
    let layers: Vec<_> = weights.iter().map(|layer| layer.array()).collect();
    let cells: [[[[f32; LEN]; LEN]; HEADS]; LAYERS] =
        from_fn(|l| from_fn(|h| from_fn(|q| from_fn(|k| layers[l][0][h][q][k]))));
    let titles = (1..=LAYERS).flat_map(|layer| {
        (1..=HEADS).map(move |head| format!("layer {layer}, head {head}"))
    });
    let labels = Labels {
        keys: "Looked at",
        queries: "Looking",
        titles: titles.collect(),
        key_tokens: keys.to_vec(),
        query_tokens: queries.to_vec(),
    };
    show_heatmaps(&Dev::default().tensor(cells), &labels)
}
// ANCHOR_END: maps
