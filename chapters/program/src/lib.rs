//! The program of a section that trains a translator, shared by those that do:
//! flags, training with progress, the saved model, translations, how good they
//! are, variants side by side, and the setting of *Dive into Deep Learning*.
//!
//! It is no part of what the sections teach; the library does without it.

mod compare;
mod d2l;
mod tasks;

pub use compare::{
    Outcome, draw_outcomes, outcomes, outcomes_of, print_near_and_far, print_outcomes,
    validate, validate_epochs,
};
pub use tasks::{alignment, printable_tokens};

use anyhow::{Context, Result, anyhow, ensure};
use ch10_2::parameters::Parameters;
use clap::{Parser, Subcommand};
use kernels::Dev;
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::checkpoint::{from_bytes, to_bytes};
use seq2seq::dataset::Dataset;
use seq2seq::text::read_pairs;
use seq2seq::train::{BATCH, STEPS, Schedule, Seq2SeqModel, train};
use seq2seq::translator::Translation;
use seq2seq::vocab::{Vocab, Vocabularies};
use std::any::type_name;
use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;
use support::{ModelPath, Progress, RunArgs, note, shown};

/// A model as it is trained: the constructor, the schedule, and whatever else
/// the outcome depends on, in words.
#[derive(Clone, Debug)]
pub struct Setting<M> {
    /// Settings that the constructor holds, as they name a saved model.
    pub config: String,
    /// How it is trained.
    pub schedule: Schedule,
    /// Makes it for vocabularies of these sizes.
    pub model: fn(&Dev, (usize, usize)) -> M,
}

/// What is a section's own.
pub trait Section {
    /// The name of its crate.
    const NAME: &'static str;
    /// Its translator.
    type Model: Seq2SeqModel;
    /// Its translator in the setting of d2l.
    type D2lModel: Seq2SeqModel;
    /// Its own subcommands; [`std::convert::Infallible`] if there are none.
    type Extra: Subcommand;

    /// How the translator is trained on the sentences of the book.
    fn book() -> Setting<Self::Model>;

    /// How it is trained in the setting of d2l.
    fn d2l() -> Setting<Self::D2lModel>;

    /// A translation with what it attended to.
    fn translate(
        model: &Self::Model,
        source: ([usize; STEPS], usize),
    ) -> Translation<STEPS>;

    /// What the default run prints before it trains.
    ///
    /// # Errors
    /// As the section says.
    fn shapes(seed: u64) -> Result<()>;

    /// What the default run prints and draws of the trained model.
    ///
    /// # Errors
    /// A figure cannot be written.
    fn figures(job: &Job, model: &Self::Model) -> Result<()>;

    /// The subcommand `compare`.
    ///
    /// # Errors
    /// A figure cannot be written.
    fn compare(job: &Job) -> Result<()>;

    /// Its own subcommands.
    ///
    /// # Errors
    /// As the section says.
    fn extra(command: Self::Extra, job: &Job) -> Result<()>;
}

/// Train a translator and let it translate
#[derive(Parser)]
struct Args<X: Subcommand> {
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    job: JobArgs,
    #[command(subcommand)]
    command: Option<Command<X>>,
}

/// The flags of a training.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct JobArgs {
    /// Sentences to train with: two columns, a tab between them
    #[arg(long, value_name = "FILE", global = true)]
    pub data: Option<PathBuf>,
    /// Read only N pairs of that file
    #[arg(long, value_name = "N", global = true, requires = "data")]
    #[arg(value_parser = support::number(1..=10_000_000))]
    pub pairs: Option<usize>,
    /// Hold out N sentences of that file, and N to validate [default: a tenth;
    /// with d2l 0]
    #[arg(long, value_name = "N", global = true, requires = "data")]
    #[arg(value_parser = support::number(0..=10_000_000))]
    pub held_out: Option<usize>,
    /// Save the model in this file, or answer with the one that is there
    #[arg(long, value_name = "FILE", global = true)]
    pub model: Option<PathBuf>,
    /// Train for N epochs
    #[arg(long, value_name = "N", global = true)]
    #[arg(value_parser = support::number(1..=10_000))]
    pub epochs: Option<usize>,
}

#[derive(Subcommand)]
enum Command<X: Subcommand> {
    /// Translate a sentence; trains first if there is no model yet
    Translate {
        /// In the language that the model reads
        sentence: String,
    },
    /// Train variants and compare them
    Compare,
    /// Train in the setting of d2l, on its sentences
    D2l {
        /// Trainings, each from another seed
        #[arg(long, value_name = "N", default_value_t = 3)]
        #[arg(value_parser = support::number(1..=100))]
        seeds: usize,
    },
    #[command(flatten)]
    Extra(X),
}

/// Runs the program of a section.
pub fn run<S: Section>() -> ExitCode {
    support::run(S::NAME, |args: Args<S::Extra>| {
        let Args { run, job: flags, command } = args;
        let job = || Job::new(run.clone(), flags.clone());
        match command {
            None => default_run::<S>(&job()?),
            Some(Command::Translate { sentence }) => {
                tasks::translate::<S>(&job()?, &sentence)
            }
            Some(Command::Compare) => {
                let job = job()?;
                job.run.check_out()?;
                S::compare(&job)
            }
            Some(Command::D2l { seeds }) => d2l::d2l::<S>(&run, &flags, seeds),
            Some(Command::Extra(command)) => S::extra(command, &job()?),
        }
    })
}

fn default_run<S: Section>(job: &Job) -> Result<()> {
    job.run.check_out()?;
    S::shapes(job.run.seed)?;
    let setting = S::book();
    let (mut model, losses) = job.train(S::NAME, &setting)?;
    tasks::training(job, &mut model, &losses)?;
    tasks::evaluate(job, &model);
    S::figures(job, &model)
}

/// The model that is saved in a file, if one is; `new` makes one to fill, which
/// reads and writes with these vocabularies.
///
/// # Errors
/// The file is damaged or of another model.
pub fn saved<M: Parameters>(
    file: &ModelPath,
    new: impl FnOnce() -> M,
    vocabularies: &[&Vocab],
) -> Result<Option<M>> {
    let Some(bytes) = file.load()? else { return Ok(None) };
    let mut model = new();
    from_bytes(&bytes, &mut model, vocabularies).map_err(|why| {
        let path = shown(file.path().unwrap_or("the model".as_ref()));
        anyhow!("{path}: {why:#}; --model FILE names another")
    })?;
    file.answers();
    Ok(Some(model))
}

/// What a program is to do: its flags and its sentences.
pub struct Job {
    /// The seed, and where figures go.
    pub run: RunArgs,
    /// The other flags.
    pub args: JobArgs,
    /// The sentences.
    pub dataset: Dataset,
    /// The bytes that they were read from.
    data: Vec<u8>,
}

impl Job {
    /// The sentences of the book, or those of `--data`.
    ///
    /// # Errors
    /// The file cannot be read or is not as it should be.
    pub fn new(run: RunArgs, args: JobArgs) -> Result<Self> {
        let Some(path) = &args.data else {
            let data = seq2seq::corpus::PAIRS.as_bytes().to_vec();
            return Ok(Job { run, args, dataset: Dataset::book(), data });
        };
        let data = support::read_whole(path)?;
        let pairs = read_pairs(&data, args.pairs.unwrap_or(usize::MAX));
        let pairs = pairs.with_context(|| shown(path))?;
        let sources = pairs.iter().map(|pair| &pair.source);
        let tenth = sources.collect::<HashSet<_>>().len() / 10;
        let count = args.held_out.unwrap_or(tenth);
        // What is held out is the same whatever a training starts from.
        let dataset = Dataset::hold_out(pairs, count, &mut StdRng::seed_from_u64(0));
        let dataset = dataset.with_context(|| shown(path))?;
        Ok(Job { run, args, dataset, data })
    }

    /// The schedule of a setting, with `--epochs` in it.
    pub fn schedule<M>(&self, setting: &Setting<M>) -> Schedule {
        let epochs = self.args.epochs.unwrap_or(setting.schedule.epochs);
        Schedule { epochs, ..setting.schedule }
    }

    /// Trains a model from a seed and shows how far it is; `on_epoch` is called
    /// as in [`train`].
    ///
    /// # Errors
    /// There is no pair to train with.
    pub fn train_from<M: Seq2SeqModel>(
        &self,
        what: &str,
        setting: &Setting<M>,
        seed: u64,
        on_epoch: impl FnMut(usize, &M),
    ) -> Result<(M, Vec<f32>)> {
        let schedule = self.schedule(setting);
        let steps = schedule.epochs * self.dataset.train.len().div_ceil(BATCH);
        let mut progress = Progress::new(what, steps);
        let on_step = |loss, tokens| progress.step_of(tokens, loss);
        let sizes = self.dataset.vocabularies.sizes();
        let model = |dev: &Dev| (setting.model)(dev, sizes);
        train(&self.dataset, &schedule, seed, model, on_step, on_epoch)
    }

    /// Trains the model of a section and saves it. Beside it, the loss of each
    /// epoch.
    ///
    /// # Errors
    /// It cannot be saved where `--model` says.
    pub fn train<M: Seq2SeqModel>(
        &self,
        program: &str,
        setting: &Setting<M>,
    ) -> Result<(M, Vec<f32>)> {
        let file = self.file(program, setting);
        file.check()?;
        let seed = self.run.seed;
        let (mut model, losses) =
            self.train_from("training", setting, seed, |_, _| ())?;
        let Vocabularies { source, target } = &self.dataset.vocabularies;
        file.save(&to_bytes(&mut model, &[source, target]))?;
        Ok((model, losses))
    }

    /// The saved model of a section; if there is none, trains it.
    ///
    /// # Errors
    /// The file is damaged or of another model.
    pub fn model<M: Seq2SeqModel>(
        &self,
        program: &str,
        setting: &Setting<M>,
    ) -> Result<M> {
        let file = self.file(program, setting);
        let Vocabularies { source, target } = &self.dataset.vocabularies;
        let sizes = self.dataset.vocabularies.sizes();
        let new = || (setting.model)(&Dev::default(), sizes);
        if let Some(model) = saved(&file, new, &[source, target])? {
            return Ok(model);
        }
        note("no model for this setting and these sentences yet: training");
        Ok(self.train(program, setting)?.0)
    }

    /// For a recorded run: prints the hash of what it depends on, as
    /// [`RunArgs::print_settings`] does. The name of a model's type holds its
    /// widths.
    pub fn print_settings<M>(&self, settings: &[&Setting<M>], seeds: u64) {
        let each = settings.iter().map(|one| (&one.config, self.schedule(one)));
        let each: Vec<_> = each.collect();
        let all = (type_name::<M>(), each, self.run.seed, seeds, self.args.pairs);
        self.run.print_settings(&all, &self.data);
    }

    /// Where the model of a section is saved. The name of its type holds its
    /// widths.
    pub fn file<M>(&self, program: &str, setting: &Setting<M>) -> ModelPath {
        let model = (type_name::<M>(), &setting.config);
        let sentences = (self.args.pairs, self.args.held_out);
        let settings = (model, self.schedule(setting), self.run.seed, sentences);
        ModelPath::new(self.args.model.clone(), program, &settings, &self.data)
    }

    /// The tokens of a sentence to translate.
    ///
    /// # Errors
    /// There are none, or more than a model reads.
    pub fn sentence(&self, sentence: &str) -> Result<Vec<String>> {
        let source = seq2seq::text::tokens(sentence);
        let (most, len) = (STEPS - 1, source.len());
        let blank = sentence.chars().any(|c| c.is_control());
        ensure!(!blank, "a control character in the sentence");
        ensure!(len > 0, "there is no sentence to translate");
        ensure!(len <= most, "{len} tokens; the model reads at most {most}");
        Ok(source)
    }
}
