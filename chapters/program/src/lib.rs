//! The program of a section that trains a translator, shared by those that do:
//! flags, training with progress, the saved model, translations, how good they
//! are, variants side by side, and the setting of *Dive into Deep Learning*.
//!
//! It is no part of what the sections teach; the library does without it.

mod compare;
mod d2l;
mod job;
mod sentences;
mod tasks;

pub use compare::{
    Outcome, draw_outcomes, outcomes, outcomes_of, print_near_and_far, print_outcomes,
    validate, validate_epochs,
};
pub use job::{Job, save, saved};
pub use tasks::{alignment, printable_tokens};

use anyhow::Result;
use clap::{Parser, Subcommand};
use kernels::Dev;
use seq2seq::train::{STEPS, Schedule, Seq2SeqModel};
use seq2seq::translator::Translation;
use std::path::PathBuf;
use std::process::ExitCode;
use support::{ModelArgs, RunArgs, SeedArgs};

/// A model as it is trained: the constructor, the schedule, and whatever else
/// the outcome depends on, in words.
#[derive(Clone, Debug)]
pub struct Setting<M> {
    /// The type of the model with its widths, by a name of its own: it is in hashes
    /// of settings, and the type may be renamed.
    pub name: &'static str,
    /// Settings that the constructor holds, as they name a saved model.
    pub config: String,
    /// How it is trained.
    pub schedule: Schedule,
    /// Creates it for vocabularies of these sizes.
    pub model: fn(&Dev, (usize, usize)) -> M,
}

/// What each section provides.
pub trait Section {
    /// The name of its crate.
    const NAME: &'static str;
    /// Its translator.
    type Model: Seq2SeqModel;
    /// Its translator in the setting of d2l.
    type D2lModel: Seq2SeqModel;
    /// Its own subcommands; [`std::convert::Infallible`] if there are none.
    type Extra: Subcommand;

    /// Returns how the translator is trained on the sentences of the book.
    fn book() -> Setting<Self::Model>;

    /// Returns how it is trained in the setting of d2l.
    fn d2l() -> Setting<Self::D2lModel>;

    /// Translates a sentence, and returns what the model attended to.
    fn translate(
        model: &Self::Model,
        source: ([usize; STEPS], usize),
    ) -> Translation<STEPS>;

    /// Prints what the default run shows before it trains.
    ///
    /// # Errors
    /// As the section says.
    fn shapes(seed: u64) -> Result<()>;

    /// Prints and draws what the default run shows of the trained model.
    ///
    /// # Errors
    /// If a figure cannot be written.
    fn figures(job: &Job, model: &Self::Model) -> Result<()>;

    /// Runs the subcommand `compare`.
    ///
    /// # Errors
    /// If a figure cannot be written.
    fn compare(job: &Job) -> Result<()>;

    /// Runs one of its own subcommands.
    ///
    /// # Errors
    /// As the section says.
    fn extra(command: Self::Extra) -> Result<()>;
}

/// Train a translator and let it translate
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Args<X: Subcommand> {
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    training: TrainingArgs,
    #[command(flatten)]
    model: ModelArgs,
    #[command(subcommand)]
    command: Option<Command<X>>,
}

/// The flags of a training.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct TrainingArgs {
    /// The sentences.
    #[command(flatten)]
    pub sentences: SentenceArgs,
    /// How long.
    #[command(flatten)]
    pub epochs: EpochArgs,
}

/// The flag of a training on the sentences of the book.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct EpochArgs {
    /// Train for N epochs
    #[arg(long, value_name = "N")]
    #[arg(value_parser = support::number(1..=10_000))]
    pub epochs: Option<usize>,
}

/// The sentences of a training.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SentenceArgs {
    /// Train with the sentences of FILE: two columns, a tab between them
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Read only the first N pairs of that file
    #[arg(long, value_name = "N", requires = "data")]
    #[arg(value_parser = support::number(1..=10_000_000))]
    pub pairs: Option<usize>,
    /// Hold out N sentences of that file for testing, and N for validation
    /// [default: a tenth; with d2l 0]
    #[arg(long, value_name = "N", requires = "data")]
    #[arg(value_parser = support::number(0..=10_000_000))]
    pub held_out: Option<usize>,
}

/// The flags of what asks a trained model: how it is trained, and where it is.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ModelJobArgs {
    #[command(flatten)]
    seed: SeedArgs,
    #[command(flatten)]
    training: TrainingArgs,
    #[command(flatten)]
    model: ModelArgs,
}

impl ModelJobArgs {
    /// Reads the sentences.
    ///
    /// # Errors
    /// As [`Job::new`].
    pub fn job(self) -> Result<Job> {
        Job::new(self.seed.into(), self.training, self.model)
    }
}

#[derive(Subcommand)]
enum Command<X: Subcommand> {
    /// Translate a sentence; trains a model first if none is saved
    Translate {
        /// In the language that the model reads
        sentence: String,
        #[command(flatten)]
        job: ModelJobArgs,
    },
    /// Train variants and compare them
    Compare {
        #[command(flatten)]
        run: RunArgs,
        #[command(flatten)]
        training: TrainingArgs,
    },
    /// Train in the setting of d2l, on its sentences
    D2l {
        /// Trainings, each from another seed
        #[arg(long, value_name = "N", default_value_t = 3)]
        #[arg(value_parser = support::number(1..=100))]
        seeds: usize,
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        training: TrainingArgs,
    },
    #[command(flatten)]
    Extra(X),
}

/// Runs the program of a section.
pub fn run<S: Section>() -> ExitCode {
    support::run(S::NAME, |args: Args<S::Extra>| {
        let Args { run, training, model, command } = args;
        match command {
            None => default_run::<S>(&Job::new(run, training, model)?),
            Some(Command::Translate { sentence, job }) => {
                tasks::translate::<S>(&job.job()?, &sentence)
            }
            Some(Command::Compare { run, training }) => {
                let job = Job::new(run, training, ModelArgs::default())?;
                job.run.check_out()?;
                S::compare(&job)
            }
            Some(Command::D2l { seeds, seed, training }) => {
                d2l::d2l::<S>(&seed.into(), &training, seeds)
            }
            Some(Command::Extra(command)) => S::extra(command),
        }
    })
}

fn default_run<S: Section>(job: &Job) -> Result<()> {
    job.run.check_out()?;
    let setting = S::book();
    // First, so that nothing is printed before a refusal.
    job.file(S::NAME, &setting).check()?;
    S::shapes(job.run.seed)?;
    let (mut model, losses) = job.train(S::NAME, &setting)?;
    tasks::training(job, &mut model, &losses)?;
    tasks::evaluate(job, &model);
    S::figures(job, &model)
}
