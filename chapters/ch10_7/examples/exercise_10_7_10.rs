//! Label smoothing, and what it does to the translator.
//!
//! Worked answer to exercise 10 of section 10.7: eight epochs with and without
//! it, from two seeds each, judged by the validation pairs.

use ch10_2::parameters;
use ch10_7::translator::{BookTransformer, SCHEDULE};
use ch10_7::{NormPosition, Transformer};
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor2};
use seq2seq::dataset::{Dataset, Evaluation};
use seq2seq::loss::{Logits, cross_entropy};
use seq2seq::train::{BATCH, PART, STEPS, Schedule, Seq2SeqModel, train};
use seq2seq::vocab::Batch;
use std::process::ExitCode;
use support::{Progress, row, seeds};

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

/// The translator with this loss.
struct Smoothed {
    model: BookTransformer,
    smoothing: f32,
}

parameters! { Smoothed { model } }

impl Seq2SeqModel for Smoothed {
    fn loss<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B, S>,
        tape: T,
    ) -> Tensor1<B, T> {
        let (rows, _) = self.model.forward(
            (&batch.source, &batch.source_lens),
            (&batch.teacher_forcing(), &batch.target_lens),
            tape,
        );
        let logits = self.model.decoder.output.logits(rows);
        let counts: [[f32; S]; B] = std::array::from_fn(|b| {
            std::array::from_fn(|s| f32::from(s < batch.target_lens[b]))
        });
        let mask: Tensor2<B, S> = logits.device().tensor(counts);
        let losses = smoothed_cross_entropy(logits, &batch.target, self.smoothing);
        (losses * mask).sum::<_, Axis<1>>() / S as f32
    }

    fn decode<const S: usize>(&self, source: ([usize; S], usize)) -> Vec<usize> {
        self.model.decode(source)
    }
}

/// The cross-entropy of a token of the validation pairs, in nats.
fn nats(model: &BookTransformer, data: &Dataset) -> anyhow::Result<f64> {
    let (mut nats, mut tokens) = (0.0, 0);
    for pairs in data.validation.chunks(PART) {
        let batch: Batch<PART, STEPS> = Batch::new(pairs, &data.vocabularies)?;
        let sum: f32 = model.loss(&batch, NoneTape).sum().array();
        (nats, tokens) = (nats + sum * STEPS as f32, tokens + batch.target_tokens());
    }
    Ok(f64::from(nats) / tokens as f64)
}

fn main() -> ExitCode {
    let about = "Train with label smoothing and without";
    support::run_plain("exercise_10_7_10", about, |run| {
        let schedule = Schedule { epochs: 8, ..SCHEDULE };
        let text = seq2seq::corpus::PAIRS.as_bytes();
        run.print_settings(&(schedule, run.seed), text);
        let data = Dataset::book();
        let sizes = data.vocabularies.sizes();
        let steps = schedule.epochs * data.train.len().div_ceil(BATCH);
        let mut nats_of = Vec::new();
        row("smoothing", 10, &["seed", "BLEU-2", "right", "-ln p"]);
        for smoothing in [0.0, 0.1] {
            for seed in seeds(run.seed, 2) {
                let new = |dev: &Dev| Smoothed {
                    model: Transformer::new(dev, sizes, 2, 0.1, NormPosition::Post),
                    smoothing,
                };
                let mut progress = Progress::new("translator", steps);
                let on_step = |loss, tokens| progress.step_of(tokens, loss);
                let (trained, _) =
                    train(&data, &schedule, seed, new, on_step, |_, _| ())?;
                drop(progress);
                let found = Evaluation::new(&trained, &data, &data.validation);
                nats_of.push(nats(&trained.model, &data)?);
                let cells = [found.mean_bleu, found.exact, nats_of[nats_of.len() - 1]];
                let cells = cells.map(|x| format!("{x:.4}"));
                let cells = [&[seed.to_string()], &cells[..]].concat();
                row(&smoothing.to_string(), 10, &cells);
            }
        }
        let (plain, smoothed) = nats_of.split_at(2);
        let higher =
            plain.iter().zip(smoothed).all(|(plain, smoothed)| smoothed > plain);
        assert!(higher, "of each seed: {nats_of:?}");
        Ok(())
    })
}
