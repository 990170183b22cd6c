//! The layers, the loss and the whole model without attention against PyTorch:
//! values and gradients.

use crate::names::flat_there;
use ch10_2::parameters::Parameters;
use dfdx::prelude::*;
use kernels::{DefinitionTape, Dev, Tensor2, Tensor3};
use seq2seq::context::FixedContext;
use seq2seq::gru::{Gru, GruCell};
use seq2seq::loss::{cross_entropy, masked_cross_entropy};
use seq2seq::translator::{Config, Translator};
use seq2seq::vocab::Batch;
use testing::{
    agrees, backward_from, cases, close, counts, fixture, flat, gradient_of, load,
    tensor,
};

/// PyTorch's name of a parameter of a unit, or of one of two layers of them.
fn theirs(ours: &str) -> String {
    let (layer, name) = ours.rsplit_once('.').unwrap_or(("", ours));
    let name = name.replace("w_", "weight_").replace("b_", "bias_");
    match layer {
        "" => name,
        "first" => name + "_l0",
        _ => name + "_l1",
    }
}

/// By the kernels and by the definitions.
#[test]
fn a_step_is_that_of_pytorch() {
    step_is_that_of_pytorch::<OwnedTape<f32, Dev>>();
    step_is_that_of_pytorch::<DefinitionTape>();
}

fn step_is_that_of_pytorch<T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>>() {
    let dev = Dev::seed_from_u64(0);
    let right = fixture("gru_cell");
    let mut cell: GruCell<4, 6> = GruCell::new(&dev, 4);
    load(&mut cell, &right["params"], theirs);
    let x: Tensor3<1, 3, 4> = tensor(&dev, &right["inputs"]["x"]);
    let h: Tensor2<3, 6> = tensor(&dev, &right["inputs"]["h"]);
    let from_x: Tensor3<3, 3, 6, _> = cell.input(x.retaped::<T>()).reshape();
    let out = cell.step(from_x, &h);
    let inputs = [("x", gradient_of(&x)), ("h", gradient_of(&h))];
    agrees(&right, &mut cell, theirs, out, &inputs);
}

#[test]
fn two_layers_of_five_steps_are_those_of_pytorch() {
    let dev = Dev::seed_from_u64(0);
    for case in cases("gru_2layer") {
        let mut gru: Gru<4, 6> = Gru::new(&dev, 4, 2, 0.0);
        load(&mut gru, &case["params"], theirs);
        let x: Tensor3<5, 3, 4> = tensor(&dev, &case["inputs"]["X"]);
        let mut state = gru.start();
        let start = case["inputs"].get("h0");
        if let Some(start) = start {
            let layers = start.as_array().expect("a list");
            state = layers.iter().map(|h| tensor(&dev, h)).collect();
        }
        let before = state.clone();
        let out = gru.forward(x.leaky_trace(), &mut state);
        let right = &case["outputs"];
        close(&out.as_vec(), &flat(&right["output"]), 1e-5, "out");
        let last = state.iter().flat_map(|h| h.as_vec()).collect::<Vec<_>>();
        close(&last, &flat(&right["h_n"]), 1e-5, "h_n");
        let cotangent: Tensor3<5, 3, 6> = tensor(&dev, &case["cotangent"]);
        let mut sum = (out * cotangent).sum();
        let of_states = case["cotangent_h_n"].as_array().expect("a list");
        for (h, cotangent) in state.iter().zip(of_states) {
            let cotangent: Tensor2<3, 6> = tensor(&dev, cotangent);
            sum = sum + (h.retaped::<OwnedTape<_, _>>() * cotangent).sum();
        }
        let gradients = sum.backward();
        let grads = &case["grads"];
        close(&gradients.get(&x).as_vec(), &flat(&grads["inputs.X"]), 1e-5, "x");
        if start.is_some() {
            let d: Vec<f32> =
                before.iter().flat_map(|h| gradients.get(h).as_vec()).collect();
            close(&d, &flat(&grads["inputs.h0"]), 1e-5, "h0");
        }
        let wanted = testing::flat_there(&mut gru, grads, theirs);
        close(&gru.flat_gradient(gradients), &wanted, 1e-5, "parameters");
    }
}

/// The logits of the fixture are given; those of a layer whose matrix is the
/// identity are its inputs.
#[test]
fn the_loss_is_that_of_pytorch() {
    let dev = Dev::seed_from_u64(0);
    let right = fixture("masked_cross_entropy");
    let x: Tensor3<3, 4, 7> = tensor(&dev, &right["inputs"]["logits"]);
    let labels = counts::<3, 4>(&right["inputs"]["labels"]);
    let [lens] = counts::<1, 3>(&right["inputs"]["valid_lens"]);
    let identity: Tensor2<7, 7> =
        dev.tensor(std::array::from_fn(|i| std::array::from_fn(|j| f32::from(i == j))));
    let weight = identity.reshape_like(&(7, Const::<7>));
    let bias = dev.zeros_like(&(7,));
    let out = masked_cross_entropy(x.leaky_trace(), &weight, &bias, &labels, &lens);
    let logits = x.clone().reshape_like(&(Const, Const, 7));
    let each = cross_entropy::<3, 4, _>(logits, &labels).array();
    for ((each, &len), &ours) in each.iter().zip(&lens).zip(&out.array()) {
        let sum: f32 = each[..len].iter().sum();
        assert!((sum / 4.0 - ours).abs() < 1e-5);
    }
    agrees(&right, &mut FixedContext, theirs, out, &[("logits", gradient_of(&x))]);
}

/// However large they are.
#[test]
fn equal_logits_cost_ln_10_for_each_token_that_counts() {
    let dev = Dev::seed_from_u64(0);
    let x: Tensor3<3, 4, 2> = dev.ones();
    let (weight, bias) = (dev.zeros_like(&(10, Const)), dev.ones_like(&(10,)) * 500.0);
    let loss = masked_cross_entropy(x, &weight, &bias, &[[1; 4]; 3], &[4, 2, 0]);
    let [full, half, none] = loss.array();
    assert!((full - 10f32.ln()).abs() < 1e-4); // 2.3026
    assert!((half - 10f32.ln() / 2.0).abs() < 1e-4); // 1.1513
    assert_eq!(none, 0.0);
}

/// The whole model with one context for all steps, by the kernels and by the
/// definitions. Two layers: the context is the state of the second.
#[test]
fn the_model_without_attention_is_that_of_pytorch() {
    model_is_that_of_pytorch::<OwnedTape<f32, Dev>>();
    model_is_that_of_pytorch::<DefinitionTape>();
}

fn model_is_that_of_pytorch<T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>>() {
    let dev = Dev::seed_from_u64(0);
    let right = fixture("seq2seq_gru");
    let config = Config { layers: 2, embedding_dropout: 0.0, layer_dropout: 0.0 };
    let mut model: Translator<5, 6, FixedContext> =
        Translator::new(&dev, (9, 10), &config, FixedContext);
    let there = flat_there(&mut model, &right["params"], 6);
    model.load_flat(&there);
    let inputs = &right["inputs"];
    let [source_lens] = counts::<1, 4>(&inputs["src_valid_lens"]);
    let [target_lens] = counts::<1, 4>(&inputs["labels_valid_lens"]);
    let source = counts::<4, 7>(&inputs["src"]);
    let target = counts::<4, 7>(&inputs["labels"]);
    let batch = Batch { source, source_lens, target, target_lens };
    assert_eq!(batch.teacher_forcing(), counts::<4, 7>(&inputs["dec_input"]));
    let outputs = &right["outputs"];
    let (encoded, _) = model.encoder.forward(&source, &source_lens, NoneTape);
    let steps_first: Tensor3<7, 4, 6> = encoded.outputs.clone().permute();
    let steps_first = steps_first.contiguous().as_vec();
    close(&steps_first, &flat(&outputs["enc_outputs"]), 1e-5, "encoder");
    let (mut state, _) = model.decoder.start(encoded, NoneTape);
    let forcing = batch.teacher_forcing();
    let (states, weights) =
        model.decoder.forward::<4, 7, 7, _>(&forcing, &mut state, NoneTape);
    assert!(weights.is_empty());
    let logits = model.decoder.output.logits(states);
    close(&logits.as_vec(), &flat(&outputs["logits"]), 1e-5, "logits");
    let hidden: Vec<f32> = state.hidden.iter().flat_map(|h| h.as_vec()).collect();
    close(&hidden, &flat(&outputs["dec_state"]), 1e-5, "state");
    let loss = model.loss(&batch, T::default());
    close(&loss.as_vec(), &flat(&outputs["output"]), 1e-5, "loss");
    let gradients = backward_from(loss, &flat(&right["cotangent"]));
    let gradient = model.flat_gradient(gradients);
    let there = flat_there(&mut model, &right["grads"], 6);
    close(&gradient, &there, 1e-5, "gradient");
}
