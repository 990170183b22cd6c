// ANCHOR: header
//! Interlude, saving a model: its parameters and its vocabularies as the bytes
//! of a file in the format safetensors, which PyTorch reads too. Files are
//! written and read elsewhere.

use crate::vocab::Vocab;
use anyhow::{Context, Result, ensure};
use ch10_2::parameters::Parameters;
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
// ANCHOR_END: header

// ANCHOR: entry
/// The entry beside the tensors: a checksum of their bytes, and a line for
/// each vocabulary with its tokens.
const ENTRY: &str = "seq2seq";
// ANCHOR_END: entry

// ANCHOR: to_bytes
/// A model and its vocabularies as the bytes of a file.
///
/// # Errors
/// The format cannot hold it.
pub fn to_bytes(
    model: &mut impl Parameters,
    vocabularies: &[&Vocab],
) -> Result<Vec<u8>> {
    let mut tensors = Vec::new();
    let mut checksum = crc32fast::Hasher::new();
    for (name, parameter) in model.parameters() {
        let mut flat = Vec::new();
        parameter.append_to(&mut flat);
        let bytes: Vec<u8> = flat.iter().flat_map(|x| x.to_le_bytes()).collect();
        checksum.update(&bytes);
        tensors.push((name, parameter.dims(), bytes));
    }
    let views = tensors.iter().map(|(name, dims, bytes)| {
        Ok((name, TensorView::new(Dtype::F32, dims.clone(), bytes)?))
    });
    let views = views.collect::<Result<Vec<_>>>()?;
    let mut entry = format!("{:08x}", checksum.finalize());
    for vocab in vocabularies {
        entry += &format!("\n{}", vocab.tokens().join(" "));
    }
    let entry = [(ENTRY.to_string(), entry)].into_iter().collect();
    Ok(serialize(views, Some(entry))?)
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
    let tensors = SafeTensors::deserialize(file).ok().context(DAMAGED)?;
    let (checksum, theirs) = read_entry(file)?;
    let same = vocabularies.iter().copied().eq(&theirs);
    ensure!(same, "trained with another vocabulary");
    let mut bytes = Vec::new();
    for (name, parameter) in model.parameters() {
        let tensor = tensors.tensor(&name).ok();
        let tensor = tensor.with_context(|| format!("{name} is not in it"))?;
        let (dims, right) = (tensor.shape(), parameter.dims());
        ensure!(dims == right, "{name} has the shape {dims:?}, not {right:?}");
        ensure!(tensor.dtype() == Dtype::F32, "{name} is not in f32");
        bytes.extend_from_slice(tensor.data());
    }
    ensure!(crc32fast::hash(&bytes) == checksum, DAMAGED);
    let numbers = bytes.as_chunks().0.iter();
    let flat: Vec<f32> = numbers.map(|&x| f32::from_le_bytes(x)).collect();
    let finite = flat.iter().all(|x| x.is_finite());
    ensure!(finite, "a weight in it is not a finite number");
    model.load_flat(&flat);
    Ok(())
}

const DAMAGED: &str = "not a model, or damaged";

/// The checksum and the vocabularies that stand beside the tensors.
fn read_entry(file: &[u8]) -> Result<(u32, Vec<Vocab>)> {
    let (_, header) = SafeTensors::read_metadata(file).ok().context(DAMAGED)?;
    let entry = header.metadata().as_ref().and_then(|all| all.get(ENTRY));
    let mut lines = entry.context("not a model of this book")?.lines();
    let checksum = lines.next().and_then(|sum| u32::from_str_radix(sum, 16).ok());
    let vocab =
        |line: &str| Vocab::from_tokens(line.split(' ').map(String::from).collect());
    Ok((checksum.context(DAMAGED)?, lines.map(vocab).collect()))
}
// ANCHOR_END: from_bytes
