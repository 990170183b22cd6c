//! Label smoothing, and what it does to the translator.
//!
//! Worked answer to exercise 10 of section 10.7: eight epochs with and without
//! it, from two seeds each, judged by the validation pairs.

use ch10_7::translator::{BookTransformer, SCHEDULE};
use ch10_7::{NormPosition, Transformer};
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor2};
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::dataset::{Dataset, Evaluation};
use seq2seq::loss::{Logits, cross_entropy};
use seq2seq::train::{PART, STEPS, Schedule, Seq2SeqModel, Trainer, WORKERS};
use seq2seq::vocab::Batch;
use std::process::ExitCode;
use support::{Progress, RunArgs, row, seeds};

/// The cross-entropy between a smoothed label and the softmax of the logits: the
/// label counts 1 - `smoothing`, and `smoothing` is shared equally by all tokens.
pub fn smoothed_cross_entropy<const B: usize, const S: usize, T: Tape<f32, Dev>>(
    logits: Logits<B, S, T>,
    labels: &[[usize; S]; B],
    smoothing: f32,
) -> Tensor2<B, S, T> {
    let (logits, tape) = logits.split_tape();
    let of_label = cross_entropy(logits.retaped::<T>(), labels);
    // The mean over all tokens of -ln p: logsumexp - mean of the logits.
    let all: Tensor2<B, S, T> = logits.retaped::<T>().logsumexp::<_, Axis<2>>();
    let mean: Tensor2<B, S, T> = logits.put_tape(tape).mean::<_, Axis<2>>();
    of_label * (1.0 - smoothing) + (all - mean) * smoothing
}

fn loss(
    model: &BookTransformer,
    batch: &Batch<PART, STEPS>,
    smoothing: f32,
) -> Tensor1<PART, OwnedTape<f32, Dev>> {
    let (rows, _) = model.forward(
        (&batch.source, &batch.source_lens),
        (&batch.teacher_forcing(), &batch.target_lens),
        OwnedTape::default(),
    );
    let logits = model.decoder.output.logits(rows);
    let counts: [[f32; STEPS]; PART] = std::array::from_fn(|b| {
        std::array::from_fn(|s| f32::from(s < batch.target_lens[b]))
    });
    let mask: Tensor2<PART, STEPS> = logits.device().tensor(counts);
    let losses = smoothed_cross_entropy(logits, &batch.target, smoothing) * mask;
    losses.sum::<_, Axis<1>>() / STEPS as f32
}

/// Train with label smoothing and without
#[derive(clap::Parser)]
struct Args {
    #[command(flatten)]
    run: RunArgs,
}

fn main() -> ExitCode {
    support::run("exercise_10_7_10", |args: Args| run(&args.run))
}

fn run(args: &RunArgs) -> anyhow::Result<()> {
    let schedule = Schedule { epochs: 8, ..SCHEDULE };
    let text = seq2seq::corpus::PAIRS.as_bytes();
    if args.print_settings(&(schedule, args.seed), text) {
        return Ok(());
    }
    let data = Dataset::book();
    let sizes = data.vocabularies.sizes();
    let mut nats_of = Vec::new();
    row("smoothing", 10, &["seed", "BLEU-2", "right", "-ln p"]);
    for smoothing in [0.0, 0.1] {
        for seed in seeds(args.seed, 2) {
            let new = |dev: &Dev| -> BookTransformer {
                Transformer::new(dev, sizes, 2, 0.1, NormPosition::Post)
            };
            let mut trainer = Trainer::new(WORKERS, seed, schedule.lr, new);
            let mut rng = StdRng::seed_from_u64(seed);
            let mut progress = Progress::new("translator", schedule.epochs);
            for epoch in 0..schedule.epochs {
                trainer.set_lr(schedule.lr_of(epoch));
                let mut last = 0.0;
                for parts in data.shuffled_batches(&mut rng)? {
                    last = trainer
                        .step(&parts, |model, part| loss(model, part, smoothing).sum());
                }
                progress.step(last);
            }
            drop(progress);
            let model = trainer.into_model();
            let found = Evaluation::new(&model, &data, &data.validation);
            let (mut nats, mut tokens) = (0.0, 0);
            for pairs in data.validation.chunks(PART) {
                let batch: Batch<PART, STEPS> = Batch::new(pairs, &data.vocabularies)?;
                let sum: f32 = model.loss(&batch, NoneTape).sum().array();
                (nats, tokens) =
                    (nats + sum * STEPS as f32, tokens + batch.target_tokens());
            }
            let nats = f64::from(nats) / tokens as f64;
            nats_of.push(nats);
            let cells = [found.mean_bleu, found.exact, nats].map(|x| format!("{x:.4}"));
            row(
                &smoothing.to_string(),
                10,
                &[&[seed.to_string()], &cells[..]].concat(),
            );
        }
    }
    assert!(nats_of[2..].iter().all(|nats| *nats > 0.05), "never sure: {nats_of:?}");
    Ok(())
}
