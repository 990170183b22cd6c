//! Exercise 2 of section 10.4: the scaled dot product in place of the
//! additive score. `--time` adds how long the trainings took, which is not
//! the same in any two runs.

use anyhow::Result;
use ch10_1::Dev;
use ch10_3::{DotProductAttention, ValidLens};
use ch10_4::Attention;
use clap::{Arg, ArgAction, Command};
use dfdx::prelude::*;
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::context::{Context, Looked};
use seq2seq::course::{Course, STEPS, WORKERS};
use seq2seq::encoder::Encoded;
use seq2seq::parameters::{Named, Parameters};
use seq2seq::train::Training;
use seq2seq::translator::{Dropouts, Translator};
use seq2seq::vocab::Languages;
use std::process::ExitCode;
use std::time::Instant;
use support::row;

const WIDTH: usize = 32;

/// Attention by the scaled dot product. It has nothing to learn.
#[derive(Clone, Debug)]
struct DotAttention(DotProductAttention);

impl Parameters for DotAttention {
    fn parameters(&mut self) -> Named<'_> {
        vec![]
    }
}

/// The encoder's outputs, keys and values in one, and how many count.
struct Outputs<const S: usize, const B: usize, const HIDDEN: usize> {
    outputs: Tensor<Rank3<B, S, HIDDEN>, f32, Dev>,
    lens: ValidLens<B, 1>,
}

impl<const HIDDEN: usize> Context<HIDDEN> for DotAttention {
    type Memory<const S: usize, const B: usize> = Outputs<S, B, HIDDEN>;

    fn memory<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        encoded: &Encoded<S, B, HIDDEN>,
        tape: T,
    ) -> (Outputs<S, B, HIDDEN>, T) {
        let outputs = encoded.outputs.clone().put_tape(tape);
        let outputs: Tensor<Rank3<B, S, HIDDEN>, f32, Dev, T> =
            outputs.permute::<_, Axes3<1, 0, 2>>().contiguous();
        let (outputs, tape) = outputs.split_tape();
        let lens = ValidLens::PerExample(encoded.lens);
        (Outputs { outputs, lens }, tape)
    }

    fn context<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        query: Tensor<Rank2<B, HIDDEN>, f32, Dev, T>,
        memory: &Outputs<S, B, HIDDEN>,
    ) -> Looked<S, B, HIDDEN, T> {
        let query: Tensor<Rank3<B, 1, HIDDEN>, f32, Dev, T> = query.reshape();
        let keys = memory.outputs.retaped();
        let values = memory.outputs.retaped();
        let attended = self.0.forward(query, keys, values, &memory.lens);
        let context = attended.output.reshape();
        (context, Some(attended.weights.reshape()))
    }
}

/// Trains on a part of the corpus and prints a row of the table.
fn learn<C: Context<WIDTH> + Send>(
    name: &str,
    course: &Course,
    context: impl Fn(&Dev) -> C,
) -> Result<(f32, f64)> {
    let start = Instant::now();
    let mut training = Training::new(WORKERS, 0, 0.005, |dev| {
        let words = course.words();
        Translator::<WIDTH, WIDTH, C>::new(
            dev,
            words,
            1,
            Dropouts::default(),
            context(dev),
        )
    });
    let count = training.model().decoder.context.count();
    let mut random = StdRng::seed_from_u64(0);
    let mut loss = f32::NAN;
    for _ in 0..60 {
        loss = course.epoch(&mut training, &mut random, |_, _| {})?;
    }
    let seconds = start.elapsed().as_secs_f64();
    row(name, 10, &[count.to_string(), format!("{loss:.4}")]);
    Ok((loss, seconds))
}

/// Multiplications of one step of the decoder for a sentence of S tokens:
/// the query's projection, the scores, the sum of the values. The keys'
/// projection is shared by the steps.
fn multiplications() {
    let (s, h) = (STEPS, WIDTH);
    let (score, query, sum) = (s * h, h * h, s * h);
    println!("a step of the decoder, {s} tokens of width {h}");
    row("", 10, &["products", "tanh", "once"]);
    row("additive", 10, &[query + score + sum, s * h, s * h * h]);
    row("dot", 10, &[score + h + sum, 0, 0]);
    assert!(query + score + sum == 1664 && score + h + sum == 672);
}

fn main() -> ExitCode {
    let time = Arg::new("time").long("time").action(ArgAction::SetTrue);
    let time = time.help("Print how long the trainings took, too");
    let command = Command::new("exercise_10_4_2").arg(time);
    support::run_with("exercise_10_4_2", command, 0, |_, args| {
        multiplications();
        let mut course = Course::book()?;
        course.training.truncate(256);
        course.languages = Languages::of(&course.training);
        println!("\n256 sentences, 60 epochs");
        row("", 10, &["parameters", "loss"]);
        let additive = |dev: &Dev| Attention::new(dev, 0.0);
        let dot = |_: &Dev| DotAttention(DotProductAttention::default());
        let (loss, seconds) = learn("additive", &course, additive)?;
        let (other, more) = learn("dot", &course, dot)?;
        if args.get_flag("time") {
            row("", 10, &["seconds"]);
            row("additive", 10, &[format!("{seconds:.2}")]);
            row("dot", 10, &[format!("{more:.2}")]);
        }
        assert!(loss < 2.0 && other < 2.0);
        Ok(())
    })
}
