// ANCHOR: header
//! Interlude, saving a model: its parameters and its vocabularies as the bytes
//! of a file in the format safetensors, which PyTorch reads too. Files are
//! written and read elsewhere.

use crate::vocab::Vocab;
use anyhow::{Context, Result, ensure};
use ch10_2::parameters::Parameters;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
// ANCHOR_END: header

// ANCHOR: entry
/// The entry beside the tensors: a checksum of their bytes, and a line for
/// each vocabulary with its tokens.
const ENTRY: &str = "seq2seq";
// ANCHOR_END: entry

// ANCHOR: write
/// The header's name for what stands beside the tensors.
const BESIDE: &str = "__metadata__";

/// The bytes of a file: models, each with what the names of its parameters
/// begin with, and a text beside them. A number takes N bytes; `dtype` is the
/// format's name for that.
pub fn write<const N: usize>(
    models: &mut [(&str, &mut dyn Parameters)],
    (dtype, to_bytes): (&str, fn(f32) -> [u8; N]),
    text: &str,
) -> Vec<u8> {
    let (mut header, mut data) = (Map::new(), Vec::new());
    for (prefix, model) in models {
        for (name, parameter) in model.parameters() {
            let (start, mut flat) = (data.len(), Vec::new());
            parameter.append_to(&mut flat);
            data.extend(flat.into_iter().flat_map(to_bytes));
            let (dims, at) = (parameter.dims(), [start, data.len()]);
            let entry = json!({ "dtype": dtype, "shape": dims, "data_offsets": at });
            header.insert(format!("{prefix}{name}"), entry);
        }
    }
    header.insert(BESIDE.into(), json!({ ENTRY: text }));
    let mut header = Value::from(header).to_string().into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat()
}
// ANCHOR_END: write

// ANCHOR: tensors
/// An entry of the header of a file: a tensor, or what is beside the tensors.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
    #[serde(rename = "seq2seq", alias = "live")]
    text: String,
}

/// A file that is read. (The crate safetensors reads any such file, in three
/// times the code, which a page would have to load.)
pub struct Tensors<'a> {
    entries: BTreeMap<String, Entry>,
    data: &'a [u8],
}

impl<'a> Tensors<'a> {
    /// None if it is no such file.
    pub fn new(file: &'a [u8]) -> Option<Self> {
        let (len, rest) = file.split_first_chunk()?;
        let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
        let (header, data) = rest.split_at_checked(len)?;
        Some(Tensors { entries: serde_json::from_slice(header).ok()?, data })
    }

    /// The text beside the tensors; empty if there is none of ours.
    pub fn text(&self) -> &str {
        self.entries.get(BESIDE).map_or("", |entry| &entry.text)
    }

    /// The numbers of `model`, the names of whose parameters begin with
    /// `prefix` in the file; none if they are not there in this shape and
    /// format.
    pub fn numbers<const N: usize>(
        &self,
        prefix: &str,
        model: &mut impl Parameters,
        (dtype, from_bytes): (&str, fn([u8; N]) -> f32),
    ) -> Option<Vec<f32>> {
        let mut flat = Vec::new();
        for (name, parameter) in model.parameters() {
            let entry = self.entries.get(&format!("{prefix}{name}"))?;
            let (start, end) = entry.data_offsets;
            let numbers = self.data.get(start..end)?.as_chunks().0;
            let right = entry.dtype == dtype && entry.shape == parameter.dims();
            if !right || numbers.len() != parameter.dims().iter().product::<usize>() {
                return None;
            }
            flat.extend(numbers.iter().map(|&bytes| from_bytes(bytes)));
        }
        Some(flat)
    }
}
// ANCHOR_END: tensors

// ANCHOR: to_bytes
/// A model and its vocabularies as the bytes of a file.
pub fn to_bytes(model: &mut impl Parameters, vocabularies: &[&Vocab]) -> Vec<u8> {
    let mut text = checksum(&model.flatten());
    for vocab in vocabularies {
        text += &format!("\n{}", vocab.tokens().join(" "));
    }
    write(&mut [("", model)], ("F32", f32::to_le_bytes), &text)
}

fn checksum(flat: &[f32]) -> String {
    let bytes: Vec<u8> = flat.iter().flat_map(|x| x.to_le_bytes()).collect();
    format!("{:08x}", crc32fast::hash(&bytes))
}
// ANCHOR_END: to_bytes

// ANCHOR: from_bytes
/// Loads the parameters of `model` from the bytes of a file.
///
/// # Errors
/// It is no such file or a damaged one, or it holds a model of another shape,
/// of other vocabularies, or with weights that are no finite numbers.
pub fn from_bytes(
    file: &[u8],
    model: &mut impl Parameters,
    vocabularies: &[&Vocab],
) -> Result<()> {
    let damaged = "not a model, or damaged";
    let tensors = Tensors::new(file).context(damaged)?;
    let mut lines = tensors.text().lines();
    let sum = lines.next().filter(|sum| sum.len() == 8);
    let sum = sum.context("not a model of this book")?;
    let vocab =
        |line: &str| Vocab::from_tokens(line.split(' ').map(String::from).collect());
    let theirs: Vec<Vocab> = lines.map(vocab).collect();
    let same = vocabularies.iter().copied().eq(&theirs);
    ensure!(same, "trained with another vocabulary");
    for (name, parameter) in model.parameters() {
        let entry = tensors.entries.get(&name);
        let entry = entry.with_context(|| format!("{name} is not in it"))?;
        let (dims, right) = (&entry.shape, parameter.dims());
        ensure!(*dims == right, "{name} has the shape {dims:?}, not {right:?}");
    }
    let flat =
        tensors.numbers("", model, ("F32", f32::from_le_bytes)).context(damaged)?;
    ensure!(checksum(&flat) == sum, damaged);
    let finite = flat.iter().all(|x| x.is_finite());
    ensure!(finite, "a weight in it is not a finite number");
    model.load_flat(&flat);
    Ok(())
}
// ANCHOR_END: from_bytes
