//! The decoder with attention, and training it, against PyTorch.

#[path = "../../seq2seq/tests/common/mod.rs"]
mod common;

use ch10_1::Dev;
use ch10_4::Attention;
use common::{assert_close, fixture, numbers, rows, tensor};
use dfdx::prelude::*;
use seq2seq::loss::logits;
use seq2seq::parameters::Parameters;
use seq2seq::train::{Adam, clip};
use seq2seq::translator::{Dropouts, Translator};
use seq2seq::vocab::Batch;
use serde_json::Value;

/// PyTorch's name of one of our parameters.
fn name_there(ours: &str) -> String {
    let (side, rest) = ours.split_once('.').expect("encoder or decoder");
    let parts: Vec<&str> = rest.split('.').collect();
    match parts[..] {
        ["embedding"] => format!("{side}.embedding.weight"),
        ["w_context"] => "decoder.rnn.weight_ih_l0".into(),
        ["w_out"] => "decoder.dense.weight".into(),
        ["b_out"] => "decoder.dense.bias".into(),
        ["context", "w_q"] => "decoder.attention.W_q.weight".into(),
        ["context", "w_k"] => "decoder.attention.W_k.weight".into(),
        ["context", "w_v"] => "decoder.attention.w_v.weight".into(),
        ["rnn", layer, weight] => {
            let weight = weight.replace("w_", "weight_").replace("b_", "bias_");
            format!("{side}.rnn.{weight}_{}", layer.replace("layer_", "l"))
        }
        _ => panic!("{ours}: what is it there?"),
    }
}

/// One of our parameters out of PyTorch's. The first layer of its decoder
/// reads context and embedding as one vector, ours as two.
fn value_there(values: &Value, ours: &str, width: usize) -> Vec<f32> {
    let all = numbers(&values[&name_there(ours)]);
    let columns = match ours {
        "decoder.w_context" => 0..width,
        "decoder.rnn.layer_0.w_ih" => width..usize::MAX,
        _ => return all,
    };
    let row = values["decoder.rnn.weight_ih_l0"][0].as_array();
    let row = row.expect("a list").len();
    let columns = columns.start..columns.end.min(row);
    let rows = all.chunks(row).map(|row| row[columns.clone()].to_vec());
    rows.flatten().collect()
}

fn row_there(model: &mut impl Parameters, values: &Value, width: usize) -> Vec<f32> {
    let names = model.parameters().into_iter().map(|(name, _)| name);
    names.flat_map(|name| value_there(values, &name, width)).collect()
}

fn model<const EMBED: usize, const HIDDEN: usize>(
    words: (usize, usize),
    params: &Value,
) -> Translator<EMBED, HIDDEN, Attention<HIDDEN>> {
    let dev = Dev::seed_from_u64(0);
    let attention = Attention::new(&dev, 0.0);
    let mut model = Translator::new(&dev, words, 2, Dropouts::default(), attention);
    let row = row_there(&mut model, params, HIDDEN);
    model.set_row(&row);
    model
}

#[test]
fn outputs_weights_and_gradients_are_those_of_pytorch() {
    let dev = Dev::seed_from_u64(0);
    let right = fixture("bahdanau");
    let mut model = model::<8, 12>((10, 11), &right["params"]);
    let source = rows::<4, 7>(&right["inputs"]["src"]);
    let input = rows::<4, 7>(&right["inputs"]["dec_input"]);
    let [lens] = rows::<1, 4>(&right["inputs"]["src_valid_lens"]);
    let tape = OwnedTape::<f32, Dev>::default();
    let (encoded, tape) = model.encoder.forward(&source, &lens, tape);
    let outputs = &right["outputs"];
    let ours = encoded.outputs.as_vec();
    assert_close("encoder", &ours, &numbers(&outputs["enc_outputs"]));
    let (mut writing, tape) = model.decoder.start(encoded, tape);
    let (states, weights) = model.decoder.forward(&input, &mut writing, tape);
    let logits = logits(states, model.decoder.words());
    let state: Vec<f32> = writing.state.iter().flat_map(|h| h.as_vec()).collect();
    assert_close("state", &state, &numbers(&outputs["dec_state"]));
    let weights: Vec<f32> = weights.iter().flat_map(|w| w.as_vec()).collect();
    assert_close("weights", &weights, &numbers(&outputs["attention_weights"]));
    let to_ours = |value: &Value| {
        let there: Tensor<Rank3<4, 7, 11>, f32, Dev> = tensor(&dev, value);
        let x: Tensor<Rank3<7, 4, 11>, f32, Dev> = there.permute();
        x.contiguous().reshape_like(&(Const::<7>, Const::<4>, 11))
    };
    let right_logits = to_ours(&outputs["output"]).as_vec();
    assert_close("logits", &logits.as_vec(), &right_logits);
    let gradients = (logits * to_ours(&right["cotangent"])).sum().backward();
    let ours = model.gradient(gradients);
    let there = row_there(&mut model, &right["grads"], 12);
    assert_close("gradients", &ours, &there);
}

#[test]
fn three_steps_of_training_are_those_of_pytorch() {
    let right = fixture("train_steps_bahdanau");
    let mut model = model::<4, 4>((7, 8), &right["params"]);
    let inputs = &right["inputs"];
    let [source_lens] = rows::<1, 4>(&inputs["src_valid_lens"]);
    let [target_lens] = rows::<1, 4>(&inputs["labels_valid_lens"]);
    let batch: Batch<4, 5> = Batch {
        source: rows(&inputs["src"]),
        source_lens,
        target: rows(&inputs["labels"]),
        target_lens,
    };
    let mut row = model.row();
    let mut adam = Adam::new(row.len(), 0.005);
    for step in right["steps"].as_array().expect("a list") {
        let losses = model.loss(&batch, OwnedTape::default());
        assert_close("loss", &losses.as_vec(), &numbers(&step["loss"]));
        let mut gradients = model.gradient(losses.sum().backward());
        let norm = clip(&mut gradients, 1.0);
        assert_close("norm", &[norm], &numbers(&step["grad_norm"]));
        adam.update(&mut row, &gradients);
        model.set_row(&row);
    }
    let there = row_there(&mut model, &right["params_after"], 4);
    assert_close("parameters", &row, &there);
}
