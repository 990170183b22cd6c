//! Exercise 2 of the interlude: an encoder of 16 hidden units and a decoder
//! of 24, with a matrix between them.

use anyhow::Result;
use ch10_1::Dev;
use dfdx::prelude::*;
use seq2seq::context::LastState;
use seq2seq::encoder::Encoded;
use seq2seq::gru::{uniform, xavier};
use seq2seq::loss::{logits, masked_cross_entropy};
use seq2seq::translator::{Dropouts, Translator};

/// States of 16 numbers as states of 24.
fn widened<const N: usize, T: Tape<f32, Dev>>(
    state: Tensor<Rank2<N, 16>, f32, Dev, T>,
    bridge: &Tensor<Rank2<16, 24>, f32, Dev>,
) -> Tensor<Rank2<N, 24>, f32, Dev, T> {
    state.matmul(bridge.retaped::<T>()).tanh()
}

fn main() -> Result<()> {
    let dev = Dev::seed_from_u64(0);
    let words = (10, 10);
    let reads: Translator<8, 16, LastState> =
        Translator::new(&dev, words, 2, Dropouts::default(), LastState);
    let writes: Translator<8, 24, LastState> =
        Translator::new(&dev, words, 2, Dropouts::default(), LastState);
    let bridge: Tensor<Rank2<16, 24>, f32, Dev> = uniform(&dev, xavier(16, 24));

    let (tokens, lens) = ([[4, 5, 6, 7, 3]; 2], [5, 5]);
    let tape = OwnedTape::default();
    let (read, mut tape) = reads.encoder.forward(&tokens, &lens, tape);
    println!("state of a layer    {:?}", read.state[0].shape().concrete());
    let mut state = Vec::new();
    for h in read.state {
        let (h, so_far) = widened(h.put_tape(tape), &bridge).split_tape();
        state.push(h);
        tape = so_far;
    }
    println!("behind the matrix   {:?}", state[0].shape().concrete());
    // Nobody looks at the states of the steps when there is one context.
    let encoded: Encoded<5, 2, 24> = Encoded { outputs: dev.zeros(), state, lens };

    let (mut writing, tape) = writes.decoder.start(encoded, tape);
    let forced = [[2, 4, 5, 6, 7]; 2];
    let (states, _) = writes.decoder.forward::<5, 2, 5, _>(&forced, &mut writing, tape);
    let logits = logits(states, writes.decoder.words());
    println!("logits              {:?}", logits.shape().concrete());
    let loss = masked_cross_entropy(logits, &tokens, &lens);
    let loss = loss.sum::<Rank0, _>();
    println!("loss                {:.4}", loss.array());
    let gradients = loss.backward();
    let d = gradients.get(&bridge).abs().min::<Rank0, _>().array();
    println!("every number of the matrix has a gradient: {}", d > 0.0);
    assert!(d > 0.0);
    Ok(())
}
