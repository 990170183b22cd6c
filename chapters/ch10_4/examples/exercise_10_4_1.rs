//! Exercise 1 of section 10.4: units of long short-term memory in place of
//! gated recurrent units, with the equations of PyTorch.

use anyhow::Result;
use ch10_1::Dev;
use ch10_4::Attention;
use dfdx::prelude::*;
use rand_distr::StandardNormal;
use seq2seq::context::Context;
use seq2seq::course::{Course, STEPS};
use seq2seq::encoder::Encoded;
use seq2seq::gru::{stacked, uniform, xavier};
use seq2seq::loss::losses;
use seq2seq::parameters::{Named, Parameters, within};
use seq2seq::train::{Adam, clip};
use seq2seq::translator::{Dropouts, Translator};
use seq2seq::vocab::{Batch, Languages};
use seq2seq::words::{Embedding, embed};
use support::row;

/// A matrix of numbers for B sentences.
type Rows<const B: usize, const O: usize, T = NoneTape> =
    Tensor<Rank2<B, O>, f32, Dev, T>;

/// One of the four parts: what comes from the input and from the state.
#[derive(Clone, Debug)]
struct Gate<const I: usize, const HIDDEN: usize> {
    w_i: Tensor<Rank2<I, HIDDEN>, f32, Dev>,
    w_h: Tensor<Rank2<HIDDEN, HIDDEN>, f32, Dev>,
    b: Tensor<Rank1<HIDDEN>, f32, Dev>,
}

impl<const I: usize, const HIDDEN: usize> Gate<I, HIDDEN> {
    fn new(dev: &Dev) -> Self {
        Gate {
            w_i: uniform(dev, xavier(I, 4 * HIDDEN)),
            w_h: uniform(dev, xavier(HIDDEN, 4 * HIDDEN)),
            b: uniform(dev, 1.0 / (HIDDEN as f32).sqrt()),
        }
    }

    fn forward<const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: &Rows<B, I>,
        h: &Rows<B, HIDDEN>,
        tape: T,
    ) -> Rows<B, HIDDEN, T> {
        let x = x.clone().put_tape(tape).matmul(self.w_i.retaped::<T>());
        let h = h.retaped::<T>().matmul(self.w_h.retaped::<T>());
        x + h + self.b.retaped::<T>().broadcast()
    }
}

/// A layer of long short-term memory: the gates i, f, o and the proposal g.
#[derive(Clone, Debug)]
struct Lstm<const I: usize, const HIDDEN: usize> {
    gates: [Gate<I, HIDDEN>; 4],
}

/// What goes from step to step: the state h, which is seen from outside, and
/// the cell c, which is not.
struct State<const B: usize, const HIDDEN: usize> {
    h: Rows<B, HIDDEN>,
    c: Rows<B, HIDDEN>,
}

impl<const I: usize, const HIDDEN: usize> Lstm<I, HIDDEN> {
    fn new(dev: &Dev) -> Self {
        Lstm { gates: std::array::from_fn(|_| Gate::new(dev)) }
    }

    /// One step; the tape goes through.
    fn step<const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: &Rows<B, I>,
        state: &mut State<B, HIDDEN>,
        tape: T,
    ) -> T {
        let [i, f, g, o] = &self.gates;
        let h = &state.h;
        let (i, tape) = i.forward(x, h, tape).sigmoid().split_tape();
        let (f, tape) = f.forward(x, h, tape).sigmoid().split_tape();
        let (o, tape) = o.forward(x, h, tape).sigmoid().split_tape();
        let g = g.forward(x, h, tape).tanh();
        let kept = f.retaped::<T>() * state.c.retaped::<T>();
        let c = g * i.retaped::<T>() + kept;
        let (c, tape) = c.split_tape();
        let h = c.clone().put_tape(tape).tanh() * o.retaped::<T>();
        let (h, tape) = h.split_tape();
        *state = State { h, c };
        tape
    }
}

impl<const I: usize, const HIDDEN: usize> Parameters for Lstm<I, HIDDEN> {
    fn parameters(&mut self) -> Named<'_> {
        let mut all: Named = vec![];
        for (name, gate) in "ifgo".chars().zip(&mut self.gates) {
            all.push((format!("w_i{name}"), &mut gate.w_i));
            all.push((format!("w_h{name}"), &mut gate.w_h));
            all.push((format!("b_{name}"), &mut gate.b));
        }
        all
    }
}

/// Embeddings and states.
const WIDTH: usize = 32;
/// What a step of the decoder reads: an embedding and a context.
const BOTH: usize = 2 * WIDTH;
/// Sentences, in one batch.
const PAIRS: usize = 64;
const EPOCHS: usize = 150;

/// An encoder and a decoder of one layer each, with attention.
struct Model {
    read: Embedding<WIDTH>,
    encoder: Lstm<WIDTH, WIDTH>,
    attention: Attention<WIDTH>,
    written: Embedding<WIDTH>,
    decoder: Lstm<BOTH, WIDTH>,
    w_out: Tensor<(usize, Const<WIDTH>), f32, Dev>,
    b_out: Tensor<(usize,), f32, Dev>,
}

impl Model {
    fn new(dev: &Dev, (read, written): (usize, usize)) -> Self {
        let vectors = |words| dev.sample_like(&(words, Const), StandardNormal);
        Model {
            read: vectors(read),
            encoder: Lstm::new(dev),
            attention: Attention::new(dev, 0.0),
            written: vectors(written),
            decoder: Lstm::new(dev),
            w_out: vectors(written) * 0.1,
            b_out: dev.zeros_like(&(written,)),
        }
    }

    /// The losses of a batch, with teacher forcing.
    fn loss<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B, S>,
        tape: T,
    ) -> Tensor<Rank1<B>, f32, Dev, T> {
        let dev = self.b_out.device();
        let mut state = State { h: dev.zeros(), c: dev.zeros() };
        let x = embed(&batch.source, &self.read, tape);
        let (x, mut tape) = x.split_tape();
        let outputs: [Rows<B, WIDTH>; S] = std::array::from_fn(|s| {
            let (x, so_far) = step_of(&x, s, std::mem::take(&mut tape));
            tape = self.encoder.step(&x, &mut state, so_far);
            state.h.clone()
        });
        let (outputs, tape) = stacked(outputs, tape).split_tape();
        let lens = batch.source_lens;
        let encoded = Encoded { outputs, state: vec![], lens };
        let (memory, tape) = self.attention.memory(&encoded, tape);
        let x = embed(&batch.forced(), &self.written, tape);
        let (x, mut tape) = x.split_tape();
        let states: [Rows<B, WIDTH>; S] = std::array::from_fn(|s| {
            // The query is h, what the unit shows; c is its own business.
            let query = state.h.clone().put_tape(std::mem::take(&mut tape));
            let (context, _) = self.attention.context(query, &memory);
            let (context, so_far) = context.split_tape();
            let (x, so_far) = step_of(&x, s, so_far);
            let (x, so_far) = side_by_side(x, context, so_far);
            tape = self.decoder.step(&x, &mut state, so_far);
            state.h.clone()
        });
        let words = (&self.w_out, &self.b_out);
        let states = stacked(states, tape);
        losses(states, words, &batch.target, &batch.target_lens)
    }
}

/// What all sentences read in step `s`.
fn step_of<const S: usize, const B: usize, T: Tape<f32, Dev>>(
    x: &Tensor<Rank3<S, B, WIDTH>, f32, Dev>,
    s: usize,
    tape: T,
) -> (Rows<B, WIDTH>, T) {
    let s = x.device().tensor(s);
    x.clone().put_tape(tape).select(s).split_tape()
}

/// Embeddings and contexts as one matrix. dfdx lays tensors of fixed axes on
/// each other, (2, B, WIDTH); side by side is the same with the axes swapped.
fn side_by_side<const B: usize, T: Tape<f32, Dev>>(
    a: Rows<B, WIDTH>,
    b: Rows<B, WIDTH>,
    tape: T,
) -> (Rows<B, BOTH>, T) {
    let both: Tensor<Rank3<2, B, WIDTH>, f32, Dev, T> =
        [a.put_tape(tape), b.retaped()].stack();
    let both: Tensor<Rank3<B, 2, WIDTH>, f32, Dev, T> = both.permute();
    both.reshape::<Rank2<B, BOTH>>().split_tape()
}

impl Parameters for Model {
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("encoder", self.encoder.parameters());
        all.extend(within("decoder", self.decoder.parameters()));
        all.extend(within("attention", self.attention.parameters()));
        all.push(("read".into(), &mut self.read));
        all.push(("written".into(), &mut self.written));
        all.push(("w_out".into(), &mut self.w_out));
        all.push(("b_out".into(), &mut self.b_out));
        all
    }
}

/// Two steps of a unit whose numbers are given, against `nn.LSTMCell`.
fn as_in_pytorch(dev: &Dev) {
    // Parameter number n is sin(n) / 2, in the order of `parameters`.
    let mut unit: Lstm<2, 2> = Lstm::new(dev);
    let count = unit.count();
    let row: Vec<f32> = (0..count).map(|n| (n as f32).sin() / 2.0).collect();
    unit.set_row(&row);
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

/// A model and how its loss is computed.
trait Learns: Parameters {
    fn losses(&self, batch: &Batch<PAIRS, STEPS>) -> Losses;
}

type Losses = Tensor<Rank1<PAIRS>, f32, Dev, OwnedTape<f32, Dev>>;

impl Learns for Model {
    fn losses(&self, batch: &Batch<PAIRS, STEPS>) -> Losses {
        self.loss(batch, OwnedTape::default())
    }
}

/// The translator of 10.4, of one layer.
type WithGru = Translator<WIDTH, WIDTH, Attention<WIDTH>>;

impl Learns for WithGru {
    fn losses(&self, batch: &Batch<PAIRS, STEPS>) -> Losses {
        self.loss(batch, OwnedTape::default())
    }
}

/// Trains on one batch; prints the loss a token, and gives the last one.
fn learn(name: &str, model: &mut impl Learns, batch: &Batch<PAIRS, STEPS>) -> f32 {
    let mut row_of_all = model.row();
    let mut adam = Adam::new(row_of_all.len(), 0.005);
    let mut told = vec![row_of_all.len().to_string()];
    let mut last = 0.0;
    for epoch in 1..=EPOCHS {
        let losses = model.losses(batch).sum::<Rank0, _>();
        last = losses.array() * STEPS as f32 / batch.tokens() as f32;
        let mut gradients = model.gradient(losses.backward());
        clip(&mut gradients, 1.0);
        adam.update(&mut row_of_all, &gradients);
        model.set_row(&row_of_all);
        if epoch == 1 || epoch % 50 == 0 {
            told.push(format!("{last:.4}"));
        }
    }
    row(name, 6, &told);
    last
}

fn main() -> Result<()> {
    let dev = Dev::seed_from_u64(0);
    as_in_pytorch(&dev);
    let mut course = Course::book()?;
    course.training.truncate(PAIRS);
    let languages = Languages::of(&course.training);
    let batch = Batch::new(&course.training, &languages)?;
    let count = (languages.source.tokens().len(), languages.target.tokens().len());
    println!("\nloss a token after so many steps, {PAIRS} sentences");
    row("", 6, &["parameters", "1", "50", "100", "150"]);
    let attention = Attention::new(&dev, 0.0);
    let mut gru: WithGru =
        Translator::new(&dev, count, 1, Dropouts::default(), attention);
    let with_gru = learn("GRU", &mut gru, &batch);
    let with_lstm = learn("LSTM", &mut Model::new(&dev, count), &batch);
    assert!(with_gru < 1.0 && with_lstm < 1.0);
    Ok(())
}
