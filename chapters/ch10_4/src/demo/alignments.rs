//! The alignments of three sentences in which the order of the words differs.

use anyhow::Result;
use ch10_4::AttentionTranslator;
use seq2seq::program::{Job, alignment};
use seq2seq::text::Pair;
use seq2seq::train::STEPS;
use seq2seq::vocab::Batch;
use support::heading;

const SENTENCES: [(&str, &str, &str); 3] = [
    ("red-car", "The red car is new.", "La voiture rouge est neuve."),
    ("black-cat", "She does not see the black cat.", "Elle ne voit pas le chat noir."),
    ("at-me", "Is she looking at me?", "Est-ce qu'elle me regarde ?"),
];

/// Draws what the model attends to while it writes the right translations.
pub fn alignments(job: &Job, model: &AttentionTranslator) -> Result<()> {
    heading("Alignments");
    for (name, english, french) in SENTENCES {
        let pair = Pair::new(english, french);
        let batch: Batch<1, STEPS> = Batch::new([&pair], &job.dataset.vocabularies)?;
        let weights: Vec<[f32; STEPS]> =
            model.weights(&batch).iter().map(|step| step[0]).collect();
        alignment(job, name, &pair, &weights)?;
    }
    Ok(())
}
