//! Exercise 1 of the interlude: a loss without the mask, in which the padding
//! of the translations counts like their tokens.

use anyhow::Result;
use dfdx::prelude::*;
use kernels::Dev;
use seq2seq::context::FixedContext;
use seq2seq::dataset::Dataset;
use seq2seq::train::{STEPS, Trainer};
use seq2seq::translator::{Config, Translator};
use seq2seq::vocab::Batch;
use support::row;

type Model = Translator<32, 32, FixedContext>;
type Pairs = Batch<64, STEPS>;

/// The loss of `batch` per token that counts in it.
fn loss(model: &Model, batch: &Pairs) -> f32 {
    let sum = model.loss(batch, NoneTape).sum().array();
    sum * STEPS as f32 / batch.target_tokens() as f32
}

/// Trains on `batch`; the loss that is minimised and that of the tokens alone,
/// which is the loss of `masked`, after each 50 steps.
fn train(data: &Dataset, seed: u64, batch: &Pairs, masked: &Pairs) -> [[f32; 2]; 3] {
    let config = Config { layers: 2, embedding_dropout: 0.0, layer_dropout: 0.0 };
    let sizes = data.vocabularies.sizes();
    let model = |dev: &Dev| Model::new(dev, sizes, &config, FixedContext);
    let mut trainer = Trainer::new(1, seed, 0.005, model);
    std::array::from_fn(|_| {
        for _ in 0..50 {
            trainer.step(std::slice::from_ref(batch), |model: &Model, batch| {
                model.loss(batch, OwnedTape::default()).sum()
            });
        }
        let model = trainer.model();
        [loss(model, batch), loss(model, masked)]
    })
}

fn main() -> Result<()> {
    let data = Dataset::book();
    let masked: Pairs = Batch::new(&data.train[..64], &data.vocabularies)?;
    let all = Batch { target_lens: [STEPS; 64], ..masked.clone() };
    println!("steps that count: {} of {}", masked.target_tokens(), 64 * STEPS);
    row("after steps", 18, &["seed", "50", "100", "150"]);
    let mut ahead = 0.0;
    for seed in 0..3 {
        let with = train(&data, seed, &masked, &masked);
        let without = train(&data, seed, &all, &masked);
        for (name, losses) in [
            ("with the mask", with.map(|[_, tokens]| tokens)),
            ("without: minimised", without.map(|[minimised, _]| minimised)),
            ("without: tokens", without.map(|[_, tokens]| tokens)),
        ] {
            let losses = losses.map(|loss| format!("{loss:.4}"));
            row(name, 18, &[&[seed.to_string()], &losses[..]].concat());
        }
        let [[minimised, tokens], ..] = without;
        assert!(minimised < 0.9 * tokens, "{minimised} {tokens}");
        ahead += without[2][1] - with[2][1];
    }
    assert!(ahead > 0.0, "{ahead}");
    Ok(())
}
