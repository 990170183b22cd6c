// ANCHOR: parameters
//! Section 10.7: the layers of section 10.5 as training starts from them, and
//! the names of their parameters.

use crate::attention::Attention;
use ch10_1::Dev;
use ch10_3::DotProductAttention;
use ch10_5::Projection;
use dfdx::prelude::*;
use seq2seq::gru::{uniform, xavier};
use seq2seq::parameters::{Named, within};
use seq2seq::words::Embedding;

/// A linear layer with Xavier's initialisation, its bias 0.
pub(crate) fn first_values<const I: usize, const O: usize, const BIAS: bool>(
    dev: &Dev,
) -> Projection<I, O, BIAS> {
    Projection { weight: uniform(dev, xavier(I, O)), bias: dev.zeros() }
}

/// Vectors of words whose numbers have the variance 1/M. They are multiplied
/// by √M, and then they are about as long as the encoding of a position.
pub(crate) fn first_vectors<const M: usize>(dev: &Dev, words: usize) -> Embedding<M> {
    let normal = rand_distr::StandardNormal;
    dev.sample_like(&(words, Const), normal) / (M as f32).sqrt()
}

/// The four projections of an attention likewise. Does not build unless
/// H·D = M.
pub(crate) fn first_attention<const M: usize, const H: usize, const D: usize>(
    dev: &Dev,
    dropout: f32,
) -> Attention<M, H, D> {
    const { assert!(H * D == M, "H * D must be M") };
    Attention {
        w_q: first_values(dev),
        w_k: first_values(dev),
        w_v: first_values(dev),
        w_o: first_values(dev),
        attention: DotProductAttention { dropout },
    }
}

/// The parameters of a linear layer; of its bias, if it has one.
pub(crate) fn of_projection<const I: usize, const O: usize, const BIAS: bool>(
    layer: &mut Projection<I, O, BIAS>,
) -> Named<'_> {
    let mut all: Named = vec![("weight".into(), &mut layer.weight)];
    if BIAS {
        all.push(("bias".into(), &mut layer.bias));
    }
    all
}

/// Those of an attention.
pub(crate) fn of_attention<const M: usize, const H: usize, const D: usize>(
    layer: &mut Attention<M, H, D>,
) -> Named<'_> {
    let mut all = within("w_q", of_projection(&mut layer.w_q));
    all.extend(within("w_k", of_projection(&mut layer.w_k)));
    all.extend(within("w_v", of_projection(&mut layer.w_v)));
    all.extend(within("w_o", of_projection(&mut layer.w_o)));
    all
}
// ANCHOR_END: parameters
