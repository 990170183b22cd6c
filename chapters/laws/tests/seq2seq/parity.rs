//! The layers, the loss and the whole model without attention against PyTorch:
//! values and gradients.

use crate::common::{assert_close, fixture, numbers, rows, tensor};
use crate::names::flat_there;
use ch10_2::parameters::Parameters;
use dfdx::prelude::*;
use kernels::{DefinitionTape, Dev, Tensor2, Tensor3};
use seq2seq::context::FixedContext;
use seq2seq::gru::{Gru, GruCell};
use seq2seq::loss::{cross_entropy, masked_cross_entropy};
use seq2seq::translator::{Config, Translator};
use seq2seq::vocab::Batch;
use serde_json::Value;
use testing::backward_from;

fn cell<const I: usize, const HIDDEN: usize>(
    dev: &Dev,
    params: &Value,
    suffix: &str,
) -> GruCell<I, HIDDEN> {
    let param = |name: &str| &params[&format!("{name}{suffix}")];
    GruCell {
        w_ih: tensor(dev, param("weight_ih")),
        w_hh: tensor(dev, param("weight_hh")),
        b_ih: tensor(dev, param("bias_ih")),
        b_hh: tensor(dev, param("bias_hh")),
    }
}

fn assert_gradients<const I: usize, const HIDDEN: usize>(
    cell: &GruCell<I, HIDDEN>,
    gradients: &Gradients<f32, Dev>,
    right: &Value,
    suffix: &str,
) {
    let right = |name: &str| numbers(&right[&format!("{name}{suffix}")]);
    let w_ih = gradients.get(&cell.w_ih).as_vec();
    assert_close("w_ih", &w_ih, &right("weight_ih"));
    let w_hh = gradients.get(&cell.w_hh).as_vec();
    assert_close("w_hh", &w_hh, &right("weight_hh"));
    let b_ih = gradients.get(&cell.b_ih).as_vec();
    assert_close("b_ih", &b_ih, &right("bias_ih"));
    let b_hh = gradients.get(&cell.b_hh).as_vec();
    assert_close("b_hh", &b_hh, &right("bias_hh"));
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
    let cell: GruCell<4, 6> = cell(&dev, &right["params"], "");
    let x: Tensor3<1, 3, 4> = tensor(&dev, &right["inputs"]["x"]);
    let h: Tensor2<3, 6> = tensor(&dev, &right["inputs"]["h"]);
    let from_x: Tensor3<3, 3, 6, _> = cell.input(x.retaped::<T>()).reshape();
    let out = cell.step(from_x, &h);
    assert_close("h", &out.as_vec(), &numbers(&right["outputs"]["output"]));
    let gradients = backward_from(out, &numbers(&right["cotangent"]));
    assert_gradients(&cell, &gradients, &right["grads"], "");
    let d_x = gradients.get(&x).as_vec();
    assert_close("x", &d_x, &numbers(&right["grads"]["inputs.x"]));
    let d_h = gradients.get(&h).as_vec();
    assert_close("h", &d_h, &numbers(&right["grads"]["inputs.h"]));
}

#[test]
fn two_layers_of_five_steps_are_those_of_pytorch() {
    let dev = Dev::seed_from_u64(0);
    for case in fixture("gru_2layer")["cases"].as_array().expect("two") {
        let gru: Gru<4, 6> = Gru {
            first: cell(&dev, &case["params"], "_l0"),
            upper: vec![cell(&dev, &case["params"], "_l1")],
            dropout: 0.0,
        };
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
        assert_close("out", &out.as_vec(), &numbers(&right["output"]));
        let last = state.iter().flat_map(|h| h.as_vec()).collect::<Vec<_>>();
        assert_close("h_n", &last, &numbers(&right["h_n"]));
        let cotangent: Tensor3<5, 3, 6> = tensor(&dev, &case["cotangent"]);
        let mut sum = (out * cotangent).sum();
        let of_states = case["cotangent_h_n"].as_array().expect("a list");
        for (h, cotangent) in state.iter().zip(of_states) {
            let cotangent: Tensor2<3, 6> = tensor(&dev, cotangent);
            sum = sum + (h.retaped::<OwnedTape<_, _>>() * cotangent).sum();
        }
        let gradients = sum.backward();
        assert_gradients(&gru.first, &gradients, &case["grads"], "_l0");
        assert_gradients(&gru.upper[0], &gradients, &case["grads"], "_l1");
        let d_x = gradients.get(&x).as_vec();
        assert_close("x", &d_x, &numbers(&case["grads"]["inputs.X"]));
        if start.is_some() {
            let d: Vec<f32> =
                before.iter().flat_map(|h| gradients.get(h).as_vec()).collect();
            assert_close("h0", &d, &numbers(&case["grads"]["inputs.h0"]));
        }
    }
}

/// The logits of the fixture are given; those of a layer whose matrix is the
/// identity are its inputs.
#[test]
fn the_loss_is_that_of_pytorch() {
    let dev = Dev::seed_from_u64(0);
    let right = fixture("masked_cross_entropy");
    let x: Tensor3<3, 4, 7> = tensor(&dev, &right["inputs"]["logits"]);
    let labels = rows::<3, 4>(&right["inputs"]["labels"]);
    let [lens] = rows::<1, 3>(&right["inputs"]["valid_lens"]);
    let identity: Tensor2<7, 7> =
        dev.tensor(std::array::from_fn(|i| std::array::from_fn(|j| f32::from(i == j))));
    let weight = identity.reshape_like(&(7, Const::<7>));
    let bias = dev.zeros_like(&(7,));
    let out = masked_cross_entropy(x.leaky_trace(), &weight, &bias, &labels, &lens);
    assert_close("loss", &out.as_vec(), &numbers(&right["outputs"]["output"]));
    let logits = x.clone().reshape_like(&(Const, Const, 7));
    let each = cross_entropy::<3, 4, _>(logits, &labels).array();
    for ((each, &len), &ours) in each.iter().zip(&lens).zip(&out.array()) {
        let sum: f32 = each[..len].iter().sum();
        assert!((sum / 4.0 - ours).abs() < 1e-5);
    }
    let gradients = backward_from(out, &numbers(&right["cotangent"]));
    let d = numbers(&right["grads"]["inputs.logits"]);
    assert_close("logits", &gradients.get(&x).as_vec(), &d);
}

#[test]
fn equal_logits_cost_ln_10_for_each_token_that_counts() {
    let dev = Dev::seed_from_u64(0);
    let x: Tensor3<3, 4, 2> = dev.ones();
    let (weight, bias) = (dev.zeros_like(&(10, Const)), dev.ones_like(&(10,)));
    let loss = masked_cross_entropy(x, &weight, &bias, &[[1; 4]; 3], &[4, 2, 0]);
    let [full, half, none] = loss.array();
    assert!((full - 10f32.ln()).abs() < 1e-5); // 2.3026
    assert!((half - 10f32.ln() / 2.0).abs() < 1e-5); // 1.1513
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
    let flat = flat_there(&mut model, &right["params"], 6);
    model.load_flat(&flat);
    let inputs = &right["inputs"];
    let [source_lens] = rows::<1, 4>(&inputs["src_valid_lens"]);
    let [target_lens] = rows::<1, 4>(&inputs["labels_valid_lens"]);
    let source = rows::<4, 7>(&inputs["src"]);
    let target = rows::<4, 7>(&inputs["labels"]);
    let batch = Batch { source, source_lens, target, target_lens };
    assert_eq!(batch.teacher_forcing(), rows::<4, 7>(&inputs["dec_input"]));
    let outputs = &right["outputs"];
    let (encoded, _) = model.encoder.forward(&source, &source_lens, NoneTape);
    let steps_first: Tensor3<7, 4, 6> = encoded.outputs.clone().permute();
    let steps_first = steps_first.contiguous().as_vec();
    assert_close("encoder", &steps_first, &numbers(&outputs["enc_outputs"]));
    let (mut state, _) = model.decoder.start(encoded, NoneTape);
    let forcing = batch.teacher_forcing();
    let (states, weights) =
        model.decoder.forward::<4, 7, 7, _>(&forcing, &mut state, NoneTape);
    assert!(weights.is_empty());
    let logits = model.decoder.output.logits(states);
    assert_close("logits", &logits.as_vec(), &numbers(&outputs["logits"]));
    let hidden: Vec<f32> = state.hidden.iter().flat_map(|h| h.as_vec()).collect();
    assert_close("state", &hidden, &numbers(&outputs["dec_state"]));
    let loss = model.loss(&batch, T::default());
    assert_close("loss", &loss.as_vec(), &numbers(&outputs["output"]));
    let gradients = backward_from(loss, &numbers(&right["cotangent"]));
    let gradient = model.flat_gradient(gradients);
    let there = flat_there(&mut model, &right["grads"], 6);
    assert_close("gradient", &gradient, &there);
}
