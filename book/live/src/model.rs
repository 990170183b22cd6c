//! A trained model as the page loads it: a file in the format safetensors, its
//! numbers in f16, which halves it, and beside them the vocabularies and how
//! good the model was before its numbers were rounded.

use anyhow::{Context, Result, ensure};
use ch10_2::parameters::Parameters;
use half::f16;
use safetensors::tensor::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

/// The entry beside the tensors.
const ENTRY: &str = "live";
const DAMAGED: &str = "the model's file is damaged: reload the page";

/// What is in the file beside the tensors.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Notes {
    /// The tokens of each vocabulary, in order.
    pub vocabularies: Vec<Vec<String>>,
    /// For each model in the file: its score on what was held out, with its
    /// numbers in f32. What score it is depends on the model.
    pub held_out: Vec<f64>,
}

/// A file that is read.
pub struct ModelFile<'a> {
    tensors: SafeTensors<'a>,
    /// What is beside the tensors.
    pub notes: Notes,
}

impl<'a> ModelFile<'a> {
    /// Reads a file that [`to_bytes`] has made.
    ///
    /// # Errors
    /// It is no such file.
    pub fn new(file: &'a [u8]) -> Result<Self> {
        ensure!(!file.is_empty(), "this figure needs its model, and got none");
        let tensors = SafeTensors::deserialize(file).ok().context(DAMAGED)?;
        let (_, header) = SafeTensors::read_metadata(file).ok().context(DAMAGED)?;
        let entry = header.metadata().as_ref().and_then(|all| all.get(ENTRY));
        let notes = serde_json::from_str(entry.context(DAMAGED)?);
        Ok(ModelFile { tensors, notes: notes.ok().context(DAMAGED)? })
    }

    /// Loads the parameters of `model`, whose names begin with `prefix` in the
    /// file.
    ///
    /// # Errors
    /// The file holds a model of another shape, or a number that is not finite.
    pub fn load(&self, prefix: &str, model: &mut impl Parameters) -> Result<()> {
        let mut flat = Vec::new();
        for (name, parameter) in model.parameters() {
            let tensor = self.tensors.tensor(&format!("{prefix}{name}")).ok();
            let tensor = tensor.context(DAMAGED)?;
            let right = tensor.dtype() == Dtype::F16;
            ensure!(right && tensor.shape() == parameter.dims(), DAMAGED);
            let numbers = tensor.data().as_chunks().0.iter();
            flat.extend(numbers.map(|&bytes| f16::from_le_bytes(bytes).to_f32()));
        }
        ensure!(flat.iter().all(|number| number.is_finite()), DAMAGED);
        model.load_flat(&flat);
        Ok(())
    }
}

/// Models as the bytes of one file, each with a prefix for the names of its
/// parameters.
///
/// # Errors
/// The format cannot hold them, or a number is too large for f16.
#[cfg(not(target_family = "wasm"))]
pub fn to_bytes(
    models: &mut [(&str, &mut dyn Parameters)],
    notes: &Notes,
) -> Result<Vec<u8>> {
    use safetensors::tensor::{TensorView, serialize};
    let mut tensors = Vec::new();
    for (prefix, model) in models {
        for (name, parameter) in model.parameters() {
            let mut flat = Vec::new();
            parameter.append_to(&mut flat);
            let numbers: Vec<f16> = flat.iter().map(|&x| f16::from_f32(x)).collect();
            let finite = numbers.iter().all(|x| x.is_finite());
            ensure!(finite, "{prefix}{name} has a number too large for f16");
            let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            tensors.push((format!("{prefix}{name}"), parameter.dims(), bytes));
        }
    }
    let views = tensors.iter().map(|(name, dims, bytes)| {
        Ok((name, TensorView::new(Dtype::F16, dims.clone(), bytes)?))
    });
    let views = views.collect::<Result<Vec<_>>>()?;
    let entry = (ENTRY.to_string(), serde_json::to_string(notes)?);
    Ok(serialize(views, Some([entry].into_iter().collect()))?)
}

/// Rounds the parameters of a model as its file does.
#[cfg(not(target_family = "wasm"))]
pub fn round(model: &mut impl Parameters) {
    let flat = model.flatten();
    let rounded = flat.iter().map(|&number| f16::from_f32(number).to_f32());
    model.load_flat(&rounded.collect::<Vec<_>>());
}
