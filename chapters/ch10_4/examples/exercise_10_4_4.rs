//! Exercise 4 of section 10.4: an encoder that reads the sentence in both
//! directions, as the paper's does, on the rows of letters of exercise 3. `--models`
//! trains more than one.

use ch10_2::parameters;
use ch10_4::BahdanauAttention;
use ch10_4::task::letters::{LENGTHS, Outcome, ROWS, TOKENS, TRAINING_STEPS, learn};
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor2, Tensor3};
use seq2seq::decoder::Decoder;
use seq2seq::embedding::Embedding;
use seq2seq::encoder::{Encoded, batch_first, steps_first};
use seq2seq::greedy::greedy;
use seq2seq::gru::Gru;
use seq2seq::loss::masked_cross_entropy;
use seq2seq::train::Seq2SeqModel;
use seq2seq::translator::{Config, Translation};
use seq2seq::vocab::Batch;
use std::mem::take;
use std::process::ExitCode;
use support::{RunArgs, row, seeds};

/// The translator of 10.4 with two encoders of half the width, one for each
/// direction. `H` is that half, and `M` the width of the states.
#[derive(Clone, Debug)]
struct BothWays<const H: usize, const M: usize> {
    embedding: Embedding<M>,
    /// Reads from the first token to the last.
    forwards: Gru<M, H>,
    /// Reads from the last token to the first.
    backwards: Gru<M, H>,
    decoder: Decoder<M, M, BahdanauAttention<M>>,
}

parameters! { BothWays<H, M> { embedding, forwards, backwards, decoder } }

impl<const H: usize, const M: usize> BothWays<H, M> {
    fn new(dev: &Dev, (source, target): (usize, usize)) -> Self {
        let config = Config { layers: 1, embedding_dropout: 0.0, layer_dropout: 0.0 };
        let attention = BahdanauAttention::new(dev, 0.0);
        BothWays {
            embedding: Embedding::new(dev, source),
            forwards: Gru::new(dev, M, config.layers, 0.0),
            backwards: Gru::new(dev, M, config.layers, 0.0),
            decoder: Decoder::new(dev, target, &config, attention),
        }
    }

    /// Reads B sentences, pads included, in both directions. The state after a
    /// step is that of the one direction beside that of the other.
    fn encode<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &[[usize; S]; B],
        lens: &[usize; B],
        tape: T,
    ) -> (Encoded<B, S, M>, T) {
        let x = self.embedding.forward(&steps_first(tokens), tape);
        let (x, mut tape) = x.split_tape();
        let (mut there, mut back) = (self.forwards.start(), self.backwards.start());
        let outputs =
            self.forwards.forward(x.clone().put_tape(take(&mut tape)), &mut there);
        let (forwards, mut tape) = outputs.split_tape();
        let x = reversed(x.put_tape(take(&mut tape)));
        let outputs = reversed(self.backwards.forward(x, &mut back));
        let (backwards, tape) = outputs.split_tape();
        let (outputs, mut tape) = beside(forwards, backwards, tape);
        let state = there.into_iter().zip(back).map(|(there, back)| {
            let both = [there, back].map(|h| h.put_tape(take(&mut tape))).stack();
            let both: Tensor3<B, 2, H, T> = both.permute();
            let state: Tensor2<B, M, T> = both.reshape();
            let state = state.split_tape();
            tape = state.1;
            state.0
        });
        let state: Vec<Tensor2<B, M>> = state.collect();
        let (outputs, tape) = batch_first(outputs.put_tape(tape)).split_tape();
        (Encoded { outputs, state, lens: *lens }, tape)
    }

    /// As `Translator::translate`.
    fn translate<const S: usize>(
        &self,
        (source, len): ([usize; S], usize),
    ) -> Translation<S> {
        let (encoded, tape) = self.encode(&[source], &[len], NoneTape);
        let (mut state, _) = self.decoder.start(encoded, tape);
        let mut weights = Vec::new();
        let tokens = greedy(S, |token| {
            let (hidden, of_step) =
                self.decoder.forward(&[[token]], &mut state, NoneTape);
            weights.extend(of_step.iter().map(|weights| weights.array()[0]));
            self.decoder.output.logits(hidden).as_vec()
        });
        Translation { tokens, weights }
    }
}

/// The last step first: (S, B, N).
fn reversed<const S: usize, const B: usize, const N: usize, T: Tape<f32, Dev>>(
    x: Tensor3<S, B, N, T>,
) -> Tensor3<S, B, N, T> {
    let order: [usize; S] = std::array::from_fn(|s| S - 1 - s);
    let order = x.device().tensor(order);
    x.gather(order)
}

/// The numbers of `there`, then those of `back`: (S, B, H) twice to (S, B, M).
fn beside<const S: usize, const B: usize, const H: usize, const M: usize, T>(
    there: Tensor3<S, B, H>,
    back: Tensor3<S, B, H>,
    mut tape: T,
) -> (Tensor3<S, B, M>, T)
where
    T: Tape<f32, Dev>,
{
    let both = [there, back].map(|half| half.put_tape(take(&mut tape))).stack();
    let both: Tensor<Rank4<S, B, 2, H>, f32, Dev, T> =
        both.permute::<_, Axes4<1, 2, 0, 3>>();
    both.reshape::<Rank3<S, B, M>>().split_tape()
}

impl<const H: usize, const M: usize> Seq2SeqModel for BothWays<H, M> {
    fn loss<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B, S>,
        tape: T,
    ) -> Tensor1<B, T> {
        let Batch { source, source_lens, target, target_lens } = batch;
        let (encoded, tape) = self.encode(source, source_lens, tape);
        let (mut state, tape) = self.decoder.start(encoded, tape);
        let read = batch.teacher_forcing();
        let (states, _) = self.decoder.forward(&read, &mut state, tape);
        let output = &self.decoder.output;
        masked_cross_entropy(states, &output.weight, &output.bias, target, target_lens)
    }

    fn decode<const S: usize>(&self, source: ([usize; S], usize)) -> Vec<usize> {
        self.translate(source).tokens
    }
}

/// States of 32 numbers, 16 for each direction.
type Model = BothWays<16, 32>;

/// Reading in both directions
#[derive(clap::Parser)]
struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Train N models, each from a seed of its own
    #[arg(long, value_name = "N", value_parser = support::number(1..=1000))]
    models: Option<usize>,
}

fn main() -> ExitCode {
    support::run("exercise_10_4_4", |Args { run, models }: Args| {
        if models.is_some() {
            let settings = (TRAINING_STEPS, LENGTHS, ROWS, run.seed, models);
            run.print_settings(&settings, &[]);
        }
        println!("rows of so many letters, written backwards: right of {ROWS};");
        println!("the largest weight in the steps of rows that are right, in %");
        let columns = ["3", "5", "7", "9", "before", "on it", "after", "elsewhere"];
        row("seed", 6, &columns);
        for seed in seeds(run.seed, models.unwrap_or(1) as u64) {
            let model = learn(seed, |dev| Model::new(dev, (TOKENS, TOKENS)));
            let outcome = Outcome::new(|row| model.translate(row));
            let cells = [outcome.right, outcome.percent()].concat();
            row(&seed.to_string(), 6, &cells);
            assert!(outcome.right[3] > ROWS / 2 && outcome.percent()[1] > 90);
        }
        Ok(())
    })
}
