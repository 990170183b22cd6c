// ANCHOR: speed
//! What the programs of this book cost on this machine: a step of training, a
//! word, the parts of a step, and the types. No section tells it; the page
//! "How fast, and why" does. The numbers differ from run to run.

use anyhow::Result;
use ch10_1::Dev;
use ch10_3::{DotProductAttention, ValidLens};
use ch10_4::{Attention, DROPOUT};
use ch10_5::Projection;
use ch10_7::attention::{self, Seen};
use ch10_7::encoder::Positions;
use ch10_7::{
    LayerNorm, NormAt, PositionWiseFfn, Transformer, feed_forward, fused, norm, words,
};
use clap::Command;
use dfdx::prelude::*;
use rand_distr::StandardNormal as Standard;
use seq2seq::context::LastState;
use seq2seq::course::{BATCH, BOOK, Course, PART, STEPS, WORKERS};
use seq2seq::train::{Learner, Training};
use seq2seq::vocab::Batch;
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

fn main() -> ExitCode {
    let about = "What the programs of this book cost on this machine";
    let command = Command::new("speed").about(about);
    support::run_with("ch10_7", command, 0, |run, _| {
        let course = Course::book()?;
        models(&course, run.seed)?;
        let dev = Dev::seed_from_u64(run.seed);
        parts(&dev);
        types(&dev);
        Ok(())
    })
}
// ANCHOR_END: speed

// ANCHOR: speed_models
fn models(course: &Course, seed: u64) -> Result<()> {
    heading("A step of training, and a word that is written");
    println!("model                   parameters  ms a step  ms a word");
    model("GRU", course, seed, |dev| {
        course.translator::<M, M, _>(dev, &BOOK, LastState)
    })?;
    model("GRU with attention", course, seed, |dev| {
        let attention = Attention::new(dev, DROPOUT);
        course.translator::<M, M, _>(dev, &BOOK, attention)
    })?;
    model("Transformer, 1 layer", course, seed, |dev| transformer(dev, course, 1))?;
    model("Transformer, 2 layers", course, seed, |dev| transformer(dev, course, 2))
}

fn transformer(dev: &Dev, course: &Course, layers: usize) -> Transformer<M, H, D, FFN> {
    Transformer::new(dev, course.words(), layers, 0.1, NormAt::Post)
}

fn model<L: Learner>(
    name: &str,
    course: &Course,
    seed: u64,
    make: impl Fn(&Dev) -> L,
) -> Result<()> {
    let mut training = Training::new(WORKERS, seed, 0.001, make);
    let count = training.model().count();
    let parts = course.training[..BATCH].chunks(PART);
    let parts = parts.map(|pairs| Batch::new(pairs, &course.languages));
    let parts: Vec<Batch<PART, STEPS>> = parts.collect::<Result<_>>()?;
    let step = fastest(RUNS, || {
        black_box(training.step(&parts));
    });
    let row = course.languages.source.row(&course.asked[0].source);
    let model = training.into_model();
    let words = model.answer::<STEPS>(row).len() + 1;
    let word = fastest(RUNS, || {
        black_box(model.answer::<STEPS>(row));
    });
    let word = 1e3 * word / words.min(STEPS) as f64;
    println!("{name:24} {count:9} {:10.2} {word:10.3}", 1e3 * step);
    Ok(())
}
// ANCHOR_END: speed_models

// ANCHOR: speed_parts
type Plain<Form> = Tensor<Form, f32, Dev>;
type Taped<Form> = Tensor<Form, f32, Dev, OwnedTape<f32, Dev>>;
type Row = Rank3<PART, STEPS, M>;

/// The seconds of a pass there and back.
fn both_ways<Form: Shape>(mut there: impl FnMut() -> Taped<Form>) -> f64 {
    fastest(RUNS, || {
        let sum: Taped<Rank0> = there().sum();
        black_box(sum.backward());
    })
}

/// Parts of a step of two layers: how often, and the seconds composed and in
/// one pass.
struct Parts(Vec<(f64, [f64; 2])>);

impl Parts {
    fn tell(&mut self, name: &str, count: u32, composed: f64, one_pass: f64) {
        let (a, b) = (1e3 * composed, 1e3 * one_pass);
        println!("{name:24} {count:5} {a:10.3} {b:10.3} {:7.1}", a / b);
        self.0.push((f64::from(count), [a, b]));
    }

    /// What all of them take in a step, for one worker.
    fn sum(self) {
        let sum =
            |way: usize| self.0.iter().map(|(count, ms)| count * ms[way]).sum::<f64>();
        let (a, b) = (sum(0), sum(1));
        println!("{:24}       {a:10.3} {b:10.3} {:7.1}", "all, so often", a / b);
    }
}

fn parts(dev: &Dev) {
    heading("Parts of a step, there and back");
    println!("of {PART} sentences         times   composed   one pass   ratio");
    let mut all = Parts(Vec::new());
    let x: Plain<Row> = dev.sample_normal();
    let w: Projection<M, M, false> = Projection::new(dev);
    let composed = both_ways(|| attention::project(x.leaky_trace(), &w));
    let one_pass = both_ways(|| fused::project(x.leaky_trace(), &w));
    all.tell("linear layer", 24, composed, one_pass);

    heads(dev, &mut all);

    let ffn: PositionWiseFfn<M, FFN, M> = PositionWiseFfn::new(dev);
    let composed = both_ways(|| feed_forward::feed_forward(x.leaky_trace(), &ffn));
    let one_pass = both_ways(|| fused::feed_forward(x.leaky_trace(), &ffn));
    all.tell("feed-forward network", 4, composed, one_pass);

    let y: Plain<Row> = dev.sample_normal();
    let composed = both_ways(|| norm::add(x.clone(), y.leaky_trace(), 0.1));
    let one_pass = both_ways(|| fused::add(x.clone(), y.leaky_trace(), 0.1));
    all.tell("dropout and sum", 10, composed, one_pass);

    let layer: LayerNorm<M> = LayerNorm::new(dev);
    let composed = both_ways(|| norm::norm(x.leaky_trace(), &layer));
    let one_pass = both_ways(|| fused::norm(x.leaky_trace(), &layer));
    all.tell("layer normalisation", 10, composed, one_pass);

    ends(dev, &x, &mut all);
    all.sum();
}
// ANCHOR_END: speed_parts

// ANCHOR: speed_heads
fn heads(dev: &Dev, all: &mut Parts) {
    let attention = DotProductAttention { dropout: 0.1 };
    let [q, k, v] = [0; 3].map(|_| dev.sample_normal::<Row>());
    let lens = ValidLens::PerExample([STEPS; PART]);
    let seen = || Seen { keys: k.retaped(), values: v.retaped() };
    let composed = both_ways(|| {
        let (attention, queries) = (&attention, q.leaky_trace());
        attention::look::<PART, STEPS, STEPS, M, H, D, _>(
            attention,
            queries,
            seen(),
            &lens,
        )
        .output
    });
    let one_pass = both_ways(|| {
        let (attention, queries) = (&attention, q.leaky_trace());
        fused::look::<PART, STEPS, STEPS, M, H, D, _>(attention, queries, seen(), &lens)
            .output
    });
    all.tell("dot products of heads", 6, composed, one_pass);
}
// ANCHOR_END: speed_heads

// ANCHOR: speed_ends
fn ends(dev: &Dev, x: &Plain<Row>, all: &mut Parts) {
    const WORDS: usize = 344;
    let normal = rand_distr::StandardNormal;
    let vectors = dev.sample_like(&(WORDS, Const), normal);
    let positions: Positions<M> = Positions::new(dev, 0.1);
    let tokens = [[7; STEPS]; PART];
    let tape = OwnedTape::default;
    let composed = both_ways(|| words::embed(&tokens, &vectors, &positions, 0, tape()));
    let one_pass = both_ways(|| fused::embed(&tokens, &vectors, &positions, 0, tape()));
    all.tell("vectors of the words", 2, composed, one_pass);

    let (w, b) = (vectors, dev.zeros_like(&(WORDS,)));
    let (words, lens) = ((&w, &b), [STEPS; PART]);
    let composed = both_ways(|| words::losses(x.leaky_trace(), words, &tokens, &lens));
    let one_pass = both_ways(|| fused::losses(x.leaky_trace(), words, &tokens, &lens));
    all.tell("logits and loss", 1, composed, one_pass);
}
// ANCHOR_END: speed_ends

// ANCHOR: speed_types
/// The same product with the sizes in the types and as numbers of the run.
fn types(dev: &Dev) {
    heading("What the types cost");
    type Fixed = Rank3<PART, STEPS, M>;
    type Free = (usize, usize, usize);
    println!("shape in the type, bytes         {}", size_of::<Fixed>());
    println!("shape in numbers, bytes          {}", size_of::<Free>());
    // Where numbers lie in memory matters more than shapes: new ones each time.
    let (mut fixed, mut free) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..RUNS {
        let x: Plain<Fixed> = dev.sample_normal();
        let w: Plain<Rank2<M, M>> = dev.sample_normal();
        fixed = fixed.min(fastest(50, || {
            black_box(x.clone().matmul(w.clone()));
        }));
        let x: Plain<Free> = dev.sample_like(&(PART, STEPS, M), Standard);
        let w: Plain<(usize, usize)> = dev.sample_like(&(M, M), Standard);
        free = free.min(fastest(50, || {
            black_box(x.clone().matmul(w.clone()));
        }));
    }
    println!("product, sizes in the types, ms  {:.4}", 1e3 * fixed);
    println!("product, sizes as numbers, ms    {:.4}", 1e3 * free);
}
// ANCHOR_END: speed_types
