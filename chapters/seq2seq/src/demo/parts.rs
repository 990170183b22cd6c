//! The parts of the model, each on its own. No training.

use anyhow::Result;
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3};
use seq2seq::bleu::bleu;
use seq2seq::context::FixedContext;
use seq2seq::dataset::Dataset;
use seq2seq::gru::GruCell;
use seq2seq::loss::masked_cross_entropy;
use seq2seq::text::tokens;
use seq2seq::train::STEPS;
use seq2seq::translator::{Config, Translator};
use seq2seq::vocab::{Batch, Vocabularies};
use support::{heading, row};

/// A few pairs as the rows of a batch.
pub fn sentences() -> Result<()> {
    heading("Sentences as tensors");
    let Dataset { train, validation, held_out, vocabularies } = Dataset::book();
    println!("pairs to train with {:5}", train.len());
    println!("validation pairs    {:5}", validation.len());
    println!("held out            {:5}", held_out.len());
    println!("tokens of English   {:5}", vocabularies.source.size());
    println!("tokens of French    {:5}", vocabularies.target.size());
    let pairs = &train[..3];
    let batch: Batch<3, STEPS> = Batch::new(pairs, &vocabularies)?;
    let Vocabularies { source, target } = &vocabularies;
    let forcing = batch.teacher_forcing();
    for (b, pair) in pairs.iter().enumerate() {
        println!("\n{} | {}", pair.source.join(" "), pair.target.join(" "));
        println!("  source  {:?}", batch.source[b]);
        println!("          {}", source.decode(&batch.source[b]).join(" "));
        println!("  target  {}", target.decode(&batch.target[b]).join(" "));
        println!("  read    {}", target.decode(&forcing[b]).join(" "));
        let lens = (batch.source_lens[b], batch.target_lens[b]);
        println!("  lengths {lens:?}");
    }
    bleu_by_hand();
    Ok(())
}

/// All others.
pub fn parts(seed: u64) {
    let dev = Dev::seed_from_u64(seed);
    one_step(&dev);
    shapes(&dev);
    loss_of_ones(&dev);
}

/// A unit with one input and one state, step by step; beside each step the
/// update gate z = sigmoid(-x + 2 h).
fn one_step(dev: &Dev) {
    heading("One step of a unit");
    let cell: GruCell<1, 1> = GruCell {
        w_ih: dev.tensor([[[1.0]], [[-1.0]], [[0.5]]]),
        w_hh: dev.tensor([[[0.0]], [[2.0]], [[1.0]]]),
        b_ih: dev.zeros(),
        b_hh: dev.tensor([[0.0], [0.0], [0.5]]),
    };
    let mut h: Tensor2<1, 1> = dev.tensor([[0.5]]);
    for step in 1..=4 {
        let before = h.array()[0][0];
        cell.forward::<1, 1, NoneTape>(dev.tensor([[[1.0]]]), &mut h);
        let z = 1.0 / (1.0 + f32::exp(1.0 - 2.0 * before));
        println!("step {step}: {before:.4} -> {:.4}  z = {z:.4}", h.array()[0][0]);
    }
}

/// What goes in and out of the encoder and the decoder.
fn shapes(dev: &Dev) {
    heading("Shapes");
    let config = Config { layers: 2, embedding_dropout: 0.0, layer_dropout: 0.0 };
    let model: Translator<8, 16, FixedContext> =
        Translator::new(dev, (10, 10), &config, FixedContext);
    let tokens = [[0; 7]; 4];
    let (encoded, _) = model.encoder.forward(&tokens, &[7; 4], NoneTape);
    println!("encoder, all steps  {:?}", encoded.outputs.shape().concrete());
    for (layer, state) in encoded.state.iter().enumerate() {
        println!("state of layer {layer}    {:?}", state.shape().concrete());
    }
    let (mut state, _) = model.decoder.start(encoded, NoneTape);
    let (states, _) =
        model.decoder.forward::<4, 7, 7, _>(&tokens, &mut state, NoneTape);
    println!("decoder, all steps  {:?}", states.shape().concrete());
    let logits = model.decoder.output.logits(states);
    println!("logits              {:?}", logits.shape().concrete());
}

/// Where all logits are equal, each of ten tokens has the probability 1/10.
fn loss_of_ones(dev: &Dev) {
    heading("Masked cross-entropy");
    let x: Tensor3<3, 4, 2> = dev.ones();
    let weight = dev.zeros_like(&(10, Const::<2>));
    let bias = dev.ones_like(&(10,));
    let losses = masked_cross_entropy(x, &weight, &bias, &[[1; 4]; 3], &[4, 2, 0]);
    row("length", 8, &[4, 2, 0]);
    row("loss", 8, &losses.array().map(|loss| format!("{loss:.4}")));
}

/// Translations to score by hand.
fn bleu_by_hand() {
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
