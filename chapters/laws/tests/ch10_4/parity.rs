//! The model with attention, and training it, against PyTorch.

use crate::names::flat_there;
use ch10_2::parameters::Parameters;
use ch10_4::BahdanauAttention;
use dfdx::prelude::*;
use kernels::{DefinitionTape, Dev, Tensor3, onto_owned_tape};
use seq2seq::train::Trainer;
use seq2seq::translator::{Config, Translator};
use seq2seq::vocab::Batch;
use serde_json::Value;
use testing::{close, counts, fixture, flat, tensor};

type Model<const EMBED: usize, const HIDDEN: usize> =
    Translator<EMBED, HIDDEN, BahdanauAttention<HIDDEN>>;

fn model<const EMBED: usize, const HIDDEN: usize>(
    dev: &Dev,
    sizes: (usize, usize),
    params: &Value,
) -> Model<EMBED, HIDDEN> {
    let config = Config { layers: 2, embedding_dropout: 0.0, layer_dropout: 0.0 };
    let attention = BahdanauAttention::new(dev, 0.0);
    let mut model = Translator::new(dev, sizes, &config, attention);
    let flat = flat_there(&mut model, params, HIDDEN);
    model.load_flat(&flat);
    model
}

/// By the kernels and by the definitions.
#[test]
fn outputs_weights_and_gradients_are_those_of_pytorch() {
    outputs_are_those_of_pytorch::<OwnedTape<f32, Dev>>();
    outputs_are_those_of_pytorch::<DefinitionTape>();
}

fn outputs_are_those_of_pytorch<T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>>() {
    let dev = Dev::seed_from_u64(0);
    let right = fixture("bahdanau");
    let mut model = model::<8, 12>(&dev, (10, 11), &right["params"]);
    let source = counts::<4, 7>(&right["inputs"]["src"]);
    let input = counts::<4, 7>(&right["inputs"]["dec_input"]);
    let [lens] = counts::<1, 4>(&right["inputs"]["src_valid_lens"]);
    let (encoded, tape) = model.encoder.forward(&source, &lens, T::default());
    let outputs = &right["outputs"];
    let steps_first: Tensor3<7, 4, 12> = encoded.outputs.clone().permute();
    let ours = steps_first.contiguous().as_vec();
    close(&ours, &flat(&outputs["enc_outputs"]), 1e-5, "encoder");
    let (mut state, tape) = model.decoder.start(encoded, tape);
    let (states, weights) = model.decoder.forward(&input, &mut state, tape);
    let logits = onto_owned_tape(model.decoder.output.logits(states));
    let hidden: Vec<f32> = state.hidden.iter().flat_map(|h| h.as_vec()).collect();
    close(&hidden, &flat(&outputs["dec_state"]), 1e-5, "state");
    let weights: Vec<f32> = weights.iter().flat_map(|w| w.as_vec()).collect();
    close(&weights, &flat(&outputs["attention_weights"]), 1e-5, "weights");
    close(&logits.as_vec(), &flat(&outputs["output"]), 1e-5, "logits");
    let cotangent: Tensor3<4, 7, 11> = tensor(&dev, &right["cotangent"]);
    let cotangent = cotangent.reshape_like(&(Const::<4>, Const::<7>, 11));
    let gradients = (logits * cotangent).sum().backward();
    let ours = model.flat_gradient(gradients);
    let there = flat_there(&mut model, &right["grads"], 12);
    close(&ours, &there, 1e-5, "gradients");
}

/// The losses and the gradient of a step with dropout: the same numbers by the
/// kernels and by the definitions that the layers hand to them.
#[test]
fn kernels_and_definitions_drop_the_same() {
    for seed in 0..3 {
        let kernels = with_dropout::<OwnedTape<f32, Dev>>(seed);
        let definitions = with_dropout::<DefinitionTape>(seed);
        close(&kernels, &definitions, 1e-5, "losses and gradient");
    }
}

fn with_dropout<T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>>(seed: u64) -> Vec<f32> {
    let dev = Dev::seed_from_u64(seed);
    let config = Config { layers: 2, embedding_dropout: 0.3, layer_dropout: 0.3 };
    let attention = BahdanauAttention::new(&dev, 0.3);
    let mut model: Model<4, 4> = Translator::new(&dev, (7, 8), &config, attention);
    let losses =
        model.loss(&step_batch(&fixture("train_steps_bahdanau")), T::default());
    let values = losses.as_vec();
    let gradients = onto_owned_tape(losses).sum().backward();
    [values, model.flat_gradient(gradients)].concat()
}

fn step_batch(right: &Value) -> Batch<4, 5> {
    let inputs = &right["inputs"];
    let [source_lens] = counts::<1, 4>(&inputs["src_valid_lens"]);
    let [target_lens] = counts::<1, 4>(&inputs["labels_valid_lens"]);
    Batch {
        source: counts(&inputs["src"]),
        source_lens,
        target: counts(&inputs["labels"]),
        target_lens,
    }
}

/// By the trainer itself, with its clipping and its Adam.
#[test]
fn three_steps_of_training_are_those_of_pytorch() {
    let right = fixture("train_steps_bahdanau");
    let batch = step_batch(&right);
    let make = |dev: &Dev| model::<4, 4>(dev, (7, 8), &right["params"]);
    let mut trainer = Trainer::new(1, 0, 0.005, make);
    for step in right["steps"].as_array().expect("a list") {
        let before = trainer.model().loss(&batch, NoneTape).as_vec();
        close(&before, &flat(&step["loss"]), 1e-5, "loss");
        let tape = OwnedTape::default;
        let sum =
            trainer.step(&[&batch], |model, batch| model.loss(batch, tape()).sum());
        assert!((sum - before.iter().sum::<f32>()).abs() < 1e-4);
    }
    let mut model = trainer.into_model();
    let there = flat_there(&mut model, &right["params_after"], 4);
    close(&model.flatten(), &there, 1e-5, "parameters");
}
