//! What this section hands to the program that trains translators.

mod attention_maps;
mod beam;
mod block;
mod cache;
mod depth;
mod induction;
mod induction_seeds;
mod language;
mod norm;
mod parts;
mod pieces;
mod reversal;
mod seeds;
mod settings;
mod shapes;
mod stories;
mod today;
mod today_seeds;

use anyhow::Result;
use ch10_7::translator::{BookTransformer, DROPOUT, LAYERS, SCHEDULE};
use ch10_7::{NormPosition, Transformer};
use clap::Subcommand;
use dfdx::prelude::*;
use program::{EpochArgs, Job, ModelJobArgs, Section, Setting, TrainingArgs};
use seq2seq::train::{STEPS, Schedule};
use seq2seq::translator::Translation;
use seq2seq::vocab::{BOS, PAD};
use support::{ModelArgs, RunArgs, SeedArgs};

/// The Transformer as a translator.
pub struct TransformerSection;

/// The subcommands of this section alone.
#[derive(Subcommand)]
pub enum Extra {
    /// Measure the speed-up of caching keys and values
    Cache {
        #[command(flatten)]
        run: RunArgs,
    },
    /// Print the candidates of a beam search; trains a model first if none is saved
    Beam {
        #[command(flatten)]
        args: beam::Args,
        #[command(flatten)]
        job: ModelJobArgs,
    },
    /// Train with either position of the norm, with warm-up and without
    Norm {
        #[command(flatten)]
        run: RunArgs,
        #[command(flatten)]
        training: TrainingArgs,
    },
    /// Train with pieces of words for tokens
    Pieces {
        #[command(flatten)]
        args: pieces::Args,
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        epochs: EpochArgs,
    },
    /// Train several seeds; measure the cost of two bugs and the attention on nouns
    Seeds {
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        epochs: EpochArgs,
    },
    /// Train deep encoders with the norm at either position and without it
    Depth {
        #[command(flatten)]
        run: RunArgs,
    },
    /// Train an encoder alone to reverse sequences
    Reversal {
        #[command(flatten)]
        args: reversal::Args,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Train attention-only layers to continue repeated sequences
    ///
    /// Takes seconds; with --seeds 12 some minutes on two cores.
    Induction {
        #[command(flatten)]
        args: induction::Args,
        #[command(flatten)]
        run: RunArgs,
    },
    /// Train a decoder alone on stories, and let it write
    ///
    /// Takes half a minute on two cores.
    Language {
        #[command(flatten)]
        args: language::Training,
        #[command(flatten)]
        run: RunArgs,
        #[command(flatten)]
        model: ModelArgs,
    },
    /// Choose the language model's settings, and train one that sees one token
    ///
    /// Takes about four minutes on two cores.
    Stories {
        #[command(flatten)]
        seed: SeedArgs,
    },
    /// Train a decoder with the parts of today, and let it write
    ///
    /// Takes half a minute on two cores; with --rates four minutes, with --seeds 5 six.
    Today {
        #[command(flatten)]
        args: today::Args,
        #[command(flatten)]
        seed: SeedArgs,
    },
    /// Add the parts of the language model one at a time
    ///
    /// Takes about 12 minutes on two cores, with --more about four.
    Parts {
        #[command(flatten)]
        args: parts::Args,
        #[command(flatten)]
        seed: SeedArgs,
    },
    /// Continue a story; trains a model first if none is saved
    Write {
        #[command(flatten)]
        args: language::Args,
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        model: ModelArgs,
    },
}

impl Section for TransformerSection {
    const NAME: &'static str = "ch10_7";
    type Model = BookTransformer;
    type D2lModel = Transformer<32, 4, 8, 64>;
    type Extra = Extra;

    fn book() -> Setting<Self::Model> {
        Setting {
            name: "Transformer<64, 4, 16, 128>",
            config: format!("{LAYERS} layers, dropout {DROPOUT}, post-norm"),
            schedule: SCHEDULE,
            model: |dev, sizes| {
                Transformer::new(dev, sizes, LAYERS, DROPOUT, NormPosition::Post)
            },
        }
    }

    fn d2l() -> Setting<Self::D2lModel> {
        let schedule =
            Schedule { epochs: 200, lr: 0.005, final_lr_fraction: 1.0, warm_up: 0 };
        let model =
            |dev: &_, sizes| Transformer::new(dev, sizes, 2, 0.1, NormPosition::Post);
        let name = "Transformer<32, 4, 8, 64>";
        Setting { name, config: "2 layers, dropout 0.1".into(), schedule, model }
    }

    fn translate(
        model: &Self::Model,
        (source, len): ([usize; STEPS], usize),
    ) -> Translation<STEPS> {
        let tokens = model.translate_cached(source, len);
        let mut inputs = [PAD; STEPS];
        let before = [BOS].into_iter().chain(tokens.iter().copied());
        inputs.iter_mut().zip(before).for_each(|(input, token)| *input = token);
        let target = (&[inputs], &[STEPS.min(tokens.len() + 1)]);
        let (_, weights) = model.forward((&[source], &[len]), target, NoneTape);
        let last = weights.decoder[LAYERS - 1].cross_attention.clone();
        let mean = last.mean::<Rank2<STEPS, STEPS>, Axes2<0, 1>>().array();
        let steps = STEPS.min(tokens.len() + 1);
        Translation { weights: mean[..steps].to_vec(), tokens }
    }

    fn shapes(seed: u64) -> Result<()> {
        shapes::shapes(seed);
        Ok(())
    }

    fn figures(job: &Job, model: &Self::Model) -> Result<()> {
        attention_maps::translation(job, model)?;
        attention_maps::attention_maps(job, model)?;
        block::block(job, model)
    }

    fn compare(job: &Job) -> Result<()> {
        settings::settings(job)
    }

    fn extra(command: Extra) -> Result<()> {
        let none = ModelArgs::default;
        match command {
            Extra::Cache { run } => cache::cache(&Job::book(run)),
            Extra::Beam { args, job } => beam::beam(&job.job()?, &args),
            Extra::Norm { run, training } => {
                norm::norm(&Job::new(run, training, none())?)
            }
            Extra::Pieces { args, seed, epochs } => {
                pieces::pieces(&Job::of_book(seed, epochs, none()), &args)
            }
            Extra::Seeds { seed, epochs } => {
                seeds::seeds(&Job::of_book(seed, epochs, none()))
            }
            Extra::Depth { run } => depth::depth(&Job::book(run)),
            Extra::Reversal { args, run } => reversal::reversal(&Job::book(run), &args),
            Extra::Induction { args, run } => {
                induction::induction(&Job::book(run), &args)
            }
            Extra::Language { args, run, model } => {
                let epochs = EpochArgs::default();
                language::language(&Job::of_book(run, epochs, model), &args)
            }
            Extra::Stories { seed } => stories::stories(&Job::book(seed)),
            Extra::Today { args, seed } => today::today(&Job::book(seed), &args),
            Extra::Parts { args, seed } => parts::parts(&Job::book(seed), &args),
            Extra::Write { args, seed, model } => {
                let epochs = EpochArgs::default();
                language::write(&Job::of_book(seed, epochs, model), &args)
            }
        }
    }
}
