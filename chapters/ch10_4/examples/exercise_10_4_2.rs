//! Exercise 2 of section 10.4: the scaled dot product in place of the additive
//! score. `--time` measures the trainings; times differ from run to run.

use anyhow::Result;
use ch10_2::parameters;
use ch10_3::{DotProductAttention, Mask};
use ch10_4::BahdanauAttention;
use dfdx::prelude::*;
use kernels::{DefinitionTape, Dev, MaybeSend, Tensor2, Tensor3, onto_owned_tape};
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::context::{Context, ContextAndWeights};
use seq2seq::corpus;
use seq2seq::dataset::Dataset;
use seq2seq::encoder::Encoded;
use seq2seq::train::{STEPS, Trainer, WORKERS};
use seq2seq::translator::{Config, Translator};
use seq2seq::vocab::Batch;
use std::process::ExitCode;
use std::time::Instant;
use support::{RunArgs, row};

const WIDTH: usize = 32;

/// Attention by the scaled dot product. It has nothing to learn.
#[derive(Clone, Debug)]
struct DotContext {
    dot: DotProductAttention,
}

parameters! { DotContext {} }

/// The encoder's outputs, keys and values in one, and how many count.
struct Outputs<const B: usize, const S: usize, const HIDDEN: usize> {
    outputs: Tensor3<B, S, HIDDEN>,
    mask: Mask<B, 1, S>,
}

impl<const HIDDEN: usize> Context<HIDDEN> for DotContext {
    type Memory<const B: usize, const S: usize> = Outputs<B, S, HIDDEN>;

    fn memory<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        encoded: &Encoded<B, S, HIDDEN>,
        tape: T,
    ) -> (Outputs<B, S, HIDDEN>, T) {
        let outputs = encoded.outputs.clone();
        (Outputs { outputs, mask: Mask::valid_lens(encoded.lens) }, tape)
    }

    fn context<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        query: Tensor2<B, HIDDEN, T>,
        memory: &Outputs<B, S, HIDDEN>,
    ) -> ContextAndWeights<B, S, HIDDEN, T> {
        let query: Tensor3<B, 1, HIDDEN, T> = query.reshape();
        let (keys, values) = (memory.outputs.retaped(), memory.outputs.retaped());
        let attended = self.dot.forward(query, keys, values, &memory.mask);
        let weights: Tensor2<B, S> = attended.weights.reshape();
        ContextAndWeights { context: attended.output.reshape(), weights: Some(weights) }
    }
}

/// The tape on which kernels are recorded.
type KernelTape = OwnedTape<f32, Dev>;

/// Trains on a part of the corpus: the parameters of the score, the loss per
/// token of the last epoch, and the seconds that it took.
fn learn<C: Context<WIDTH> + MaybeSend, T: Tape<f32, Dev> + Into<KernelTape>>(
    data: &Dataset,
    seed: u64,
    context: impl Fn(&Dev) -> C,
) -> Result<(usize, f32, f64)> {
    let start = Instant::now();
    let config = Config { layers: 1, embedding_dropout: 0.0, layer_dropout: 0.0 };
    let sizes = data.vocabularies.sizes();
    let model = |dev: &Dev| -> Translator<WIDTH, WIDTH, C> {
        Translator::new(dev, sizes, &config, context(dev))
    };
    let mut trainer = Trainer::new(WORKERS, seed, 0.005, model);
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut sum, mut tokens) = (0.0, 0);
    for _ in 0..60 {
        (sum, tokens) = (0.0, 0);
        for parts in data.shuffled_batches::<STEPS>(&mut rng)? {
            sum += trainer.step(&parts, |model, part| {
                onto_owned_tape(model.loss(part, T::default())).sum()
            });
            tokens += parts.iter().map(Batch::target_tokens).sum::<usize>();
        }
    }
    let parameters = trainer.into_model().decoder.context.count();
    let loss = sum * STEPS as f32 / tokens as f32;
    Ok((parameters, loss, start.elapsed().as_secs_f64()))
}

/// Multiplications of one step of the decoder for a sentence of S tokens: the
/// query's projection, the scores, the sum of the values. The projection of
/// the keys is shared by the steps.
fn multiplications() {
    let (s, h) = (STEPS, WIDTH);
    let (score, query, sum) = (s * h, h * h, s * h);
    println!("a step of the decoder, {s} tokens of width {h}");
    row("", 10, &["products", "tanh", "once"]);
    row("additive", 10, &[query + score + sum, s * h, s * h * h]);
    row("dot", 10, &[score + h + sum, 0, 0]);
}

/// The scaled dot product in place of the additive score
#[derive(clap::Parser)]
struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Measure the trainings, by kernels and by definitions
    #[arg(long)]
    time: bool,
}

fn main() -> ExitCode {
    support::run("exercise_10_4_2", |args: Args| {
        let mut data = Dataset::book();
        data.train.truncate(256);
        let additive = |dev: &Dev| BahdanauAttention::new(dev, 0.0);
        let dot = |_: &Dev| DotContext { dot: DotProductAttention { dropout: 0.0 } };
        if args.time {
            let settings = (WIDTH, 256, 60, args.run.seed);
            args.run.print_settings(&settings, corpus::PAIRS.as_bytes());
            println!("\nseconds of a training: 256 sentences, 60 epochs");
            row("", 10, &["kernels", "composed"]);
            let seconds = |kernels: f64, definitions: f64| {
                [kernels, definitions].map(|seconds| format!("{seconds:.2}"))
            };
            let seed = args.run.seed;
            let definitions = learn::<_, DefinitionTape>(&data, seed, additive)?.2;
            let kernels = learn::<_, KernelTape>(&data, seed, additive)?.2;
            row("additive", 10, &seconds(kernels, definitions));
            let definitions = learn::<_, DefinitionTape>(&data, seed, dot)?.2;
            let kernels = learn::<_, KernelTape>(&data, seed, dot)?.2;
            row("dot", 10, &seconds(kernels, definitions));
            return Ok(());
        }
        multiplications();
        println!("\nloss per token, 256 sentences, 60 epochs");
        row("", 10, &["parameters", "seed 0", "seed 1", "seed 2"]);
        let mut additive_losses = vec![];
        let mut dot_losses = vec![];
        for seed in 0..3 {
            additive_losses.push(learn::<_, KernelTape>(&data, seed, additive)?);
            dot_losses.push(learn::<_, KernelTape>(&data, seed, dot)?);
        }
        for (name, losses) in [("additive", additive_losses), ("dot", dot_losses)] {
            assert!(losses.iter().all(|(_, loss, _)| *loss < 0.8), "{name} learns");
            let cells = losses.iter().map(|(_, loss, _)| format!("{loss:.4}"));
            let parameters = losses[0].0.to_string();
            row(
                name,
                10,
                &std::iter::once(parameters).chain(cells).collect::<Vec<_>>(),
            );
        }
        Ok(())
    })
}
