//! Beam search for a sentence of the reader's.

use crate::demo::TransformerSection;
use anyhow::Result;
use program::{Job, Section, printable_tokens};
use seq2seq::train::STEPS;

/// The flags of `beam`.
#[derive(clap::Args)]
pub struct Args {
    /// In English
    sentence: String,
    /// Keep N hypotheses
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = support::number(1..=100))]
    width: usize,
}

/// Prints the hypotheses at the end, each with its probability.
pub fn beam(job: &Job, args: &Args) -> Result<()> {
    let sentence = job.sentence(&args.sentence)?;
    let model = job.model(TransformerSection::NAME, &TransformerSection::book())?;
    let (source, len) = job.dataset.vocabularies.source.encode::<STEPS>(&sentence);
    for found in model.beam_search(source, len, args.width) {
        let text = job.dataset.vocabularies.target.decode(&found.tokens);
        println!("{:8.4}  {}", found.log_probability.exp(), printable_tokens(&text));
    }
    Ok(())
}
