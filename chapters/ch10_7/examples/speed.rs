//! What the programs of this book cost on this machine: a step of training, a
//! token, kernels beside their definitions, and the types. The page "How fast,
//! and why" shows it. The numbers differ from run to run.

use anyhow::Result;
use ch10_2::parameters::Parameters;
use ch10_3::{AdditiveAttention, Linear, Mask, dropout};
use ch10_4::BahdanauAttention;
use ch10_5::MultiHeadAttention;
use ch10_7::{FeedForward, LayerNorm, NormPosition, TokenEmbedding, Transformer};
use dfdx::prelude::*;
use kernels::{DefinitionTape, Dev, Tensor2, Tensor3, onto_owned_tape};
use seq2seq::context::FixedContext;
use seq2seq::corpus;
use seq2seq::dataset::Dataset;
use seq2seq::gru::GruCell;
use seq2seq::loss::{OutputLayer, masked_cross_entropy};
use seq2seq::train::{BATCH, PART, STEPS, Seq2SeqModel, Trainer, WORKERS};
use seq2seq::translator::{Config, Translator};
use seq2seq::vocab::{Batch, EOS};
use std::hint::black_box;
use std::process::ExitCode;
use support::{fastest, heading};

/// The width, heads and network of the Transformer.
const M: usize = 64;
const H: usize = 4;
const D: usize = 16;
const FFN: usize = 128;
/// Of how many runs the shortest counts.
const RUNS: usize = 30;
const TOKENS: usize = 344;

fn main() -> ExitCode {
    let about = "What the programs of this book cost on this machine";
    support::run_plain("ch10_7", about, |run| {
        let settings = (M, H, D, FFN, RUNS, TOKENS, run.seed);
        run.print_settings(&settings, corpus::PAIRS.as_bytes());
        models(&Dataset::book(), run.seed)?;
        let dev = Dev::seed_from_u64(run.seed);
        parts(&dev);
        types(&dev);
        Ok(())
    })
}

fn models(data: &Dataset, seed: u64) -> Result<()> {
    heading("A step of training, and a token that is written");
    println!("model                   parameters  ms a step  ms a token");
    let sizes = data.vocabularies.sizes();
    let config = Config { layers: 1, embedding_dropout: 0.1, layer_dropout: 0.0 };
    model("GRU", data, seed, |dev| -> Translator<M, M, _> {
        Translator::new(dev, sizes, &config, FixedContext)
    })?;
    model("GRU with attention", data, seed, |dev| -> Translator<M, M, _> {
        Translator::new(dev, sizes, &config, BahdanauAttention::new(dev, 0.1))
    })?;
    for layers in [1, 2] {
        let name = format!("Transformer, {layers} layer{}", &"s"[..layers - 1]);
        model(&name, data, seed, |dev| -> Transformer<M, H, D, FFN> {
            Transformer::new(dev, sizes, layers, 0.1, NormPosition::Post)
        })?;
    }
    Ok(())
}

fn model<L: Seq2SeqModel>(
    name: &str,
    data: &Dataset,
    seed: u64,
    make: impl Fn(&Dev) -> L,
) -> Result<()> {
    let count = make(&Dev::default()).count();
    let mut trainer = Trainer::new(WORKERS, seed, 0.001, make);
    let parts = data.train[..BATCH].chunks(PART);
    let parts = parts.map(|pairs| Batch::new(pairs, &data.vocabularies));
    let parts: Vec<Batch<PART, STEPS>> = parts.collect::<Result<_>>()?;
    let step =
        fastest(RUNS, || {
            black_box(trainer.step(&parts, |model, part| {
                model.loss(part, OwnedTape::default()).sum()
            }));
        });
    let row = data.vocabularies.source.encode::<STEPS>(&data.held_out[0].source);
    let mut model = trainer.into_model();
    write_on(&mut model);
    assert_eq!(model.decode(row).len(), STEPS);
    let token = fastest(10 * RUNS, || {
        black_box(model.decode(row));
    });
    let token = 1e3 * token / STEPS as f64;
    println!("{name:24} {count:9} {:10.2} {token:11.3}", 1e3 * step);
    Ok(())
}

/// Makes the end of a sentence improbable: each model writes all its steps.
fn write_on(model: &mut impl Parameters) {
    let mut parameters = model.parameters();
    let bias = parameters.iter_mut().find(|(name, _)| name.ends_with("output.bias"));
    let (_, bias) = bias.expect("a model ends with an output layer");
    let mut values = Vec::new();
    bias.append_to(&mut values);
    values[EOS] = -1e9;
    bias.load_from(&values);
}

type Rows = Tensor3<PART, STEPS, M>;

/// Prints the milliseconds of an operation, forward and backward, by its
/// definition and by its kernel, and evaluates to both. A macro, because the
/// expression has another type with each tape.
macro_rules! both {
    ($name:expr, $forward:expr $(,)?) => {{
        let kernel = milliseconds::<_, OwnedTape<f32, Dev>>($forward);
        let definition = milliseconds::<_, DefinitionTape>($forward);
        let ratio = definition / kernel;
        println!("{:26} {definition:10.3} {kernel:10.3} {ratio:7.1}", $name);
        [definition, kernel]
    }};
}

fn milliseconds<S: Shape, T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>>(
    forward: impl Fn() -> Tensor<S, f32, Dev, T>,
) -> f64 {
    1e3 * fastest(RUNS, || {
        let sum = onto_owned_tape(forward()).sum::<Rank0, _>();
        black_box(sum.backward());
    })
}

fn parts(dev: &Dev) {
    heading("Kernels, forward and backward");
    println!("ms, {PART} sentences           definition     kernel   ratio");
    let [x, y, z]: [Rows; 3] = [0; 3].map(|_| dev.sample_normal());
    let mut sum = [0.0; 2];
    let mut of_a_step = |count: usize, times: [f64; 2]| {
        sum = [0, 1].map(|way| sum[way] + count as f64 * times[way]);
    };
    let linear: Linear<M, M> = Linear::new(dev);
    let times = both!("linear layer", || linear.forward(x.retaped()));
    of_a_step(24, times);
    let attention: MultiHeadAttention<M, H, D> = MultiHeadAttention::new(dev, 0.1);
    let lens = Mask::valid_lens([STEPS; PART]);
    let times = both!("attention of the heads", || {
        let kv = ch10_5::KeyValues { keys: y.retaped(), values: z.retaped() };
        attention.attend_heads(x.retaped(), kv, &lens).output
    });
    of_a_step(6, times);
    let network: FeedForward<M, FFN> = FeedForward::new(dev);
    let times = both!("feed-forward network", || network.forward(x.retaped()));
    of_a_step(4, times);
    let times = both!("dropout and sum", || {
        kernels::dropout_add(x.clone(), y.retaped(), 0.1, |x, y| dropout(y, 0.1) + x)
    });
    of_a_step(10, times);
    let norm: LayerNorm<M> = LayerNorm::new(dev);
    let times = both!("layer normalisation", || norm.forward(x.retaped()));
    of_a_step(10, times);
    let tokens = [[7; STEPS]; PART];
    let embedding: TokenEmbedding<M> = TokenEmbedding::new(dev, TOKENS, 0.1);
    let times = both!("embedding and positions", || {
        embedding.forward(&tokens, 0, Default::default())
    });
    of_a_step(2, times);
    let OutputLayer { weight, bias } = OutputLayer::<M>::new(dev, TOKENS);
    let times = both!("logits and loss", || {
        masked_cross_entropy(x.retaped(), &weight, &bias, &tokens, &[STEPS; PART])
    });
    of_a_step(1, times);
    let additive: AdditiveAttention<M, M, M> = AdditiveAttention::new(dev, 0.1);
    both!("additive attention", || {
        additive.forward_projected(x.retaped(), y.retaped(), z.retaped(), &lens).output
    });
    let cell: GruCell<M, M> = GruCell::new(dev, M);
    let steps: Tensor3<STEPS, PART, M> = dev.sample_normal();
    both!("gated recurrent unit", || {
        let mut h: Tensor2<PART, M> = dev.zeros();
        cell.forward(steps.retaped(), &mut h)
    });
    let [definition, kernel] = sum;
    let ratio = definition / kernel;
    let half = "half a step, 2 layers";
    println!("\n{half:26} {definition:10.3} {kernel:10.3} {ratio:7.1}");
}

/// The same product with the sizes in the types and as numbers of the run.
fn types(dev: &Dev) {
    heading("What the types cost");
    type Free = (usize, usize, usize);
    println!("shape in the type, bytes         {}", size_of::<Rank3<PART, STEPS, M>>());
    println!("shape in numbers, bytes          {}", size_of::<Free>());
    let normal = rand_distr::StandardNormal;
    let (mut fixed, mut free) = (f64::INFINITY, f64::INFINITY);
    // Where numbers lie in memory matters more than shapes: new ones each time.
    for _ in 0..RUNS {
        let x: Rows = dev.sample_normal();
        let w: Tensor2<M, M> = dev.sample_normal();
        fixed = fixed.min(fastest(50, || {
            black_box(x.clone().matmul(w.clone()));
        }));
        let x: Tensor<Free, f32, Dev> = dev.sample_like(&(PART, STEPS, M), normal);
        let w: Tensor<(usize, usize), f32, Dev> = dev.sample_like(&(M, M), normal);
        free = free.min(fastest(50, || {
            black_box(x.clone().matmul(w.clone()));
        }));
    }
    println!("product, sizes in the types, ms  {:.4}", 1e3 * fixed);
    println!("product, sizes as numbers, ms    {:.4}", 1e3 * free);
}
