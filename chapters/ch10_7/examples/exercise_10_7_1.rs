//! The translator with one to four layers: what a step costs, and how well it
//! translates validation sentences.
//!
//! Worked answer to exercise 1 of section 10.7: the section's settings, but for
//! twelve epochs, from two seeds each. The times differ from run to run.

use ch10_2::parameters::Parameters;
use ch10_7::translator::{BookTransformer, DROPOUT, SCHEDULE};
use ch10_7::{NormPosition, Transformer};
use dfdx::prelude::*;
use kernels::Dev;
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::dataset::{Dataset, Evaluation};
use seq2seq::train::{BATCH, STEPS, Schedule, Seq2SeqModel, Trainer, WORKERS, train};
use std::process::ExitCode;
use support::{Progress, Spread, fastest, row, seeds, spread};

const SEEDS: u64 = 2;
const SHORT: Schedule = Schedule { epochs: 12, ..SCHEDULE };

fn main() -> ExitCode {
    let about = "The translator with one to four layers";
    support::run_plain("exercise_10_7_1", about, |run| {
        let text = seq2seq::corpus::PAIRS.as_bytes();
        let settings = (SHORT, DROPOUT, SEEDS, run.seed);
        run.print_settings(&settings, text);
        let data = Dataset::book();
        let steps = SHORT.epochs * data.train.len().div_ceil(BATCH);
        row("layers", 8, &["parameters", "ms a step", "BLEU-2", "lowest"]);
        let mut means = Vec::new();
        for layers in 1..=4 {
            let new = |dev: &Dev| -> BookTransformer {
                let sizes = data.vocabularies.sizes();
                Transformer::new(dev, sizes, layers, DROPOUT, NormPosition::Post)
            };
            let mut scores = Vec::new();
            for seed in seeds(run.seed, SEEDS) {
                let mut progress = Progress::new(format!("{layers} layers"), steps);
                let on_step = |loss, tokens| progress.step_of(tokens, loss);
                let (model, _) = train(&data, &SHORT, seed, new, on_step, |_, _| ())?;
                let pairs = &data.validation;
                let found = Evaluation::new(&model, &data, pairs);
                scores.push(found.mean_bleu);
            }
            let (mut trainer, mut rng) =
                (Trainer::new(WORKERS, 0, 0.001, new), StdRng::seed_from_u64(0));
            let parts = data.shuffled_batches::<STEPS>(&mut rng)?.swap_remove(0);
            let step = fastest(20, || {
                trainer.step(&parts, |model, part| {
                    model.loss(part, OwnedTape::default()).sum()
                });
            });
            let Spread { mean, least, .. } = spread(scores);
            let cells = [
                trainer.into_model().count().to_string(),
                format!("{:.1}", 1e3 * step),
                format!("{mean:.4}"),
                format!("{least:.4}"),
            ];
            row(&layers.to_string(), 8, &cells);
            means.push(mean);
        }
        assert!(means[1] > 0.85, "{means:?}");
        Ok(())
    })
}
