// ANCHOR: checkpoint_header
//! Interlude, keeping a model: its parameters and its vocabularies as the
//! bytes of a file in the format safetensors, which PyTorch reads too.
//!
//! The file itself is written and read by `support`.

use crate::parameters::Parameters;
use crate::vocab::{Languages, Vocab};
use anyhow::{Context, Result, ensure};
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};

/// The entry beside the tensors: a sum over their bytes, the tokens of one
/// language, the tokens of the other, each on a line.
const ABOUT: &str = "seq2seq";
// ANCHOR_END: checkpoint_header

// ANCHOR: to_bytes
/// A model as the bytes of a file.
///
/// # Errors
/// The format cannot hold it.
pub fn to_bytes(model: &mut impl Parameters, languages: &Languages) -> Result<Vec<u8>> {
    let mut tensors = Vec::new();
    for (name, parameter) in model.parameters() {
        let mut row = Vec::new();
        parameter.read(&mut row);
        let bytes: Vec<u8> = row.iter().flat_map(|x| x.to_le_bytes()).collect();
        tensors.push((name, parameter.lens(), bytes));
    }
    let views = tensors.iter().map(|(name, lens, bytes)| {
        Ok((name, TensorView::new(Dtype::F32, lens.clone(), bytes)?))
    });
    let views = views.collect::<Result<Vec<_>>>()?;
    let sum = checksum(tensors.iter().map(|(_, _, bytes)| bytes.as_slice()));
    let [source, target] =
        [&languages.source, &languages.target].map(|vocab| vocab.tokens().join(" "));
    let about = format!("{sum:016x}\n{source}\n{target}");
    let about = [(ABOUT.to_string(), about)].into_iter().collect();
    Ok(serialize(views, Some(about))?)
}
// ANCHOR_END: to_bytes

// ANCHOR: from_bytes
/// Sets the parameters of `model` to those in a file.
///
/// # Errors
/// It is no such file or a damaged one, or it holds a model of another shape
/// or of other vocabularies.
pub fn from_bytes(
    file: &[u8],
    model: &mut impl Parameters,
    languages: &Languages,
) -> Result<()> {
    let tensors = SafeTensors::deserialize(file).ok().context(DAMAGED)?;
    let (sum, theirs) = about(file)?;
    ensure!(theirs == *languages, "trained with another vocabulary");
    let mut bytes = Vec::new();
    for (name, parameter) in model.parameters() {
        let tensor = tensors.tensor(&name).ok();
        let tensor = tensor.with_context(|| format!("{name} is not in it"))?;
        let (lens, right) = (tensor.shape(), parameter.lens());
        ensure!(lens == right, "{name} has the shape {lens:?}, not {right:?}");
        ensure!(tensor.dtype() == Dtype::F32, "{name} is not in f32");
        bytes.extend_from_slice(tensor.data());
    }
    ensure!(checksum([&bytes[..]].into_iter()) == sum, DAMAGED);
    let numbers = bytes.as_chunks().0.iter();
    let row: Vec<f32> = numbers.map(|&x| f32::from_le_bytes(x)).collect();
    model.set_row(&row);
    Ok(())
}

const DAMAGED: &str = "not a model, or damaged";

/// What is written beside the tensors.
fn about(file: &[u8]) -> Result<(u64, Languages)> {
    let (_, header) = SafeTensors::read_metadata(file).ok().context(DAMAGED)?;
    let about = header.metadata().as_ref().and_then(|all| all.get(ABOUT));
    let mut about = about.context("not a model of this book")?.lines();
    let sum = about.next().and_then(|sum| u64::from_str_radix(sum, 16).ok());
    let mut vocab = || {
        let tokens = about.next().unwrap_or_default().split(' ');
        Vocab::from_tokens(tokens.map(String::from).collect())
    };
    let languages = Languages { source: vocab(), target: vocab() };
    Ok((sum.context(DAMAGED)?, languages))
}
// ANCHOR_END: from_bytes

// ANCHOR: checksum
/// The sum FNV-1a over bytes: any byte changed is noticed.
fn checksum<'a>(parts: impl Iterator<Item = &'a [u8]>) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    parts.flatten().fold(start, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
// ANCHOR_END: checksum
