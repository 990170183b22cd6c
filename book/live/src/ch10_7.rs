//! Page 10.7: a sentence of the reader's in French by the Transformer, with all
//! of its attentions.

use crate::model::ModelFile;
use crate::sentence::{Sentence, Words};
use crate::{Page, cut, json};
use anyhow::Result;
use ch10_7::NormPosition;
use ch10_7::translator::{BookTransformer, DROPOUT, LAYERS};
use dfdx::prelude::NoneTape;
use kernels::Dev;
use seq2seq::train::STEPS;
use seq2seq::vocab::{BOS, EOS, PAD, Vocabularies};
use serde::{Deserialize, Serialize};

/// The translator and its vocabularies.
pub struct TransformerPage {
    /// Of English and of French.
    pub vocabularies: Vocabularies,
    /// The translator of the section.
    pub model: BookTransformer,
}

/// What the figures ask.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// The English [`Words`] that the model knows.
    Words {},
    /// A translation: [`Translated`].
    Translate {
        /// In English.
        sentence: String,
        /// How many hypotheses the beam search keeps, at least 1.
        width: usize,
    },
}

/// The weights of one attention: for each layer and head a row for each query,
/// a weight for each key.
pub type Weights = Vec<Vec<Vec<Vec<f32>>>>;

/// A sentence, and what became of it.
#[derive(Debug, Serialize)]
pub struct Translated {
    /// The tokens that are read, the end included.
    pub read: Vec<String>,
    /// Those of them that are read as `<unk>`.
    pub unknown: Vec<String>,
    /// What the beam search found, the most probable first.
    pub hypotheses: Vec<Found>,
    /// What the decoder reads to write the first of them: `<bos>`, then its
    /// tokens. At the last it writes the end, if it comes to one.
    pub input: Vec<String>,
    /// What it writes at each of them.
    pub written: Vec<String>,
    /// Of the encoder's self-attention: queries and keys are the tokens read.
    pub encoder: Weights,
    /// Of the decoder's self-attention: queries and keys are its input.
    pub decoder: Weights,
    /// Of the cross-attention, from the decoder's input to the tokens read.
    pub cross: Weights,
}

/// A translation that a beam search found.
#[derive(Debug, Serialize)]
pub struct Found {
    /// Its tokens.
    pub text: String,
    /// Its probability.
    pub probability: f32,
}

impl Page for TransformerPage {
    type Question = Question;

    fn new(model: &[u8]) -> Result<Self> {
        let file = ModelFile::new(model)?;
        let [source, target] = file.vocabularies()?;
        let vocabularies = Vocabularies { source, target };
        let (dev, sizes) = (Dev::default(), vocabularies.sizes());
        let mut model =
            BookTransformer::new(&dev, sizes, LAYERS, DROPOUT, NormPosition::Post);
        file.load("", &mut model)?;
        Ok(TransformerPage { vocabularies, model })
    }

    fn answer(&mut self, question: Question) -> Result<String> {
        match question {
            Question::Words {} => json(&Words::new(&self.vocabularies.source)),
            Question::Translate { sentence, width } => {
                json(&self.translate(&sentence, width)?)
            }
        }
    }
}

impl TransformerPage {
    /// Translates a sentence by beam search, and lets the model read sentence
    /// and translation once more for all of its weights.
    ///
    /// # Errors
    /// The sentence has no token or more than the model reads.
    pub fn translate(&self, sentence: &str, width: usize) -> Result<Translated> {
        let Sentence { words, unknown, source: (source, len) } =
            Sentence::new(sentence, &self.vocabularies.source)?;
        let beam = self.model.beam_search(source, len, width);
        let target = &self.vocabularies.target;
        let found = beam.iter().map(|hypothesis| Found {
            text: target.decode(&hypothesis.tokens).join(" "),
            probability: hypothesis.log_probability.exp(),
        });
        let hypotheses = found.collect();
        let tokens = &beam[0].tokens;
        let mut input = [PAD; STEPS];
        let before = [BOS].into_iter().chain(tokens.iter().copied());
        input.iter_mut().zip(before).for_each(|(input, token)| *input = token);
        let steps = STEPS.min(tokens.len() + 1);
        let (_, weights) =
            self.model.forward((&[source], &[len]), (&[input], &[steps]), NoneTape);
        let decoder = weights.decoder.iter();
        let own =
            decoder.clone().map(|layer| cut(&layer.self_attention, (steps, steps)));
        let cross = decoder.map(|layer| cut(&layer.cross_attention, (steps, len)));
        let written: Vec<usize> = tokens.iter().copied().chain([EOS]).collect();
        Ok(Translated {
            read: words,
            unknown,
            hypotheses,
            input: target.decode(&input[..steps]),
            written: target.decode(&written[..steps]),
            encoder: weights.encoder.iter().map(|all| cut(all, (len, len))).collect(),
            decoder: own.collect(),
            cross: cross.collect(),
        })
    }
}
