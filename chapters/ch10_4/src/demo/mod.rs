//! What this section hands to the program that trains translators.

mod alignments;
mod compare;
mod mean;
mod settings;
mod shapes;
mod two_by_two;

use anyhow::Result;
use ch10_4::{
    AttentionTranslator, BahdanauAttention, CONFIG, DROPOUT, SCHEDULE, WIDTH,
};
use clap::Subcommand;
use program::{EpochArgs, Job, Section, Setting, TrainingArgs};
use seq2seq::train::{STEPS, Schedule};
use seq2seq::translator::{Config, Translation, Translator};
use support::{ModelArgs, SeedArgs};

/// The translator with Bahdanau attention.
pub struct Bahdanau;

/// The subcommands of this section alone.
#[derive(Subcommand)]
pub enum Extra {
    /// Print how the settings were chosen
    Settings {
        /// Of which translator
        #[arg(value_enum, default_value = "attention")]
        of: settings::Of,
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        training: TrainingArgs,
    },
    /// Train with few sentences and with all, without attention and with it
    ///
    /// Takes about four minutes on two cores.
    TwoByTwo {
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        epochs: EpochArgs,
    },
    /// Train with the mean of all states as the context
    ///
    /// Takes about three minutes on two cores.
    Mean {
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        training: TrainingArgs,
    },
}

impl Section for Bahdanau {
    const NAME: &'static str = "ch10_4";
    type Model = AttentionTranslator;
    type D2lModel = Translator<32, 32, BahdanauAttention<32>>;
    type Extra = Extra;

    fn book() -> Setting<Self::Model> {
        Setting {
            name: "Translator<64, 64, BahdanauAttention<64>>",
            config: format!("{CONFIG:?} {WIDTH} {DROPOUT}"),
            schedule: SCHEDULE,
            model: ch10_4::translator,
        }
    }

    fn d2l() -> Setting<Self::D2lModel> {
        let schedule =
            Schedule { epochs: 250, lr: 0.005, final_lr_fraction: 1.0, warm_up: 0 };
        let model = |dev: &_, sizes| {
            let config =
                Config { layers: 2, embedding_dropout: 0.0, layer_dropout: 0.1 };
            Translator::new(dev, sizes, &config, BahdanauAttention::new(dev, 0.1))
        };
        let name = "Translator<32, 32, BahdanauAttention<32>>";
        let config = "width 32, 2 layers, dropout 0.1".into();
        Setting { name, config, schedule, model }
    }

    fn translate(
        model: &Self::Model,
        source: ([usize; STEPS], usize),
    ) -> Translation<STEPS> {
        model.translate(source)
    }

    fn shapes(seed: u64) -> Result<()> {
        shapes::shapes(seed)
    }

    fn figures(job: &Job, model: &Self::Model) -> Result<()> {
        alignments::alignments(job, model)
    }

    fn compare(job: &Job) -> Result<()> {
        compare::compare(job)
    }

    fn extra(command: Extra) -> Result<()> {
        let none = ModelArgs::default();
        match command {
            Extra::Settings { of, seed, training } => {
                settings::settings(of, &Job::new(seed.into(), training, none)?)
            }
            Extra::TwoByTwo { seed, epochs } => {
                two_by_two::two_by_two(&Job::of_book(seed, epochs, none))
            }
            Extra::Mean { seed, training } => {
                mean::print(&Job::new(seed.into(), training, none)?)
            }
        }
    }
}
