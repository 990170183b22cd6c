//! Interlude, from one language to another: an encoder that reads, a decoder
//! that writes, and what passes between them.

use crate::gru::{Gru, State, stacked, uniform, xavier};
use crate::loss::logits;
use crate::ops;
use crate::parameters::{Named, Parameters, within};
use crate::vocab::{BOS, Batch, EOS};
use ch10_1::Dev;
use dfdx::prelude::*;

/// A vector for each word. How many words there are is known only when the
/// sentences are read, so that one axis is not in the type.
pub type Embedding<const EMBED: usize> =
    Tensor<(usize, Const<EMBED>), f32, Dev>;

/// The vectors of the tokens, steps first.
pub fn embed<
    const S: usize,
    const B: usize,
    const EMBED: usize,
    T: Tape<f32, Dev>,
>(
    tokens: &[[usize; S]; B],
    w: &Embedding<EMBED>,
    tape: T,
) -> Tensor<Rank3<S, B, EMBED>, f32, Dev, T> {
    let by_step: [[usize; B]; S] =
        std::array::from_fn(|s| std::array::from_fn(|b| tokens[b][s]));
    w.clone().put_tape(tape).gather(w.device().tensor(by_step))
}

/// Reads sentences.
#[derive(Clone, Debug)]
pub struct Encoder<const EMBED: usize, const HIDDEN: usize> {
    /// The vectors of the words that are read.
    pub embedding: Embedding<EMBED>,
    /// Reads them step by step.
    pub rnn: Gru<EMBED, HIDDEN>,
}

/// What an encoder made of sentences.
pub struct Encoded<const S: usize, const B: usize, const HIDDEN: usize> {
    /// The states of the last layer after each step.
    pub outputs: Tensor<Rank3<S, B, HIDDEN>, f32, Dev>,
    /// The states of all layers after the last step.
    pub state: State<B, HIDDEN>,
    /// How many tokens of each sentence count.
    pub lens: [usize; B],
}

impl<const EMBED: usize, const HIDDEN: usize> Encoder<EMBED, HIDDEN> {
    /// Reads B sentences of S tokens.
    pub fn forward<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &[[usize; S]; B],
        lens: &[usize; B],
        tape: T,
    ) -> (Encoded<S, B, HIDDEN>, T) {
        let x = ops::embed(tokens, &self.embedding, tape);
        let mut state = self.rnn.start();
        let (outputs, tape) = self.rnn.forward(x, &mut state).split_tape();
        (Encoded { outputs, state, lens: *lens }, tape)
    }
}

/// How a decoder looks back at what was read: the **context** of a step.
pub trait Context<const HIDDEN: usize>: Parameters {
    /// What is prepared once for sentences.
    type Memory<const S: usize, const B: usize>;

    /// Prepares it.
    fn memory<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        encoded: &Encoded<S, B, HIDDEN>,
        tape: T,
    ) -> (Self::Memory<S, B>, T);

    /// The context for the step after the one that left the last layer of the
    /// decoder in the state `query`; and the weights, if it attends.
    fn context<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        query: Tensor<Rank2<B, HIDDEN>, f32, Dev, T>,
        memory: &Self::Memory<S, B>,
    ) -> Looked<S, B, HIDDEN, T>;
}

/// A context and, if it was attended for, the weights of the tokens read.
pub type Looked<const S: usize, const B: usize, const HIDDEN: usize, T> = (
    Tensor<Rank2<B, HIDDEN>, f32, Dev, T>,
    Option<Tensor<Rank2<B, S>, f32, Dev>>,
);

/// One context for all steps: the state in which the encoder ended.
#[derive(Clone, Debug, Default)]
pub struct LastState;

impl Parameters for LastState {
    fn parameters(&mut self) -> Named<'_> {
        vec![]
    }
}

impl<const HIDDEN: usize> Context<HIDDEN> for LastState {
    type Memory<const S: usize, const B: usize> =
        Tensor<Rank2<B, HIDDEN>, f32, Dev>;

    fn memory<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        encoded: &Encoded<S, B, HIDDEN>,
        tape: T,
    ) -> (Self::Memory<S, B>, T) {
        (encoded.state[encoded.state.len() - 1].clone(), tape)
    }

    fn context<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        query: Tensor<Rank2<B, HIDDEN>, f32, Dev, T>,
        memory: &Self::Memory<S, B>,
    ) -> Looked<S, B, HIDDEN, T> {
        let (_, tape) = query.split_tape();
        (memory.clone().put_tape(tape), None)
    }
}

/// Writes sentences.
#[derive(Clone, Debug)]
pub struct Decoder<const EMBED: usize, const HIDDEN: usize, C> {
    /// The vectors of the words that are written.
    pub embedding: Embedding<EMBED>,
    /// How it looks back.
    pub context: C,
    /// From the context to the gates of the first layer.
    pub w_context: Tensor<Rank3<3, HIDDEN, HIDDEN>, f32, Dev>,
    /// Its steps.
    pub rnn: Gru<EMBED, HIDDEN>,
    /// From the state of the last layer to the logits of the words.
    pub w_out: Tensor<(usize, Const<HIDDEN>), f32, Dev>,
    /// Added to them.
    pub b_out: Tensor<(usize,), f32, Dev>,
}

/// Where the decoder stands: its state and the memory of what was read.
pub struct Writing<const B: usize, const HIDDEN: usize, M> {
    /// The states of all layers.
    pub state: State<B, HIDDEN>,
    /// What its context is taken from.
    pub memory: M,
}

impl<const EMBED: usize, const HIDDEN: usize, C: Context<HIDDEN>>
    Decoder<EMBED, HIDDEN, C>
{
    /// Ready for the first step: in the state in which the encoder ended.
    pub fn start<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        encoded: Encoded<S, B, HIDDEN>,
        tape: T,
    ) -> (Writing<B, HIDDEN, C::Memory<S, B>>, T) {
        let (memory, tape) = self.context.memory(&encoded, tape);
        (Writing { state: encoded.state, memory }, tape)
    }

    /// One step: from what the token contributes to the gates of the first
    /// layer to the new state of the last one.
    fn step<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        token: Tensor<Rank3<3, B, HIDDEN>, f32, Dev, T>,
        writing: &mut Writing<B, HIDDEN, C::Memory<S, B>>,
    ) -> Looked<S, B, HIDDEN, T> {
        let (token, tape) = token.split_tape();
        let last = &writing.state[writing.state.len() - 1];
        let query = last.clone().put_tape(tape);
        let (context, weights) = self.context.context(query, &writing.memory);
        let context: Tensor<Rank3<1, B, HIDDEN>, f32, Dev, T> =
            context.reshape();
        let context = ops::to_gates(context, &self.w_context).reshape();
        let state = self.rnn.step(context + token, &mut writing.state);
        (state, weights)
    }

    /// N steps, each after reading the token of `tokens` before it: the
    /// states of the last layer, and the weights of each step if it attends.
    pub fn forward<
        const S: usize,
        const B: usize,
        const N: usize,
        T: Tape<f32, Dev>,
    >(
        &self,
        tokens: &[[usize; N]; B],
        writing: &mut Writing<B, HIDDEN, C::Memory<S, B>>,
        tape: T,
    ) -> Written<S, B, HIDDEN, N, T> {
        let x = ops::embed(tokens, &self.embedding, tape);
        let (x, mut tape) = ops::steps(self.rnn.first.input(x));
        let mut weights = Vec::new();
        let states = x.map(|x| {
            let x = x.put_tape(std::mem::take(&mut tape));
            let (state, looked) = self.step(x, writing);
            weights.extend(looked);
            let (state, so_far) = state.split_tape();
            tape = so_far;
            state
        });
        (stacked(states, tape), weights)
    }

    /// The matrix and the bias that turn a state into logits.
    pub fn words(
        &self,
    ) -> (
        &Tensor<(usize, Const<HIDDEN>), f32, Dev>,
        &Tensor<(usize,), f32, Dev>,
    ) {
        (&self.w_out, &self.b_out)
    }
}

/// States of N steps, and the weights of each.
pub type Written<
    const S: usize,
    const B: usize,
    const HIDDEN: usize,
    const N: usize,
    T,
> = (
    Tensor<Rank3<N, B, HIDDEN>, f32, Dev, T>,
    Vec<Tensor<Rank2<B, S>, f32, Dev>>,
);

/// An encoder and a decoder.
#[derive(Clone, Debug)]
pub struct Translator<const EMBED: usize, const HIDDEN: usize, C> {
    /// Reads.
    pub encoder: Encoder<EMBED, HIDDEN>,
    /// Writes.
    pub decoder: Decoder<EMBED, HIDDEN, C>,
}

impl<const EMBED: usize, const HIDDEN: usize, C: Context<HIDDEN>>
    Translator<EMBED, HIDDEN, C>
{
    /// A model as training starts from it, for `words` of the language that
    /// is read and of the one that is written.
    pub fn new(
        dev: &Dev,
        words: (usize, usize),
        layers: usize,
        dropout: f32,
        context: C,
    ) -> Self {
        let normal = rand_distr::StandardNormal;
        let vectors =
            |words| dev.sample_like(&(words, Const::<EMBED>), normal);
        let inputs = EMBED + HIDDEN;
        let bias = 1.0 / (HIDDEN as f32).sqrt();
        let out = xavier(HIDDEN, words.1);
        let within = |bound: f32| rand_distr::Uniform::new(-bound, bound);
        let encoder = Encoder {
            embedding: vectors(words.0),
            rnn: Gru::new(dev, EMBED, layers, dropout),
        };
        let decoder = Decoder {
            embedding: vectors(words.1),
            context,
            w_context: uniform(dev, xavier(inputs, 3 * HIDDEN)),
            rnn: Gru::new(dev, inputs, layers, dropout),
            w_out: dev.sample_like(&(words.1, Const), within(out)),
            b_out: dev.sample_like(&(words.1,), within(bias)),
        };
        Translator { encoder, decoder }
    }

    /// The loss of each pair of a batch, with teacher forcing.
    pub fn loss<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B, S>,
        tape: T,
    ) -> Tensor<Rank1<B>, f32, Dev, T> {
        let (encoded, tape) =
            self.encoder.forward(&batch.source, &batch.source_lens, tape);
        let (mut writing, tape) = self.decoder.start(encoded, tape);
        let (states, _) =
            self.decoder.forward(&batch.forced(), &mut writing, tape);
        let words = self.decoder.words();
        ops::losses(states, words, &batch.target, &batch.target_lens)
    }

    /// Translates a sentence: at each step the most probable token, until it
    /// is the end or S are written. Beside the tokens, the weights of each
    /// step if the decoder attends.
    pub fn translate<const S: usize>(
        &self,
        (source, len): ([usize; S], usize),
    ) -> (Vec<usize>, Vec<[f32; S]>) {
        let (encoded, tape) =
            self.encoder.forward(&[source], &[len], NoneTape);
        let (mut writing, _) = self.decoder.start(encoded, tape);
        let (mut written, mut weights) = (Vec::new(), Vec::new());
        let mut token = BOS;
        while written.len() < S {
            let (state, looked) =
                self.decoder.forward(&[[token]], &mut writing, NoneTape);
            let logits = logits(state, self.decoder.words());
            token = most_probable(&logits.as_vec());
            if token == EOS {
                break;
            }
            written.push(token);
            weights.extend(looked.iter().map(|row| row.array()[0]));
        }
        (written, weights)
    }
}

fn most_probable(logits: &[f32]) -> usize {
    let words = logits.iter().enumerate();
    words.max_by(|a, b| a.1.total_cmp(b.1)).map_or(EOS, |(word, _)| word)
}

impl<const EMBED: usize, const HIDDEN: usize> Parameters
    for Encoder<EMBED, HIDDEN>
{
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("rnn", self.rnn.parameters());
        all.push(("embedding".into(), &mut self.embedding));
        all
    }
}

impl<const EMBED: usize, const HIDDEN: usize, C: Parameters> Parameters
    for Decoder<EMBED, HIDDEN, C>
{
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("rnn", self.rnn.parameters());
        all.extend(within("context", self.context.parameters()));
        all.push(("embedding".into(), &mut self.embedding));
        all.push(("w_context".into(), &mut self.w_context));
        all.push(("w_out".into(), &mut self.w_out));
        all.push(("b_out".into(), &mut self.b_out));
        all
    }
}

impl<const EMBED: usize, const HIDDEN: usize, C: Parameters> Parameters
    for Translator<EMBED, HIDDEN, C>
{
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("encoder", self.encoder.parameters());
        all.extend(within("decoder", self.decoder.parameters()));
        all
    }
}
