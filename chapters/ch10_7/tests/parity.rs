//! Values and gradients of section 10.7 against PyTorch's, to 1e-5.

#[path = "../../seq2seq/tests/common/mod.rs"]
mod common;
mod names;

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_7::attention::see;
use ch10_7::decoder::{Masked, causal};
use ch10_7::{
    AddNorm, DecoderBlock, EncoderBlock, LayerNorm, NormAt, PositionWiseFfn,
    Transformer,
};
use common::{assert_close, fixture, numbers, rows, tensor};
use dfdx::prelude::*;
use names::{set, there};
use seq2seq::loss::{logits, masked_cross_entropy};
use seq2seq::parameters::Parameters;
use seq2seq::train::{Adam, Learner, clip};
use seq2seq::vocab::{BOS, Batch};
use serde_json::Value;

type Plain<Form> = Tensor<Form, f32, Dev>;
type Taped<Form> = Tensor<Form, f32, Dev, OwnedTape<f32, Dev>>;

/// Finds the gradient of an input.
type Gradient = Box<dyn Fn(&Gradients<f32, Dev>) -> Vec<f32>>;

fn of<Form: ConstShape>(x: Plain<Form>) -> Gradient {
    Box::new(move |gradients| gradients.get(&x).as_vec())
}

/// The output, and the gradients of the parameters of `model` and of `inputs`.
fn check<Form: ConstShape>(
    case: &Value,
    model: &mut impl Parameters,
    output: Taped<Form>,
    inputs: &[(&str, Gradient)],
) {
    let dev = output.device().clone();
    let right = &case["outputs"]["output"];
    assert_close("output", &output.as_vec(), &numbers(right));
    let weights: Plain<Form> = tensor(&dev, &case["cotangent"]);
    let gradients = (output * weights).sum().backward();
    for (name, input) in inputs {
        let right = numbers(&case["grads"][format!("inputs.{name}")]);
        assert_close(name, &input(&gradients), &right);
    }
    let ours = model.gradient(gradients);
    assert_close("gradients", &ours, &there(model, &case["grads"]));
}

#[test]
fn layer_norm() {
    let dev = Dev::default();
    let case = &fixture("layer_norm")["cases"][0];
    let mut layer: LayerNorm<4> = LayerNorm::new(&dev);
    set(&mut layer, &case["params"]);
    let x: Plain<Rank3<2, 3, 4>> = tensor(&dev, &case["inputs"]["X"]);
    let y = layer.forward(x.leaky_trace());
    check(case, &mut layer, y, &[("X", of(x))]);
}

/// The second case there normalises the last two axes together, ours never
/// does: the numbers differ.
#[test]
fn layer_norm_is_of_the_last_axis_alone() {
    let dev = Dev::default();
    let case = &fixture("layer_norm")["cases"][1];
    let x: Plain<Rank3<2, 3, 4>> = tensor(&dev, &case["inputs"]["X"]);
    let ours = LayerNorm::<4>::new(&dev).forward(x).array();
    for row in ours.as_flattened() {
        assert!(row.iter().sum::<f32>().abs() < 1e-5, "{row:?}");
    }
}

/// The small example of the page: the same four numbers, normalised by row
/// and by column.
#[test]
fn layer_norm_by_hand() {
    let dev = Dev::default();
    let demo = &fixture("layer_norm")["demo"];
    let x: Plain<Rank3<1, 2, 2>> = tensor(&dev, &demo["X"]);
    let y = LayerNorm::<2>::new(&dev).forward(x);
    assert_close("rows", &y.as_vec(), &numbers(&demo["layer_norm"]));
    assert_eq!(y.array()[0].map(|r| r.map(f32::round)), [[-1.0, 1.0]; 2]);
}

#[test]
fn add_norm() {
    let dev = Dev::default();
    let case = &fixture("add_norm");
    let mut layer: AddNorm<4> = AddNorm::new(&dev, 0.0, NormAt::Post);
    set(&mut layer, &case["params"]);
    let x: Plain<Rank3<2, 3, 4>> = tensor(&dev, &case["inputs"]["X"]);
    let y: Plain<Rank3<2, 3, 4>> = tensor(&dev, &case["inputs"]["Y"]);
    let output = layer.after(x.clone(), y.leaky_trace());
    check(case, &mut layer, output, &[("X", of(x)), ("Y", of(y))]);
}

#[test]
fn feed_forward() {
    let dev = Dev::default();
    let case = &fixture("position_wise_ffn");
    let mut layer: PositionWiseFfn<4, 6, 8> = PositionWiseFfn::new(&dev);
    set(&mut layer, &case["params"]);
    let x: Plain<Rank3<2, 3, 4>> = tensor(&dev, &case["inputs"]["X"]);
    let y = layer.forward(x.leaky_trace());
    check(case, &mut layer, y, &[("X", of(x))]);
}

#[test]
fn encoder_block() {
    let dev = Dev::default();
    let case = &fixture("encoder_block");
    let mut block: EncoderBlock<24, 8, 3, 48> =
        EncoderBlock::new(&dev, 0.0, NormAt::Post);
    set(&mut block, &case["params"]);
    let x: Plain<Rank3<2, 6, 24>> = tensor(&dev, &case["inputs"]["X"]);
    let lens = ValidLens::PerExample([3, 2]);
    let found = block.forward(x.leaky_trace(), &lens);
    let right = numbers(&case["outputs"]["attention_weights"]);
    assert_close("weights", &found.weights.as_vec(), &right);
    check(case, &mut block, found.output, &[("X", of(x))]);
}

/// There the decoder is causal in training and not in evaluation; ours is
/// causal in both. With a mask that hides nothing it agrees with that, too.
fn decoder_block(at: usize, own_lens: ValidLens<2, 5>) {
    let dev = Dev::default();
    let case = &fixture("decoder_block")["cases"][at];
    let mut block: DecoderBlock<16, 4, 4, 24> =
        DecoderBlock::new(&dev, 0.0, NormAt::Post);
    set(&mut block, &case["params"]);
    let x: Plain<Rank3<2, 5, 16>> = tensor(&dev, &case["inputs"]["X"]);
    let read: Plain<Rank3<2, 6, 16>> = tensor(&dev, &case["inputs"]["enc_outputs"]);
    let there = Masked {
        seen: see(&block.cross_attention, read.retaped()),
        lens: ValidLens::PerExample([3, 2]),
    };
    let own = |seen| Masked { seen, lens: own_lens };
    let (output, looks) = block.forward(x.leaky_trace(), own, there);
    let right = |what: &str| numbers(&case["outputs"][what]);
    let ours = looks.written.as_vec();
    assert_close("itself", &ours, &right("self_attention_weights"));
    let ours = looks.read.as_vec();
    assert_close("read", &ours, &right("cross_attention_weights"));
    let inputs = [("X", of(x)), ("enc_outputs", of(read))];
    check(case, &mut block, output, &inputs);
}

#[test]
fn decoder_block_in_training() {
    decoder_block(0, causal(&[5; 2]));
}

#[test]
fn decoder_block_without_a_mask() {
    decoder_block(1, ValidLens::All);
}

type Small = Transformer<12, 3, 4, 16>;

fn small(params: &Value) -> Small {
    let dev = Dev::seed_from_u64(0);
    let mut model = Small::new(&dev, (11, 13), 2, 0.0, NormAt::Post);
    set(&mut model, params);
    model
}

fn batch<const B: usize, const S: usize>(inputs: &Value) -> Batch<B, S> {
    let [source_lens] = rows(&inputs["src_valid_lens"]);
    let [target_lens] = rows(&inputs["labels_valid_lens"]);
    let (source, target) = (rows(&inputs["src"]), rows(&inputs["labels"]));
    Batch { source, source_lens, target, target_lens }
}

/// Training there and ours are the same in all: logits, loss, gradients.
#[test]
fn the_whole_model_in_training() {
    let case = &fixture("transformer_train");
    let mut model = small(&case["params"]);
    let batch: Batch<3, 6> = batch(&case["inputs"]);
    let input: [[usize; 6]; 3] = rows(&case["inputs"]["dec_input"]);
    let (read, _) = model.encoder.forward(
        &batch.source,
        &batch.source_lens,
        OwnedTape::<f32, Dev>::default(),
    );
    let lens = &batch.source_lens;
    let (states, _) = model.decoder.forward(&input, &[6; 3], read, lens);
    let by_step = states.permute::<Rank3<6, 3, 12>, _>();
    let logits = logits(by_step, model.decoder.words());
    let dev = logits.device().clone();
    let right: Plain<Rank3<3, 6, 13>> = tensor(&dev, &case["outputs"]["logits"]);
    let right: Plain<Rank3<6, 3, 13>> = right.permute();
    assert_close("logits", &logits.as_vec(), &right.contiguous().as_vec());
    let loss = masked_cross_entropy(logits, &batch.target, &batch.target_lens);
    check(case, &mut model, loss, &[]);
}

/// In evaluation theirs looks at later positions, ours does not: what the
/// encoder reads is the same, and so is the last position, which may look at
/// all in both, as far as one layer goes.
#[test]
fn the_whole_model_in_evaluation() {
    let case = &fixture("transformer_eval");
    let model = small(&case["params"]);
    let [lens] = rows::<1, 3>(&case["inputs"]["src_valid_lens"]);
    let source: [[usize; 6]; 3] = rows(&case["inputs"]["src"]);
    let (read, _) = model.encoder.forward(&source, &lens, NoneTape);
    let right = numbers(&case["outputs"]["enc_outputs"]);
    assert_close("encoder", &read.as_vec(), &right);
    let input: [[usize; 6]; 3] = rows(&case["inputs"]["dec_input"]);
    let (_, weights) = model.decoder.forward(&input, &[6; 3], read, &lens);
    let theirs = numbers(&case["outputs"]["dec_self_attention"][0]);
    let ours = weights[0].written.as_vec();
    let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5;
    let mut differ = 0;
    for (row, (a, b)) in ours.chunks(6).zip(theirs.chunks(6)).enumerate() {
        let (q, same) = (row % 6, a.iter().zip(b).all(close));
        assert!(a[q + 1..].iter().all(|weight| *weight == 0.0));
        assert!(q < 5 || same, "the last position sees all in both");
        differ += usize::from(!same);
    }
    assert!(differ > 20, "{differ} rows differ");
}

/// Greedy decoding there with true positions is ours, step by step; with the
/// position 0 at each step, as in the book, it is not.
#[test]
fn greedy_decoding() {
    let case = &fixture("transformer_eval");
    let model = small(&case["params"]);
    let [lens] = rows::<1, 3>(&case["inputs"]["src_valid_lens"]);
    let source: [[usize; 6]; 3] = rows(&case["inputs"]["src"]);
    let outputs = &case["greedy"];
    let mut differ = false;
    for b in 0..3 {
        let ours = greedy(&model, source[b], lens[b]);
        let right = &outputs["true_positions"][b];
        let tokens: Vec<usize> = ours.iter().map(|(token, _)| *token).collect();
        let [right_tokens] = rows::<1, 8>(&right["tokens"]);
        assert_eq!(tokens, right_tokens);
        let logits: Vec<f32> = ours.iter().flat_map(|x| x.1.clone()).collect();
        assert_close("logits", &logits, &numbers(&right["logits"]));
        let other = numbers(&outputs["d2l"][b]["logits"]);
        let far = |(a, b): (&f32, &f32)| (a - b).abs() > 0.1;
        differ |= logits.iter().zip(&other).any(far);
    }
    assert!(differ, "positions make no difference");
}

fn greedy(model: &Small, source: [usize; 6], len: usize) -> Vec<(usize, Vec<f32>)> {
    let (read, _) = model.encoder.forward(&[source], &[len], NoneTape);
    let mut writing = model.decoder.start::<1, 8, 6>(&read, &[len]);
    let mut token = BOS;
    let step = |_| {
        let (row, _) = model.decoder.step(&[token], &mut writing);
        let logits = logits(row, model.decoder.words()).as_vec();
        let best = logits.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        token = best.expect("there are words").0;
        (token, logits)
    };
    (0..8).map(step).collect()
}

#[test]
fn three_steps_of_training() {
    let case = &fixture("train_steps_transformer");
    let dev = Dev::seed_from_u64(0);
    let mut model: Transformer<8, 2, 4, 12> =
        Transformer::new(&dev, (7, 8), 1, 0.0, NormAt::Post);
    set(&mut model, &case["params"]);
    let batch: Batch<4, 5> = batch(&case["inputs"]);
    let mut row = model.row();
    let mut adam = Adam::new(row.len(), 0.005);
    for step in case["steps"].as_array().expect("a list") {
        let losses = model.loss(&batch, OwnedTape::default());
        assert_close("loss", &losses.as_vec(), &numbers(&step["loss"]));
        let mut gradients = model.gradient(losses.sum().backward());
        let norm = clip(&mut gradients, 1.0);
        assert_close("norm", &[norm], &numbers(&step["grad_norm"]));
        adam.update(&mut row, &gradients);
        model.set_row(&row);
    }
    // Adam divides by the size of a gradient, so where that is next to 0 its
    // last digits decide: of those few, the direction of a step.
    let right = there(&mut model, &case["params_after"]);
    let apart = row.iter().zip(&right).map(|(a, b)| (a - b).abs());
    let far = apart.filter(|apart| *apart > 1e-4).count();
    assert!(far * 100 < row.len(), "{far} of {} differ", row.len());
}
