//! A trained model as the page loads it: a file in the format safetensors, its
//! numbers in f16, which halves it, and beside them the vocabularies and how
//! good the model was before its numbers were rounded.

use anyhow::{Context, Result, ensure};
use ch10_2::parameters::Parameters;
use half::f16;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The entry beside the tensors.
#[cfg(not(target_family = "wasm"))]
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

/// An entry of the header of a file: a tensor, or what is beside the tensors.
/// (The crate safetensors reads any such file, in three times the code.)
#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
    live: String,
}

/// A file that is read.
pub struct ModelFile<'a> {
    entries: BTreeMap<String, Entry>,
    data: &'a [u8],
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
        Self::parse(file).context(DAMAGED)
    }

    fn parse(file: &'a [u8]) -> Option<Self> {
        let (len, rest) = file.split_first_chunk()?;
        let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
        let (header, data) = rest.split_at_checked(len)?;
        let entries: BTreeMap<String, Entry> = serde_json::from_slice(header).ok()?;
        let notes = serde_json::from_str(&entries.get("__metadata__")?.live).ok()?;
        Some(ModelFile { entries, data, notes })
    }

    /// Loads the parameters of `model`, whose names begin with `prefix` in the
    /// file.
    ///
    /// # Errors
    /// The file holds a model of another shape, or a number that is not finite.
    pub fn load(&self, prefix: &str, model: &mut impl Parameters) -> Result<()> {
        let mut flat = Vec::new();
        for (name, parameter) in model.parameters() {
            let entry =
                self.entries.get(&format!("{prefix}{name}")).context(DAMAGED)?;
            let right = entry.dtype == "F16" && entry.shape == parameter.dims();
            let (start, end) = entry.data_offsets;
            let numbers = self.data.get(start..end).unwrap_or_default().as_chunks().0;
            let len: usize = entry.shape.iter().product();
            ensure!(right && numbers.len() == len, DAMAGED);
            flat.extend(
                numbers.iter().map(|&bytes| f16::from_le_bytes(bytes).to_f32()),
            );
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
    use safetensors::tensor::{Dtype, TensorView, serialize};
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
