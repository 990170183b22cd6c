//! Exercise 2 of the interlude: an encoder of 16 hidden units and a decoder of
//! 24, with a matrix between them.

use ch10_3::xavier_uniform;
use dfdx::prelude::*;
use kernels::{Dev, Tensor2};
use seq2seq::context::FixedContext;
use seq2seq::encoder::Encoded;
use seq2seq::loss::masked_cross_entropy;
use seq2seq::translator::{Config, Translator};

/// States of 16 numbers as states of 24.
fn widen<const B: usize, T: Tape<f32, Dev>>(
    state: Tensor2<B, 16, T>,
    bridge: &Tensor2<16, 24>,
) -> Tensor2<B, 24, T> {
    state.matmul(bridge.retaped::<T>()).tanh()
}

fn main() {
    let dev = Dev::seed_from_u64(0);
    let config = Config { layers: 2, embedding_dropout: 0.0, layer_dropout: 0.0 };
    let reader: Translator<8, 16, FixedContext> =
        Translator::new(&dev, (10, 10), &config, FixedContext);
    let writer: Translator<8, 24, FixedContext> =
        Translator::new(&dev, (10, 10), &config, FixedContext);
    let bridge: Tensor2<16, 24> = xavier_uniform(&dev, 16, 24);

    let (tokens, lens) = ([[4, 5, 6, 7, 3]; 2], [5, 5]);
    let (encoded, mut tape) =
        reader.encoder.forward(&tokens, &lens, OwnedTape::default());
    println!("state of a layer    {:?}", encoded.state[0].shape().concrete());
    let state = encoded.state.into_iter().map(|h| {
        let wide = widen(h.put_tape(std::mem::take(&mut tape)), &bridge);
        let (wide, so_far) = wide.split_tape();
        tape = so_far;
        wide
    });
    let state: Vec<Tensor2<2, 24>> = state.collect();
    println!("after the matrix    {:?}", state[0].shape().concrete());
    // With one context for all steps, the outputs of the steps are not read.
    let encoded: Encoded<2, 5, 24> = Encoded { outputs: dev.zeros(), state, lens };

    let (mut state, tape) = writer.decoder.start(encoded, tape);
    let read = [[2, 4, 5, 6, 7]; 2];
    let (states, _) = writer.decoder.forward::<2, 5, 5, _>(&read, &mut state, tape);
    let output = &writer.decoder.output;
    let losses =
        masked_cross_entropy(states, &output.weight, &output.bias, &tokens, &lens);
    let loss = losses.sum::<Rank0, _>();
    println!("loss                {:.4}", loss.array());
    let gradients = loss.backward();
    let least = gradients.get(&bridge).abs().min::<Rank0, _>().array();
    println!("every number of the matrix has a gradient: {}", least > 0.0);
    assert!(least > 0.0);
}
