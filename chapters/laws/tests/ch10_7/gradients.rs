//! Gradients of blocks without a norm against finite differences, their
//! parameters and their inputs: PyTorch's are those of both positions of the norm.

use ch10_2::parameters::Parameters;
use ch10_3::Mask;
use ch10_7::{DecoderBlock, EncoderBlock, NormPosition};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
use testing::{gradient_agrees, slopes_agree, weighted_sum};

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
fn an_encoder_block() {
    let mut block: EncoderBlock<6, 2, 3, 5> =
        EncoderBlock::new(&Dev::seed_from_u64(2), 0.0, NormPosition::None);
    away_from_the_corner(&mut block);
    let mask = Mask::valid_lens_per_query([[4, 2, 3, 1], [1, 2, 0, 4]]);
    layer::<_, 2, 4, 6, 6>(
        "encoder block",
        block,
        |block, x| block.forward(x, &mask).output,
        |block, x| block.forward(x, &mask).output,
    );
}

#[test]
fn a_decoder_block() {
    let dev = Dev::seed_from_u64(3);
    let mut block: DecoderBlock<6, 2, 3, 5> =
        DecoderBlock::new(&dev, 0.0, NormPosition::None);
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
