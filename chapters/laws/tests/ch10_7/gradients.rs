//! Gradients against finite differences: every layer, its parameters and its
//! inputs, in both positions of the norm.

use ch10_2::parameters::Parameters;
use ch10_3::Mask;
use ch10_7::language_model::LanguageModel;
use ch10_7::{
    DecoderBlock, EncoderBlock, FeedForward, LayerNorm, NormPosition, Residual,
    TokenEmbedding, Transformer,
};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
use seq2seq::train::Seq2SeqModel;
use seq2seq::vocab::Batch;
use testing::{gradient_agrees, gradient_agrees_along, slopes_agree, weighted_sum};

const POSITIONS: [NormPosition; 3] =
    [NormPosition::Post, NormPosition::Pre, NormPosition::None];

type Taped<const B: usize, const S: usize, const M: usize> =
    Tensor3<B, S, M, OwnedTape<f32, Dev>>;

/// A loss that weighs each number of the output differently.
fn weighed<const B: usize, const S: usize, const M: usize, T: Tape<f32, Dev>>(
    x: Tensor3<B, S, M, T>,
) -> Tensor<Rank0, f32, Dev, T> {
    let weights = (0..B * S * M).map(|n| ((n * 7 % 11) as f32 - 5.0) / 16.0);
    weighted_sum(x, &weights.collect::<Vec<_>>())
}

/// Parameters and inputs of a layer from (B, S, M) to (B, S, O).
fn layer<
    P: Parameters + Clone,
    const B: usize,
    const S: usize,
    const M: usize,
    const O: usize,
>(
    what: &str,
    layer: P,
    plain: impl Fn(&P, Tensor3<B, S, M>) -> Tensor3<B, S, O>,
    taped: impl Fn(&P, Taped<B, S, M>) -> Taped<B, S, O>,
) {
    let dev = Dev::seed_from_u64(11);
    let x: Tensor3<B, S, M> = dev.sample_normal();
    let mut model = layer;
    let gradients = weighed(taped(&model, x.leaky_trace())).backward();
    let own = gradients.get(&x);
    let flat = model.flatten();
    let gradient = model.flat_gradient(gradients);
    let loss = |flat: &[f32]| {
        let mut moved = model.clone();
        moved.load_flat(flat);
        weighed(plain(&moved, x.clone())).array()
    };
    gradient_agrees(&flat, &gradient, loss, 3e-3, what);
    slopes_agree(&x, &own, |x| weighed(plain(&model, x)).array(), 3e-3, what);
}

#[test]
fn layer_norm_and_residual() {
    let dev = Dev::seed_from_u64(0);
    let mut norm: LayerNorm<6> = LayerNorm::new(&dev);
    norm.gamma = dev.sample_normal();
    layer::<_, 2, 3, 6, 6>("norm", norm, LayerNorm::forward, LayerNorm::forward);
    for position in POSITIONS {
        let residual: Residual<6> = Residual::new(&dev, 0.0, position);
        layer::<_, 2, 3, 6, 6>(
            "residual",
            residual,
            |residual, x| residual.forward(x, |x| (x.sin(), ())).0,
            |residual, x| residual.forward(x, |x| (x.sin(), ())).0,
        );
    }
}

#[test]
fn feed_forward() {
    let mut network: FeedForward<5, 7, 4> = FeedForward::new(&Dev::seed_from_u64(1));
    // Away from the corner of the ReLU.
    let bias = |n: usize| if n.is_multiple_of(2) { 9.0 } else { -9.0 };
    let bias: Vec<f32> = (0..7).map(bias).collect();
    network.first.bias = network
        .first
        .bias
        .map(|old| old.device().tensor_from_vec(bias, Default::default()));
    layer::<_, 2, 3, 5, 4>(
        "network",
        network,
        FeedForward::forward,
        FeedForward::forward,
    );
}

/// The biases of the first layers, far from the corner of the ReLU.
fn away_from_the_corner(model: &mut impl Parameters) {
    let mut flat = model.flatten();
    let mut at = 0;
    for (name, parameter) in model.parameters() {
        let len: usize = parameter.dims().iter().product();
        if name.ends_with("first.bias") {
            for (n, bias) in flat[at..][..len].iter_mut().enumerate() {
                *bias = if n.is_multiple_of(2) { 9.0 } else { -9.0 };
            }
        }
        at += len;
    }
    model.load_flat(&flat);
}

#[test]
fn encoder_blocks() {
    for position in POSITIONS {
        let mut block: EncoderBlock<6, 2, 3, 5> =
            EncoderBlock::new(&Dev::seed_from_u64(2), 0.0, position);
        away_from_the_corner(&mut block);
        let mask = Mask::valid_lens_per_query([[4, 2, 3, 1], [1, 2, 0, 4]]);
        layer::<_, 2, 4, 6, 6>(
            "encoder block",
            block,
            |block, x| block.forward(x, &mask).output,
            |block, x| block.forward(x, &mask).output,
        );
    }
}

#[test]
fn decoder_blocks() {
    for position in POSITIONS {
        let dev = Dev::seed_from_u64(3);
        let mut block: DecoderBlock<6, 2, 3, 5> =
            DecoderBlock::new(&dev, 0.0, position);
        away_from_the_corner(&mut block);
        let memory: Tensor3<2, 5, 6> = dev.sample_normal();
        let (own, lens) = (Mask::causal(), Mask::valid_lens([3, 5]));
        let plain = |block: &DecoderBlock<6, 2, 3, 5>, x, memory: &Tensor3<2, 5, 6>| {
            block.forward(x, &own, memory, &lens).0
        };
        layer::<_, 2, 4, 6, 6>(
            "decoder block",
            block.clone(),
            |block, x| plain(block, x, &memory),
            |block, x| block.forward(x, &own, &memory, &lens).0,
        );
        // And of what the encoder made.
        let x: Tensor3<2, 4, 6> = dev.sample_normal();
        let loss = weighed(block.forward(x.leaky_trace(), &own, &memory, &lens).0);
        let gradient = loss.backward().get(&memory);
        let loss = |memory| weighed(plain(&block, x.clone(), &memory)).array();
        slopes_agree(&memory, &gradient, loss, 3e-3, "memory");
    }
}

#[test]
fn embedding() {
    let mut model: TokenEmbedding<6> =
        TokenEmbedding::new(&Dev::seed_from_u64(4), 7, 0.0);
    let tokens = [[1, 5, 5], [0, 6, 2]];
    let loss = weighed(model.forward(&tokens, 2, OwnedTape::default()));
    let (flat, gradient) = (model.flatten(), model.flat_gradient(loss.backward()));
    let loss = |flat: &[f32]| {
        let mut model = model.clone();
        model.load_flat(flat);
        weighed(model.forward(&tokens, 2, NoneTape)).array()
    };
    gradient_agrees(&flat, &gradient, loss, 1e-3, "embedding");
}

/// Whole models, along directions in which all parameters move.
#[test]
fn whole_models() {
    let dev = Dev::seed_from_u64(5);
    let batch: Batch<2, 4> = Batch {
        source: [[4, 5, 6, 3], [7, 3, 1, 1]],
        source_lens: [4, 2],
        target: [[5, 6, 3, 1], [4, 5, 4, 3]],
        target_lens: [3, 4],
    };
    for position in [NormPosition::Post, NormPosition::Pre] {
        let mut model: Transformer<6, 2, 3, 5> =
            Transformer::new(&dev, (8, 7), 2, 0.0, position);
        away_from_the_corner(&mut model);
        let loss = model.loss(&batch, OwnedTape::default()).sum();
        let (flat, gradient) = (model.flatten(), model.flat_gradient(loss.backward()));
        let loss = |flat: &[f32]| {
            let mut model = model.clone();
            model.load_flat(flat);
            model.loss(&batch, NoneTape).sum().array()
        };
        gradient_agrees_along(12, &flat, &gradient, loss, 3e-3, "translator");
    }
    let mut model: LanguageModel<6, 2, 3, 5> = LanguageModel::new(&dev, 9, 2, 0.0);
    away_from_the_corner(&mut model);
    let (one, two) = (vec![4, 5, 6, 3], vec![7, 3]);
    let loss = model.loss::<2, 4, _>(&[&one, &two], OwnedTape::default()).sum();
    let (flat, gradient) = (model.flatten(), model.flat_gradient(loss.backward()));
    let loss = |flat: &[f32]| {
        let mut model = model.clone();
        model.load_flat(flat);
        model.loss::<2, 4, _>(&[&one, &two], NoneTape).sum().array()
    };
    gradient_agrees_along(12, &flat, &gradient, loss, 5e-3, "language model");
}
