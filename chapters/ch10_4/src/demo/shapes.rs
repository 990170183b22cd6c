//! What goes in and out of the decoder with attention.

use anyhow::{Result, ensure};
use ch10_4::{BahdanauAttention, Memory};
use dfdx::prelude::*;
use kernels::Dev;
use seq2seq::translator::{Config, Translator};
use support::heading;

/// Prints them, for 4 sentences of 7 tokens.
pub fn shapes(seed: u64) -> Result<()> {
    heading("Shapes");
    let dev = Dev::seed_from_u64(seed);
    let config = Config { layers: 2, embedding_dropout: 0.0, layer_dropout: 0.0 };
    let attention = BahdanauAttention::new(&dev, 0.0);
    let model: Translator<8, 16, _> =
        Translator::new(&dev, (10, 10), &config, attention);
    let x = [[0; 7]; 4];
    let (encoded, _) = model.encoder.forward(&x, &[7; 4], NoneTape);
    println!("encoder outputs   {:?}", encoded.outputs.shape().concrete());
    let (mut state, _) = model.decoder.start(encoded, NoneTape);
    let Memory { keys, values, .. } = &state.memory;
    println!("keys              {:?}", keys.shape().concrete());
    println!("values            {:?}", values.shape().concrete());
    let (states, weights) = model.decoder.forward(&x, &mut state, NoneTape);
    let hidden = state.hidden.iter().map(|h| h.shape().concrete());
    println!("decoder state     {:?}", hidden.collect::<Vec<_>>());
    ensure!(weights.len() == 7, "weights for each step");
    println!("weights of a step {:?}", weights[0].shape().concrete());
    let logits = model.decoder.output.logits(states);
    println!("logits            {:?}", logits.shape().concrete());
    Ok(())
}
