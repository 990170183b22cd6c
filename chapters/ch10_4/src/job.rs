// ANCHOR: job_header
//! Section 10.4: what the program is asked to do, and the model that it keeps
//! between two runs.

use crate::Model;
use anyhow::{Result, anyhow};
use ch10_1::Dev;
use ch10_4::{Attention, DROPOUT};
use clap::{Arg, ArgMatches, Command, value_parser};
use seq2seq::checkpoint::{from_bytes, to_bytes};
use seq2seq::course::{BOOK, Course, Settings};
use std::path::PathBuf;

/// The width of the embeddings and of the states.
pub const WIDTH: usize = 64;
// ANCHOR_END: job_header

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
    Command::new("ch10_4")
        .about("Bahdanau attention: train a translator and ask it")
        .arg(path("data", "Sentences: two columns, a tab between them"))
        .arg(number("pairs", "Read only so many pairs of the file"))
        .arg(path("model", "Keep the model in this file"))
        .arg(number("epochs", "Train for so many epochs"))
        .subcommands(subcommands())
}

/// What it does besides the default run.
fn subcommands() -> [Command; 3] {
    let command = |name, about| Command::new(name).about(about);
    let sentence = Arg::new("sentence").required(true).help("In English");
    [
        command("translate", "Translate a sentence; trains first if need be")
            .arg(sentence),
        command("compare", "Train with attention and without, and compare"),
        command("d2l", "Train in the setting of d2l, on its sentences"),
    ]
}
// ANCHOR_END: command

// ANCHOR: job
/// What the program is asked to do.
pub struct Job {
    /// The sentences.
    pub course: Course,
    /// How the model is trained.
    pub how: Settings,
    /// Seeds the training.
    pub seed: u64,
    /// Where the model is kept.
    pub model: PathBuf,
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
        let mut how = BOOK;
        how.schedule.epochs = number("epochs").unwrap_or(how.schedule.epochs);
        let course = match data {
            Some(path) => Course::file(path, limit)?,
            None => Course::book()?,
        };
        let name = data.and_then(|path| path.file_stem());
        let name = name.unwrap_or("model".as_ref()).to_string_lossy();
        let epochs = how.schedule.epochs;
        let name = format!("{name}-{epochs}-epochs-seed-{seed}.safetensors");
        let kept = support::kept_folder("ch10_4").join(name);
        let model = args.get_one::<PathBuf>("model").cloned();
        Ok(Job { course, how, seed, model: model.unwrap_or(kept) })
    }

    /// Trains the model and keeps it. Beside it, the loss of each epoch.
    ///
    /// # Errors
    /// It cannot be kept.
    pub fn train(&self) -> Result<(Model, Vec<f32>)> {
        support::can_keep(&self.model)?;
        let (course, how) = (&self.course, &self.how);
        let model =
            |dev: &Dev| course.translator(dev, how, Attention::new(dev, DROPOUT));
        let learnt = course.learn("training", &how.schedule, self.seed, model);
        let (mut model, losses): (Model, _) = learnt?;
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
        let attention = Attention::new(&dev, 0.0);
        let mut model = self.course.translator(&dev, &self.how, attention);
        let read = from_bytes(&bytes, &mut model, &self.course.languages);
        read.map_err(|why| {
            let path = self.model.display();
            anyhow!("{path}: {why:#}; --model FILE names another")
        })?;
        Ok(model)
    }
}
// ANCHOR_END: job_impl
