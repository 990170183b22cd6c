//! What this section hands to the program that trains translators.

mod alignments;
mod settings;
mod shapes;

use anyhow::Result;
use ch10_4::{
    AttentionTranslator, BahdanauAttention, CONFIG, DROPOUT, SCHEDULE, WIDTH,
};
use clap::Subcommand;
use seq2seq::context::FixedContext;
use seq2seq::program::{
    Job, Section, Setting, draw_outcomes, outcomes, print_outcomes, print_times,
};
use seq2seq::train::{STEPS, Schedule};
use seq2seq::translator::{Config, Translation, Translator};

/// Seeds of each variant that is compared.
const SEEDS: u64 = 3;

/// The translator with Bahdanau attention.
pub struct Bahdanau;

/// The subcommands of this section alone.
#[derive(Subcommand)]
pub enum Extra {
    /// Print how the settings were chosen
    Settings,
}

impl Section for Bahdanau {
    const NAME: &'static str = "ch10_4";
    type Model = AttentionTranslator;
    type D2lModel = Translator<32, 32, BahdanauAttention<32>>;
    type Extra = Extra;

    fn book() -> Setting<Self::Model> {
        Setting {
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
        Setting { config: "width 32, 2 layers, dropout 0.1".into(), schedule, model }
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

    /// The same training with attention and without.
    fn compare(job: &Job) -> Result<()> {
        if job.print_settings(&[&Self::book()], SEEDS) {
            return Ok(());
        }
        let with = outcomes(job, "with attention", &Self::book(), SEEDS)?;
        let setting: Setting<Translator<WIDTH, WIDTH, FixedContext>> = Setting {
            config: String::new(),
            schedule: SCHEDULE,
            model: |dev, sizes| Translator::new(dev, sizes, &CONFIG, FixedContext),
        };
        let without = outcomes(job, "without", &setting, SEEDS)?;
        let variants = [("with attention", with), ("without", without)];
        print_outcomes("With attention and without", &variants);
        print_times(&variants);
        draw_outcomes(job, &variants)
    }

    fn extra(Extra::Settings: Extra, job: &Job) -> Result<()> {
        settings::settings(job)
    }
}
