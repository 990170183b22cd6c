// ANCHOR: parts_header
//! The telling run of the interlude: the parts of the model, each on its own.
//! No training: that is in main.rs.

use anyhow::Result;
use ch10_1::Dev;
use dfdx::prelude::*;
use seq2seq::bleu::bleu;
use seq2seq::context::LastState;
use seq2seq::course::{Course, STEPS, words};
use seq2seq::gru::GruCell;
use seq2seq::loss::{logits, masked_cross_entropy};
use seq2seq::parameters::Parameters;
use seq2seq::text::tokens;
use seq2seq::translator::{Dropouts, Translator};
use seq2seq::vocab::{Batch, Languages};
use support::{heading, row};
// ANCHOR_END: parts_header

// ANCHOR: sentences
/// A few pairs as the rows of a batch.
pub fn sentences(course: &Course) -> Result<()> {
    heading("Sentences as tensors");
    println!("words that are read and written: {:?}", course.words());
    let pairs = &course.training[..3];
    let batch: Batch<3, STEPS> = Batch::new(pairs, &course.languages)?;
    let Languages { source, target } = &course.languages;
    let forced = batch.forced();
    for (b, pair) in pairs.iter().enumerate() {
        println!("\n{} | {}", pair.source.join(" "), pair.target.join(" "));
        println!("  read    {:?}", batch.source[b]);
        println!("          {}", words(source, &batch.source[b]).join(" "));
        println!("  target  {}", words(target, &batch.target[b]).join(" "));
        println!("  forced  {}", words(target, &forced[b]).join(" "));
        let lens = (batch.source_lens[b], batch.target_lens[b]);
        println!("  lengths {lens:?}");
    }
    Ok(())
}
// ANCHOR_END: sentences

// ANCHOR: one_step
/// A unit with one input and one state, step by step.
pub fn one_step(dev: &Dev) {
    heading("One step of a unit");
    let cell: GruCell<1, 1> = GruCell {
        w_ih: dev.tensor([[[1.0]], [[-1.0]], [[0.5]]]),
        w_hh: dev.tensor([[[0.0]], [[2.0]], [[1.0]]]),
        b_ih: dev.zeros(),
        b_hh: dev.tensor([[0.0], [0.0], [0.5]]),
    };
    let mut h: Tensor<Rank2<1, 1>, f32, Dev> = dev.tensor([[0.5]]);
    for step in 1..=4 {
        let before = h.array()[0][0];
        cell.forward(dev.tensor([[[1.0]]]), &mut h);
        println!("step {step}: {before:.4} -> {:.4}", h.array()[0][0]);
    }
}
// ANCHOR_END: one_step

// ANCHOR: shapes
/// What goes in and out of the encoder and the decoder.
pub fn shapes(dev: &Dev) {
    heading("Shapes");
    let mut model: Translator<8, 16, LastState> =
        Translator::new(dev, (10, 10), 2, Dropouts::default(), LastState);
    let tokens = [[0; 7]; 4];
    let (encoded, _) = model.encoder.forward(&tokens, &[7; 4], NoneTape);
    println!("encoder, all steps  {:?}", encoded.outputs.shape().concrete());
    for (layer, state) in encoded.state.iter().enumerate() {
        println!("state of layer {layer}    {:?}", state.shape().concrete());
    }
    let (mut writing, _) = model.decoder.start(encoded, NoneTape);
    let (states, _) =
        model.decoder.forward::<7, 4, 7, _>(&tokens, &mut writing, NoneTape);
    println!("decoder, all steps  {:?}", states.shape().concrete());
    let logits = logits(states, model.decoder.words());
    println!("logits              {:?}", logits.shape().concrete());
    println!("parameters          {}", model.count());
}
// ANCHOR_END: shapes

// ANCHOR: loss_of_ones
/// Where all logits are equal, each of ten words has the probability 1/10.
pub fn loss_of_ones(dev: &Dev) {
    heading("Masked cross-entropy");
    let ones = dev.ones_like(&(Const::<4>, Const::<3>, 10));
    let losses = masked_cross_entropy(ones, &[[1; 4]; 3], &[4, 2, 0]);
    row("length", 8, &[4, 2, 0]);
    row("loss", 8, &losses.array().map(|loss| format!("{loss:.4}")));
}
// ANCHOR_END: loss_of_ones

// ANCHOR: bleu_by_hand
/// Translations to score by hand.
pub fn bleu_by_hand() {
    heading("BLEU, by hand");
    let label = tokens("La voiture rouge est neuve.");
    println!("        {}", label.join(" "));
    for text in [
        "La voiture rouge est neuve.",
        "La voiture est rouge.",
        "la voiture rouge",
        "la la la la la la",
        "neuve",
    ] {
        let ours = tokens(text);
        println!("{:.4}  {}", bleu(&ours, &label, 2), ours.join(" "));
    }
}
// ANCHOR_END: bleu_by_hand
