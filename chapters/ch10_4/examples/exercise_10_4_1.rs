//! Exercise 1 of section 10.4: units of long short-term memory in place of
//! gated recurrent units, with the equations of PyTorch.

use anyhow::Result;
use ch10_2::parameters;
use ch10_2::parameters::Parameters;
use ch10_3::{uniform, xavier_uniform};
use ch10_4::BahdanauAttention;
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor2, Tensor3};
use seq2seq::context::Context;
use seq2seq::dataset::Dataset;
use seq2seq::embedding::Embedding;
use seq2seq::encoder::{Encoded, batch_first, steps_first};
use seq2seq::loss::{OutputLayer, masked_cross_entropy};
use seq2seq::train::{Loss, STEPS, Trainer};
use seq2seq::translator::{Config, Translator};
use seq2seq::vocab::{Batch, Vocabularies};
use std::mem::take;
use support::row;

/// One of the four parts: what comes from the input and from the state.
#[derive(Clone, Debug)]
struct Gate<const I: usize, const HIDDEN: usize> {
    w_i: Tensor2<I, HIDDEN>,
    w_h: Tensor2<HIDDEN, HIDDEN>,
    b: Tensor1<HIDDEN>,
}

parameters! { Gate<I, HIDDEN> { w_i, w_h, b } }

impl<const I: usize, const HIDDEN: usize> Gate<I, HIDDEN> {
    fn new(dev: &Dev) -> Self {
        Gate {
            w_i: xavier_uniform(dev, I, 4 * HIDDEN),
            w_h: xavier_uniform(dev, HIDDEN, 4 * HIDDEN),
            b: uniform(dev, 1.0 / (HIDDEN as f32).sqrt()),
        }
    }

    fn forward<const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: &Tensor2<B, I>,
        h: &Tensor2<B, HIDDEN>,
        tape: T,
    ) -> Tensor2<B, HIDDEN, T> {
        let x = x.clone().put_tape(tape).matmul(self.w_i.retaped::<T>());
        let h = h.retaped::<T>().matmul(self.w_h.retaped::<T>());
        x + h + self.b.retaped::<T>().broadcast()
    }
}

/// A layer of long short-term memory: the gates i, f, o and the proposal g.
#[derive(Clone, Debug)]
struct Lstm<const I: usize, const HIDDEN: usize> {
    i: Gate<I, HIDDEN>,
    f: Gate<I, HIDDEN>,
    g: Gate<I, HIDDEN>,
    o: Gate<I, HIDDEN>,
}

parameters! { Lstm<I, HIDDEN> { i, f, g, o } }

/// What goes from step to step: the state h, which others read, and the cell
/// c, which they do not.
struct State<const B: usize, const HIDDEN: usize> {
    h: Tensor2<B, HIDDEN>,
    c: Tensor2<B, HIDDEN>,
}

impl<const I: usize, const HIDDEN: usize> Lstm<I, HIDDEN> {
    fn new(dev: &Dev) -> Self {
        let gate = || Gate::new(dev);
        Lstm { i: gate(), f: gate(), g: gate(), o: gate() }
    }

    /// One step; the tape goes through.
    fn step<const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: &Tensor2<B, I>,
        state: &mut State<B, HIDDEN>,
        tape: T,
    ) -> T {
        let h = &state.h;
        let (i, tape) = self.i.forward(x, h, tape).sigmoid().split_tape();
        let (f, tape) = self.f.forward(x, h, tape).sigmoid().split_tape();
        let (o, tape) = self.o.forward(x, h, tape).sigmoid().split_tape();
        let g = self.g.forward(x, h, tape).tanh();
        let stays = f.retaped::<T>() * state.c.retaped::<T>();
        let (c, tape) = (g * i.retaped::<T>() + stays).split_tape();
        let h = c.clone().put_tape(tape).tanh() * o.retaped::<T>();
        let (h, tape) = h.split_tape();
        *state = State { h, c };
        tape
    }
}

/// Embeddings and states.
const WIDTH: usize = 32;
/// What a step of the decoder reads: an embedding and a context.
const BOTH: usize = 2 * WIDTH;
/// Sentences, in one batch.
const PAIRS: usize = 64;

/// An encoder and a decoder of one layer each, with attention.
struct Model {
    source: Embedding<WIDTH>,
    encoder: Lstm<WIDTH, WIDTH>,
    attention: BahdanauAttention<WIDTH>,
    target: Embedding<WIDTH>,
    decoder: Lstm<BOTH, WIDTH>,
    output: OutputLayer<WIDTH>,
}

parameters! { Model { source, encoder, attention, target, decoder, output } }

impl Model {
    fn new(dev: &Dev, (source, target): (usize, usize)) -> Self {
        Model {
            source: Embedding::new(dev, source),
            encoder: Lstm::new(dev),
            attention: BahdanauAttention::new(dev, 0.0),
            target: Embedding::new(dev, target),
            decoder: Lstm::new(dev),
            output: OutputLayer::new(dev, target),
        }
    }

    /// The losses of a batch, with teacher forcing.
    fn loss<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B, S>,
        tape: T,
    ) -> Tensor1<B, T> {
        let dev = self.output.bias.device();
        let mut state = State { h: dev.zeros(), c: dev.zeros() };
        let x = self.source.forward(&steps_first(&batch.source), tape);
        let outputs = steps(x, |x, tape| {
            let tape = self.encoder.step(&x, &mut state, tape);
            (state.h.clone(), tape)
        });
        let (outputs, tape) = outputs.split_tape();
        let lens = batch.source_lens;
        let encoded = Encoded { outputs, state: vec![], lens };
        let (memory, tape) = self.attention.memory(&encoded, tape);
        let x = self.target.forward(&steps_first(&batch.teacher_forcing()), tape);
        let states = steps(x, |x, tape| {
            // The query is h, which others read; c stays inside.
            let query = state.h.clone().put_tape(tape);
            let context = self.attention.context(query, &memory).context;
            let (x, tape) = side_by_side(context, x);
            let tape = self.decoder.step(&x, &mut state, tape);
            (state.h.clone(), tape)
        });
        let Batch { target, target_lens, .. } = batch;
        let OutputLayer { weight, bias } = &self.output;
        masked_cross_entropy(states, weight, bias, target, target_lens)
    }
}

/// Does a step for each of (S, B, WIDTH); the states are (B, S, WIDTH).
fn steps<const S: usize, const B: usize, T: Tape<f32, Dev>>(
    x: Tensor3<S, B, WIDTH, T>,
    mut step: impl FnMut(Tensor2<B, WIDTH>, T) -> (Tensor2<B, WIDTH>, T),
) -> Tensor3<B, S, WIDTH, T> {
    let (x, mut tape) = x.split_tape();
    let states: [Tensor2<B, WIDTH>; S] = std::array::from_fn(|s| {
        let all = x.clone().put_tape(take(&mut tape));
        let (x, so_far) = all.select(x.device().tensor(s)).split_tape();
        let (state, so_far) = step(x, so_far);
        tape = so_far;
        state
    });
    batch_first(states.map(|h| h.put_tape(take(&mut tape))).stack())
}

/// Two matrices as one. dfdx lays tensors of fixed axes on each other, (2, B,
/// WIDTH); side by side is the same with the axes swapped.
fn side_by_side<const B: usize, T: Tape<f32, Dev>>(
    a: Tensor2<B, WIDTH, T>,
    b: Tensor2<B, WIDTH>,
) -> (Tensor2<B, BOTH>, T) {
    let both: Tensor3<2, B, WIDTH, T> = [a, b.retaped()].stack();
    let both: Tensor3<B, 2, WIDTH, T> = both.permute();
    both.reshape::<Rank2<B, BOTH>>().split_tape()
}

/// Two steps of a unit whose numbers are given, against `nn.LSTMCell`.
fn as_in_pytorch(dev: &Dev) {
    // Parameter number n is sin(n) / 2, in the order of `parameters`.
    let mut unit: Lstm<2, 2> = Lstm::new(dev);
    let count = unit.count();
    let flat: Vec<f32> = (0..count).map(|n| (n as f32).sin() / 2.0).collect();
    unit.load_flat(&flat);
    let mut state = State { h: dev.zeros(), c: dev.zeros() };
    for x in [[[1.0, -0.5]], [[0.25, 2.0]]] {
        unit.step(&dev.tensor(x), &mut state, NoneTape);
    }
    let (h, c) = (state.h.array()[0], state.c.array()[0]);
    println!("h after two steps: {:.4} {:.4}", h[0], h[1]);
    println!("c after two steps: {:.4} {:.4}", c[0], c[1]);
    for (ours, theirs) in h.iter().chain(&c).zip(PYTORCH) {
        assert!((ours - theirs).abs() < 1e-5, "{ours}, not {theirs}");
    }
}

/// h and c from torch 2.15.
const PYTORCH: [f32; 4] = [0.162494, -0.275975, 0.261157, -0.360429];

/// The translator of 10.4, of one layer.
type WithGru = Translator<WIDTH, WIDTH, BahdanauAttention<WIDTH>>;

/// Trains on one batch; prints the loss per token, and returns that after 100
/// and after 150 steps.
fn learn<M: Parameters + Send>(
    name: &str,
    seed: u64,
    model: impl Fn(&Dev) -> M,
    loss: impl Fn(&M, &Batch<PAIRS, STEPS>) -> Loss + Sync,
    batch: &Batch<PAIRS, STEPS>,
) -> [f32; 2] {
    let mut trainer = Trainer::new(1, seed, 0.005, model);
    let mut cells = vec![];
    let mut losses = [0.0; 2];
    for step in 1..=150 {
        let sum = trainer.step(std::slice::from_ref(batch), &loss);
        if step == 1 || step % 50 == 0 {
            let each = sum * STEPS as f32 / batch.target_tokens() as f32;
            cells.push(format!("{each:.4}"));
            losses = [losses[1], each];
        }
    }
    let count = trainer.into_model().count();
    let first = [seed.to_string(), count.to_string()];
    row(name, 6, &[&first[..], &cells].concat());
    losses
}

fn main() -> Result<()> {
    as_in_pytorch(&Dev::default());
    let pairs = &Dataset::book().train[..PAIRS];
    let vocabularies = Vocabularies::new(pairs);
    let batch = Batch::new(pairs, &vocabularies)?;
    let sizes = vocabularies.sizes();
    println!("\nloss per token after so many steps, {PAIRS} sentences");
    row("", 6, &["seed", "count", "1", "50", "100", "150"]);
    let config = Config { layers: 1, embedding_dropout: 0.0, layer_dropout: 0.0 };
    for seed in 0..3 {
        let gru = |dev: &Dev| -> WithGru {
            Translator::new(dev, sizes, &config, BahdanauAttention::new(dev, 0.0))
        };
        let loss =
            |model: &WithGru, batch: &_| model.loss(batch, OwnedTape::default()).sum();
        let [gru_at_100, gru] = learn("GRU", seed, gru, loss, &batch);
        let lstm = |dev: &Dev| Model::new(dev, sizes);
        let loss =
            |model: &Model, batch: &_| model.loss(batch, OwnedTape::default()).sum();
        let [lstm_at_100, lstm] = learn("LSTM", seed, lstm, loss, &batch);
        assert!(gru_at_100 < lstm_at_100 && gru < 0.1 && lstm < 0.1);
    }
    Ok(())
}
