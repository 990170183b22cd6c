//! The interlude and page 10.4: a sentence of the reader's in French, by the
//! translator with attention and by the one without.

use crate::model::ModelFile;
use crate::sentence::{Sentence, Words};
use crate::{Page, json};
use anyhow::Result;
use ch10_4::{AttentionTranslator, CONFIG, WIDTH, translator};
use kernels::Dev;
use seq2seq::context::FixedContext;
use seq2seq::translator::{Translation, Translator};
use seq2seq::vocab::Vocabularies;
use serde::{Deserialize, Serialize};

/// The translator of section 10.4 without attention: one context for all steps.
pub type FixedTranslator = Translator<WIDTH, WIDTH, FixedContext>;

/// Two translators and their vocabularies.
pub struct Translators {
    /// Of English and of French.
    pub vocabularies: Vocabularies,
    /// The one of the section.
    pub attention: AttentionTranslator,
    /// The one that it is compared with.
    pub fixed: FixedTranslator,
}

/// What the figures ask.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// The English [`Words`] that the models know.
    Words {},
    /// A translation by each model: [`Translated`].
    Translate {
        /// In English.
        sentence: String,
    },
}

/// A sentence, and what became of it.
#[derive(Debug, Serialize)]
pub struct Translated {
    /// The tokens that are read, the end included.
    pub read: Vec<String>,
    /// Those of them that are read as `<unk>`.
    pub unknown: Vec<String>,
    /// With attention.
    pub attention: Written,
    /// Without.
    pub fixed: Written,
}

/// A translation.
#[derive(Debug, Serialize)]
pub struct Written {
    /// Its tokens; the end, if the model came to one.
    pub tokens: Vec<String>,
    /// For each of them the weights of the tokens read; none without attention.
    pub weights: Vec<Vec<f32>>,
}

impl Page for Translators {
    type Question = Question;

    fn new(model: &[u8]) -> Result<Self> {
        let file = ModelFile::new(model)?;
        let [source, target] = file.vocabularies()?;
        let vocabularies = Vocabularies { source, target };
        let (dev, sizes) = (Dev::default(), vocabularies.sizes());
        let mut attention = translator(&dev, sizes);
        file.load("attention.", &mut attention)?;
        let mut fixed = Translator::new(&dev, sizes, &CONFIG, FixedContext);
        file.load("fixed.", &mut fixed)?;
        Ok(Translators { vocabularies, attention, fixed })
    }

    fn answer(&mut self, question: Question) -> Result<String> {
        match question {
            Question::Words {} => json(&Words::new(&self.vocabularies.source)),
            Question::Translate { sentence } => json(&self.translate(&sentence)?),
        }
    }
}

impl Translators {
    /// Both translations of a sentence.
    ///
    /// # Errors
    /// It has no token, or more than the models read.
    pub fn translate(&self, sentence: &str) -> Result<Translated> {
        let Sentence { words, unknown, source } =
            Sentence::new(sentence, &self.vocabularies.source)?;
        let attention = self.written(self.attention.translate(source), source.1);
        let fixed = self.written(self.fixed.translate(source), source.1);
        Ok(Translated { read: words, unknown, attention, fixed })
    }

    fn written<const S: usize>(
        &self,
        translation: Translation<S>,
        len: usize,
    ) -> Written {
        let Translation { mut tokens, weights } = translation;
        if tokens.len() < S {
            tokens.push(seq2seq::vocab::EOS);
        }
        let weights = weights.iter().map(|row| row[..len].to_vec()).collect();
        Written { tokens: self.vocabularies.target.decode(&tokens), weights }
    }
}
