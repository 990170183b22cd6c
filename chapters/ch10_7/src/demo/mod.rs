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
use program::{Job, Section, Setting};
use seq2seq::train::{STEPS, Schedule};
use seq2seq::translator::Translation;
use seq2seq::vocab::{BOS, PAD};

/// The Transformer as a translator.
pub struct TransformerSection;

/// The subcommands of this section alone.
#[derive(Subcommand)]
pub enum Extra {
    /// Measure what it saves to cache keys and values
    Cache,
    /// Print the candidates of a beam search; trains first if need be
    Beam(beam::Args),
    /// Train with either position of the norm, with warm-up and without
    Norm,
    /// Train with pieces of words for tokens
    Pieces(pieces::Args),
    /// Train from several seeds: what two defects cost, and what attends to nouns
    Seeds,
    /// Train deep encoders with the norm at either position and without it
    Depth,
    /// Train an encoder alone to reverse sequences
    Reversal(reversal::Args),
    /// Train layers of attention alone to continue what repeats
    ///
    /// Takes seconds; with --seeds 12 some minutes on two cores.
    Induction(induction::Args),
    /// Train a decoder alone on stories, and let it write
    ///
    /// Takes half a minute on two cores.
    Language(language::Training),
    /// Choose the language model's settings, and train one that sees one token
    ///
    /// Takes about four minutes on two cores.
    Stories,
    /// Train a decoder with the parts of today, and let it write
    ///
    /// Takes half a minute on two cores; with --rates four minutes, with --seeds 5 six.
    Today(today::Args),
    /// Switch on the parts of the language model one after another
    ///
    /// Takes about 12 minutes on two cores, with --more about four.
    Parts(parts::Args),
    /// Go on with a story; trains first if need be
    Write(language::Args),
}

impl Section for TransformerSection {
    const NAME: &'static str = "ch10_7";
    type Model = BookTransformer;
    type D2lModel = Transformer<32, 4, 8, 64>;
    type Extra = Extra;

    fn book() -> Setting<Self::Model> {
        Setting {
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
        Setting { config: "2 layers, dropout 0.1".into(), schedule, model }
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

    fn extra(command: Extra, job: &Job) -> Result<()> {
        match command {
            Extra::Cache => cache::cache(job),
            Extra::Beam(args) => beam::beam(job, &args),
            Extra::Norm => norm::norm(job),
            Extra::Pieces(args) => pieces::pieces(job, &args),
            Extra::Seeds => seeds::seeds(job),
            Extra::Depth => depth::depth(job),
            Extra::Reversal(args) => reversal::reversal(job, &args),
            Extra::Induction(args) => induction::induction(job, &args),
            Extra::Language(args) => language::language(job, &args),
            Extra::Stories => stories::stories(job),
            Extra::Today(args) => today::today(job, &args),
            Extra::Parts(args) => parts::parts(job, &args),
            Extra::Write(args) => language::write(job, &args),
        }
    }
}
