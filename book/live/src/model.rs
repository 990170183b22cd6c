//! A trained model as the page loads it: a file as the interlude writes it, its
//! numbers in f16, which halves it, and beside them the vocabularies.

use crate::json;
use anyhow::{Context, Result, ensure};
use ch10_2::parameters::Parameters;
use half::f16;
use seq2seq::checkpoint::{Tensors, write};
use seq2seq::vocab::Vocab;
use serde::{Deserialize, Serialize};

const DAMAGED: &str = "the model's file is damaged: reload the page";

/// What is in the file beside the tensors.
#[derive(Serialize, Deserialize)]
struct Notes {
    vocabularies: Vec<Vec<String>>,
}

/// A file that is read.
pub struct ModelFile<'a> {
    tensors: Tensors<'a>,
    notes: Notes,
}

impl<'a> ModelFile<'a> {
    /// Reads a file that [`to_bytes`] has made.
    ///
    /// # Errors
    /// It is no such file.
    pub fn new(file: &'a [u8]) -> Result<Self> {
        ensure!(!file.is_empty(), "this figure needs its model, and got none");
        let tensors = Tensors::new(file).context(DAMAGED)?;
        let notes = serde_json::from_str(tensors.text()).ok().context(DAMAGED)?;
        Ok(ModelFile { tensors, notes })
    }

    /// The vocabularies beside the tensors.
    ///
    /// # Errors
    /// There are not N of them.
    pub fn vocabularies<const N: usize>(&self) -> Result<[Vocab; N]> {
        let tokens: Result<[_; N], _> = self.notes.vocabularies.clone().try_into();
        Ok(tokens.ok().context(DAMAGED)?.map(Vocab::from_tokens))
    }

    /// Loads the parameters of `model`, whose names begin with `prefix` in the
    /// file.
    ///
    /// # Errors
    /// The file holds a model of another shape, or a number that is not finite.
    pub fn load(&self, prefix: &str, model: &mut impl Parameters) -> Result<()> {
        let number = |bytes| f16::from_le_bytes(bytes).to_f32();
        let flat = self.tensors.numbers(prefix, model, ("F16", number));
        let flat = flat.context(DAMAGED)?;
        ensure!(flat.iter().all(|number| number.is_finite()), DAMAGED);
        model.load_flat(&flat);
        Ok(())
    }
}

/// Models, each with a prefix for the names of its parameters, and vocabularies as
/// the bytes of one file.
///
/// # Errors
/// A number is too large for f16.
pub fn to_bytes(
    models: &mut [(&str, &mut dyn Parameters)],
    vocabularies: &[&Vocab],
) -> Result<Vec<u8>> {
    for (prefix, model) in models.iter_mut() {
        let finite = model.flatten().iter().all(|&x| f16::from_f32(x).is_finite());
        ensure!(finite, "{prefix} has a number too large for f16");
    }
    let tokens = vocabularies.iter().map(|vocab| vocab.tokens().to_vec());
    let notes = json(&Notes { vocabularies: tokens.collect() })?;
    Ok(write(models, ("F16", |x| f16::from_f32(x).to_le_bytes()), &notes))
}

/// Rounds the parameters of a model as its file does.
pub fn round(model: &mut impl Parameters) {
    let flat = model.flatten();
    let rounded = flat.iter().map(|&number| f16::from_f32(number).to_f32());
    model.load_flat(&rounded.collect::<Vec<_>>());
}
