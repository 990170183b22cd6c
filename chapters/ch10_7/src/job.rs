// ANCHOR: job_header
//! Section 10.7: what the program is asked to do, and the model that it keeps
//! between two runs.

use crate::storyteller;
use crate::time;
use anyhow::{Result, anyhow};
use ch10_1::Dev;
use ch10_7::{NormAt, Transformer};
use clap::{Arg, ArgMatches, Command, value_parser};
use seq2seq::checkpoint::{from_bytes, to_bytes};
use seq2seq::course::{Course, Schedule};
use std::path::PathBuf;
// ANCHOR_END: job_header

// ANCHOR: model
/// The width of the model.
const WIDTH: usize = 64;
/// Heads of each attention.
pub const HEADS: usize = 4;
/// The width of a head.
const HEAD: usize = WIDTH / HEADS;
/// Layers of the encoder, and of the decoder.
pub const LAYERS: usize = 2;
/// What is set to 0 in training.
pub const DROPOUT: f32 = 0.1;
/// How it learns.
const SCHEDULE: Schedule = Schedule { epochs: 30, rate: 0.003, left: 0.02, warm_up: 3 };

/// The model of this section.
pub type Model = Transformer<WIDTH, HEADS, HEAD, { 2 * WIDTH }>;
// ANCHOR_END: model

// ANCHOR: command
/// The flags of the program.
pub fn command() -> Command {
    let path = |name: &'static str, help: &'static str| {
        let path = Arg::new(name).long(name).value_name("FILE").global(true);
        path.value_parser(value_parser!(PathBuf)).help(help)
    };
    let number = |name: &'static str, help: &'static str| {
        let number = Arg::new(name).long(name).value_name("N").global(true);
        number.value_parser(value_parser!(u32).range(1..)).help(help)
    };
    Command::new("ch10_7")
        .about("The Transformer: train a translator and ask it")
        .arg(path("data", "Sentences: two columns, a tab between them"))
        .arg(number("pairs", "Read only so many pairs of the file"))
        .arg(path("model", "Keep the model in this file"))
        .arg(number("epochs", "Train for so many epochs"))
        .arg(storyteller::lessons())
        .subcommands(subcommands())
}

/// What else it can be asked.
fn subcommands() -> [Command; 5] {
    let other =
        |name: &'static str, about: &'static str| Command::new(name).about(about);
    let sentence = Arg::new("sentence").required(true).help("In English");
    let beam = Arg::new("beam").long("beam").value_name("N");
    let beam = beam.value_parser(value_parser!(u8).range(1..));
    let beam = beam.help("Keep N candidates, and print them all");
    let about = "Translate a sentence; trains first if need be";
    [
        other("translate", about).args([sentence, beam]),
        storyteller::command(),
        other("compare", "Train with either norm, with a warm-up and without"),
        other("d2l", "Train in the setting of d2l, on its sentences"),
        time::command(),
    ]
}
// ANCHOR_END: command

// ANCHOR: job
/// What the program is asked to do.
pub struct Job {
    /// The sentences.
    pub course: Course,
    /// How the model learns.
    pub schedule: Schedule,
    /// Seeds the training.
    pub seed: u64,
    /// Where the model is kept.
    model: PathBuf,
}
// ANCHOR_END: job

// ANCHOR: job_impl
impl Job {
    /// Out of the flags.
    ///
    /// # Errors
    /// The file of sentences cannot be read or is not as it should be.
    pub fn new(seed: u64, args: &ArgMatches) -> Result<Self> {
        let number = |name| args.get_one::<u32>(name).map(|&n| n as usize);
        let data = args.get_one::<PathBuf>("data");
        let limit = number("pairs").unwrap_or(usize::MAX);
        let course = match data {
            Some(path) => Course::file(path, limit)?,
            None => Course::book()?,
        };
        let epochs = number("epochs").unwrap_or(SCHEDULE.epochs);
        let name = data.and_then(|path| path.file_stem());
        let name = name.unwrap_or("model".as_ref()).to_string_lossy();
        let name = format!("{name}-{epochs}-epochs-seed-{seed}.safetensors");
        let kept = support::kept_folder("ch10_7").join(name);
        let model = args.get_one::<PathBuf>("model").cloned();
        Ok(Job {
            course,
            schedule: Schedule { epochs, ..SCHEDULE },
            seed,
            model: model.unwrap_or(kept),
        })
    }

    /// Trains the model and keeps it. Beside it, the loss of each epoch.
    ///
    /// # Errors
    /// It cannot be kept.
    pub fn train(&self) -> Result<(Model, Vec<f32>)> {
        support::can_keep(&self.model)?;
        let words = self.course.words();
        let model = |dev: &Dev| Model::new(dev, words, LAYERS, DROPOUT, NormAt::Post);
        let (schedule, seed) = (&self.schedule, self.seed);
        let learnt = self.course.learn("training", schedule, seed, model);
        let (mut model, losses) = learnt?;
        let bytes = to_bytes(&mut model, &self.course.languages)?;
        support::keep(&self.model, &bytes)?;
        Ok((model, losses))
    }

    /// The model that is kept; if there is none, trains it.
    ///
    /// # Errors
    /// The file is damaged or of another model.
    pub fn model(&self) -> Result<Model> {
        if !self.model.exists() {
            support::can_keep(&self.model)?;
            eprintln!("no model in {} yet: training", self.model.display());
            return Ok(self.train()?.0);
        }
        let bytes = support::read_whole(&self.model)?;
        let dev = Dev::seed_from_u64(self.seed);
        let words = self.course.words();
        let mut model = Model::new(&dev, words, LAYERS, 0.0, NormAt::Post);
        let read = from_bytes(&bytes, &mut model, &self.course.languages);
        read.map_err(|why| {
            let path = self.model.display();
            anyhow!("{path}: {why:#}; --model FILE names another")
        })?;
        Ok(model)
    }
}
// ANCHOR_END: job_impl
