//! Values and gradients against PyTorch's, to 1e-5: all layers, post-norm and
//! pre-norm, whole models, decoding, and steps of training.

use crate::names::theirs;
use ch10_2::parameters::Parameters;
use ch10_3::Mask;
use ch10_7::language_model::LanguageModel;
use ch10_7::{
    DecoderBlock, EncoderBlock, FeedForward, LayerNorm, NormPosition, Residual,
    Transformer,
};
use dfdx::prelude::*;
use kernels::{DefinitionTape, Dev, Tensor1, Tensor2, Tensor3, onto_owned_tape};
use seq2seq::greedy::argmax;
use seq2seq::loss::{OutputLayer, logits, masked_cross_entropy};
use seq2seq::train::{Seq2SeqModel, Trainer};
use seq2seq::vocab::{BOS, Batch};
use serde_json::Value;
use testing::{
    GradientOf, agrees, backward_from, cases, close, counts, fixture, flat, flat_there,
    gradient_of, tensor,
};

type KernelTape = OwnedTape<f32, Dev>;

/// Gives a model the parameters of a case.
fn load(model: &mut impl Parameters, case: &Value) {
    testing::load(model, &case["params"], |ours| theirs(ours, &case["params"]));
}

/// The output, and the gradients of the parameters of `model` and of `inputs`.
fn check<S: ConstShape, T: Tape<f32, Dev> + Into<KernelTape>>(
    case: &Value,
    model: &mut impl Parameters,
    output: Tensor<S, f32, Dev, T>,
    inputs: &[(&str, GradientOf)],
) {
    agrees(case, model, |ours| theirs(ours, &case["grads"]), output, inputs);
}

fn mask<const B: usize, const Q: usize, const K: usize>(
    value: &Value,
) -> Mask<B, Q, K> {
    let cells = flat(value);
    assert_eq!(cells.len(), B * Q * K);
    Mask::from_fn(|b, q, k| cells[(b * Q + q) * K + k] == 1.0)
}

fn lens<const B: usize>(value: &Value) -> [usize; B] {
    counts::<1, B>(value)[0]
}

#[test]
fn layers_by_kernels() {
    layers::<KernelTape>();
}

#[test]
fn layers_by_definitions() {
    layers::<DefinitionTape>();
}

fn layers<T: Tape<f32, Dev> + Into<KernelTape>>() {
    layer_norm::<T>();
    residual::<T>();
    feed_forward::<T>();
    encoder_block::<T>();
    decoder_blocks::<T>();
    whole_model_in_training::<T>();
}

fn layer_norm<T: Tape<f32, Dev> + Into<KernelTape>>() {
    let dev = Dev::default();
    let case = &cases("layer_norm")[0];
    let mut layer: LayerNorm<4> = LayerNorm::new(&dev);
    load(&mut layer, case);
    let x: Tensor3<2, 3, 4> = tensor(&dev, &case["inputs"]["X"]);
    let y = layer.forward(x.retaped::<T>());
    check(case, &mut layer, y, &[("X", gradient_of(&x))]);
}

/// Over the last two axes, as d2l's older editions have it in an example, the mean
/// of a row is not 0.
#[test]
fn layer_norm_is_of_the_last_axis_alone() {
    let dev = Dev::default();
    let case = &cases("layer_norm")[1];
    let x: Tensor3<2, 3, 4> = tensor(&dev, &case["inputs"]["X"]);
    let ours = LayerNorm::<4>::new(&dev).forward(x).as_vec();
    let theirs = flat(&case["outputs"]["output"]);
    for (ours, theirs) in ours.chunks(4).zip(theirs.chunks(4)) {
        assert!(ours.iter().sum::<f32>().abs() < 1e-5, "{ours:?}");
        assert!(theirs.iter().sum::<f32>().abs() > 0.1, "{theirs:?}");
    }
}

fn residual<T: Tape<f32, Dev> + Into<KernelTape>>() {
    let dev = Dev::default();
    let case = &fixture("add_norm");
    let mut layer: Residual<4> = Residual::new(&dev, 0.0, NormPosition::Post);
    load(&mut layer, case);
    let x: Tensor3<2, 3, 4> = tensor(&dev, &case["inputs"]["X"]);
    let y: Tensor3<2, 3, 4> = tensor(&dev, &case["inputs"]["Y"]);
    let (output, ()) = layer.forward(x.retaped::<T>(), |taped| {
        (y.clone().put_tape(taped.split_tape().1), ())
    });
    check(case, &mut layer, output, &[("X", gradient_of(&x)), ("Y", gradient_of(&y))]);
}

fn feed_forward<T: Tape<f32, Dev> + Into<KernelTape>>() {
    let dev = Dev::default();
    let case = &fixture("position_wise_ffn");
    let mut layer: FeedForward<4, 6, 8> = FeedForward::new(&dev);
    load(&mut layer, case);
    let x: Tensor3<2, 3, 4> = tensor(&dev, &case["inputs"]["X"]);
    let y = layer.forward(x.retaped::<T>());
    check(case, &mut layer, y, &[("X", gradient_of(&x))]);
}

fn encoder_block<T: Tape<f32, Dev> + Into<KernelTape>>() {
    let dev = Dev::default();
    let case = &fixture("encoder_block");
    let mut block: EncoderBlock<24, 8, 3, 48> =
        EncoderBlock::new(&dev, 0.0, NormPosition::Post);
    load(&mut block, case);
    let x: Tensor3<2, 6, 24> = tensor(&dev, &case["inputs"]["X"]);
    let found = block.forward(x.retaped::<T>(), &Mask::valid_lens([3, 2]));
    let wanted = flat(&case["outputs"]["attention_weights"]);
    close(&found.weights.as_vec(), &wanted, 1e-5, "weights");
    check(case, &mut block, found.output, &[("X", gradient_of(&x))]);
}

#[test]
fn pre_norm_encoder_block() {
    let dev = Dev::default();
    let cases = cases("pre_norm_encoder_block");
    let made = [Mask::valid_lens([5, 3]), Mask::causal_within([5, 3])];
    for (case, made) in cases.iter().zip(made) {
        for mask in [made, mask(&case["inputs"]["mask"])] {
            let mut block: EncoderBlock<12, 3, 4, 20> =
                EncoderBlock::new(&dev, 0.0, NormPosition::Pre);
            load(&mut block, case);
            let x: Tensor3<2, 5, 12> = tensor(&dev, &case["inputs"]["X"]);
            let found = block.forward(x.leaky_trace(), &mask);
            let wanted = flat(&case["outputs"]["attention_weights"]);
            close(&found.weights.as_vec(), &wanted, 1e-5, "weights");
            check(case, &mut block, found.output, &[("X", gradient_of(&x))]);
        }
    }
}

/// One decoder block in either position, with a mask over its own positions and
/// lengths of what was read.
fn decoder_block<
    const M: usize,
    const H: usize,
    const D: usize,
    const FFN: usize,
    const Q: usize,
    const K: usize,
    T: Tape<f32, Dev> + Into<KernelTape>,
>(
    case: &Value,
    position: NormPosition,
    own: &Mask<2, Q, Q>,
    read: [usize; 2],
) {
    let dev = Dev::default();
    let mut block: DecoderBlock<M, H, D, FFN> = DecoderBlock::new(&dev, 0.0, position);
    load(&mut block, case);
    let x: Tensor3<2, Q, M> = tensor(&dev, &case["inputs"]["X"]);
    let rows: Tensor3<2, K, M> = tensor(&dev, &case["inputs"]["enc_outputs"]);
    let memory_mask = Mask::valid_lens(read);
    let (output, weights) = block.forward(x.retaped::<T>(), own, &rows, &memory_mask);
    let wanted = |what: &str| flat(&case["outputs"][what]);
    let (own, cross) = (weights.self_attention, weights.cross_attention);
    close(&own.as_vec(), &wanted("self_attention_weights"), 1e-5, "own");
    close(&cross.as_vec(), &wanted("cross_attention_weights"), 1e-5, "cross");
    let inputs = [("X", gradient_of(&x)), ("enc_outputs", gradient_of(&rows))];
    check(case, &mut block, output, &inputs);
}

/// d2l's decoder is causal in training and not in evaluation; ours is in both.
/// With a mask that hides nothing it agrees with that, too.
fn decoder_blocks<T: Tape<f32, Dev> + Into<KernelTape>>() {
    let post = NormPosition::Post;
    for (case, own) in cases("decoder_block").iter().zip([Mask::causal(), Mask::none()])
    {
        decoder_block::<16, 4, 4, 24, 5, 6, T>(case, post, &own, [3, 2]);
    }
}

#[test]
fn pre_norm_decoder_blocks() {
    let pre = &cases("pre_norm_decoder_block");
    let made = [(Mask::causal(), [5, 2]), (Mask::causal_within([2, 4]), [3, 5])];
    for (case, (own, read)) in pre.iter().zip(made) {
        for own in [own, mask(&case["inputs"]["mask"])] {
            decoder_block::<12, 3, 4, 20, 4, 5, KernelTape>(
                case,
                NormPosition::Pre,
                &own,
                read,
            );
        }
    }
}

fn batch<const B: usize, const S: usize>(inputs: &Value) -> Batch<B, S> {
    Batch {
        source: counts(&inputs["src"]),
        source_lens: lens(&inputs["src_valid_lens"]),
        target: counts(&inputs["labels"]),
        target_lens: lens(&inputs["labels_valid_lens"]),
    }
}

type Small = Transformer<12, 3, 4, 16>;

fn small(case: &Value) -> Small {
    let mut model = Small::new(&Dev::default(), (11, 13), 2, 0.0, NormPosition::Post);
    load(&mut model, case);
    model
}

/// Training there and ours are the same in all: logits, loss, gradients. There
/// the mask is causal whatever the lengths, so only what counts is compared.
fn whole_model_in_training<T: Tape<f32, Dev> + Into<KernelTape>>() {
    let case = &fixture("transformer_train");
    let mut model = small(case);
    let batch: Batch<3, 6> = batch(&case["inputs"]);
    // Here the decoder reads other tokens than the labels before.
    let inputs: [[usize; 6]; 3] = counts(&case["inputs"]["dec_input"]);
    same_logits(&model, &batch, &inputs, &flat(&case["outputs"]["logits"]));
    let source = (&batch.source, &batch.source_lens);
    let target = (&inputs, &batch.target_lens);
    let (rows, _) = model.forward(source, target, T::default());
    let OutputLayer { weight, bias } = model.decoder.output.clone();
    let lens = &batch.target_lens;
    let loss = masked_cross_entropy(rows, &weight, &bias, &batch.target, lens);
    check(case, &mut model, loss, &[]);
}

/// The losses and the gradient of a step with dropout: the same numbers by the
/// kernels and by the definitions that the layers hand to them.
#[test]
fn kernels_and_definitions_drop_the_same() {
    for seed in 0..3 {
        let kernels = with_dropout::<KernelTape>(seed);
        let definitions = with_dropout::<DefinitionTape>(seed);
        close(&kernels, &definitions, 1e-5, &format!("seed {seed}"));
    }
}

fn with_dropout<T: Tape<f32, Dev> + Into<KernelTape>>(seed: u64) -> Vec<f32> {
    let batch: Batch<3, 6> = batch(&fixture("transformer_train")["inputs"]);
    let dev = Dev::seed_from_u64(seed);
    let mut model = Small::new(&dev, (11, 13), 2, 0.3, NormPosition::Post);
    let losses = model.loss(&batch, T::default());
    let values = losses.as_vec();
    let gradients = onto_owned_tape(losses).sum().backward();
    [values, model.flat_gradient(gradients)].concat()
}

fn same_logits<
    const M: usize,
    const H: usize,
    const D: usize,
    const FFN: usize,
    const B: usize,
    const S: usize,
>(
    model: &Transformer<M, H, D, FFN>,
    batch: &Batch<B, S>,
    inputs: &[[usize; S]; B],
    wanted: &[f32],
) {
    let (rows, _) = model.forward(
        (&batch.source, &batch.source_lens),
        (inputs, &batch.target_lens),
        NoneTape,
    );
    let logits = model.decoder.output.logits(rows).as_vec();
    assert_eq!(logits.len(), wanted.len());
    let len = logits.len() / B / S;
    for (at, (ours, wanted)) in logits.chunks(len).zip(wanted.chunks(len)).enumerate() {
        if at % S < batch.target_lens[at / S] {
            close(ours, wanted, 1e-5, "logits");
        }
    }
}

#[test]
fn the_whole_pre_norm_model() {
    let case = &fixture("pre_norm_transformer");
    let mut model: Transformer<8, 2, 4, 12> =
        Transformer::new(&Dev::default(), (9, 10), 2, 0.0, NormPosition::Pre);
    load(&mut model, case);
    let batch: Batch<3, 5> = batch(&case["inputs"]);
    assert_eq!(batch.teacher_forcing(), counts::<3, 5>(&case["inputs"]["dec_input"]));
    let mask = Mask::valid_lens(batch.source_lens);
    let (memory, _) = model.encoder.forward(&batch.source, &mask, NoneTape);
    close(&memory.as_vec(), &flat(&case["outputs"]["enc_outputs"]), 1e-5, "encoder");
    let inputs = batch.teacher_forcing();
    same_logits(&model, &batch, &inputs, &flat(&case["outputs"]["logits"]));
    let loss = model.loss(&batch, OwnedTape::default());
    check(case, &mut model, loss, &[]);
    for n in 0..3 {
        let found =
            greedy::<8, 2, 4, 12, 5, 6>(&model, batch.source[n], batch.source_lens[n]);
        let wanted = &case["greedy"][n];
        assert_eq!(found.0[..], counts::<1, 6>(&wanted["tokens"])[0]);
        close(&found.1, &flat(&wanted["logits"]), 1e-5, "greedy");
    }
}

/// Greedy decoding with true positions is ours, step by step; with the position
/// 0 at each step, as in d2l, it is not.
#[test]
fn positions_count_from_where_a_token_stands() {
    let case = &fixture("transformer_eval");
    let model = small(case);
    let lens: [usize; 3] = lens(&case["inputs"]["src_valid_lens"]);
    let source: [[usize; 6]; 3] = counts(&case["inputs"]["src"]);
    let mut differ = false;
    for n in 0..3 {
        let found = greedy::<12, 3, 4, 16, 6, 8>(&model, source[n], lens[n]);
        let wanted = &case["greedy"]["true_positions"][n];
        assert_eq!(found.0[..], counts::<1, 8>(&wanted["tokens"])[0]);
        close(&found.1, &flat(&wanted["logits"]), 1e-5, "logits");
        let other = flat(&case["greedy"]["d2l"][n]["logits"]);
        differ |= found.1.iter().zip(&other).any(|(a, b)| (a - b).abs() > 0.1);
    }
    assert!(differ, "positions make no difference");
}

/// So many steps with a cache, whatever the tokens are.
fn greedy<
    const M: usize,
    const H: usize,
    const D: usize,
    const FFN: usize,
    const K: usize,
    const P: usize,
>(
    model: &Transformer<M, H, D, FFN>,
    source: [usize; K],
    len: usize,
) -> (Vec<usize>, Vec<f32>) {
    let (memory, _) =
        model.encoder.forward(&[source], &Mask::valid_lens([len]), NoneTape);
    let mut state = model.decoder.start::<1, P, K>(&memory, [len]);
    let (mut token, mut tokens, mut all) = (BOS, Vec::new(), Vec::new());
    for _ in 0..P {
        let (row, _) = model.decoder.step(&[token], &mut state);
        let logits = model.decoder.output.logits(row).as_vec();
        token = argmax(&logits);
        tokens.push(token);
        all.extend(logits);
    }
    (tokens, all)
}

/// Stories, as the language model learns from them.
fn stories<const B: usize, const S: usize>(inputs: &Value) -> Vec<Vec<usize>> {
    let labels: [[usize; S]; B] = counts(&inputs["labels"]);
    let lens: [usize; B] = lens(&inputs["valid_lens"]);
    (0..B).map(|b| labels[b][..lens[b]].to_vec()).collect()
}

#[test]
fn the_language_model() {
    let case = &fixture("language_model");
    let mut model: LanguageModel<12, 3, 4, 16> =
        LanguageModel::new(&Dev::default(), 11, 2, 0.0);
    load(&mut model, case);
    let lens: [usize; 3] = lens(&case["inputs"]["valid_lens"]);
    let read: [[usize; 6]; 3] = counts(&case["inputs"]["tokens"]);
    let (rows, _) = model.forward(&read, &lens, NoneTape);
    let found = logits(rows, &model.stack.embedding.vectors, &model.b_out).as_vec();
    let wanted = flat(&case["outputs"]["logits"]);
    for (at, (ours, wanted)) in found.chunks(11).zip(wanted.chunks(11)).enumerate() {
        if at % 6 < lens[at / 6] {
            close(ours, wanted, 1e-5, "logits");
        }
    }
    let stories = stories::<3, 6>(&case["inputs"]);
    let perplexity = model.perplexity::<6>(&stories) as f32;
    close(&[perplexity], &flat(&case["outputs"]["perplexity"]), 1e-5, "perplexity");
    let all: Vec<&Vec<usize>> = stories.iter().collect();
    let loss: Tensor1<3, _> = model.loss::<3, 6, _>(&all, OwnedTape::default());
    check(case, &mut model, loss, &[]);
}

/// Steps of training by the trainer of the interlude, one worker: losses before
/// each step, and all parameters after the last. Clipping acts in every step.
fn training<M: Parameters + kernels::MaybeSend, const B: usize>(
    name: &str,
    lr: f32,
    model: impl Fn(&Dev) -> M,
    loss: impl Fn(&M) -> Tensor1<B, OwnedTape<f32, Dev>> + Sync,
) {
    let case = &fixture(name);
    let new = |dev: &Dev| {
        let mut model = model(dev);
        load(&mut model, case);
        model
    };
    let mut trainer = Trainer::new(1, 0, lr, new);
    for step in case["steps"].as_array().expect("a list") {
        let losses = loss(trainer.model());
        close(&losses.as_vec(), &flat(&step["loss"]), 1e-5, "loss");
        assert!(flat(&step["grad_norm"])[0] > 1.0, "nothing is clipped");
        trainer.step(&[()], |model, ()| loss(model).sum());
    }
    let mut model = trainer.into_model();
    let after = &case["params_after"];
    let wanted = flat_there(&mut model, after, |ours| theirs(ours, after));
    // Adam divides a small gradient by its own size, and its rounding with it.
    close(&model.flatten(), &wanted, 5e-5, "after");
}

#[test]
fn steps_of_training() {
    for (name, position) in [
        ("train_steps_transformer", NormPosition::Post),
        ("train_steps_pre_norm_transformer", NormPosition::Pre),
    ] {
        let batch: Batch<4, 5> = batch(&fixture(name)["inputs"]);
        let model = |dev: &Dev| -> Transformer<8, 2, 4, 12> {
            Transformer::new(dev, (7, 8), 1, 0.0, position)
        };
        training(name, 0.005, model, |model| model.loss(&batch, OwnedTape::default()));
    }
}

#[test]
fn steps_of_training_the_language_model() {
    let name = "train_steps_language_model";
    let stories = stories::<4, 5>(&fixture(name)["inputs"]);
    let stories: Vec<&Vec<usize>> = stories.iter().collect();
    let model = |dev: &Dev| -> LanguageModel<8, 2, 4, 12> {
        LanguageModel::new(dev, 7, 2, 0.0)
    };
    training(name, 0.004, model, |model| {
        model.loss::<4, 5, _>(&stories, OwnedTape::default())
    });
}

/// Label smoothing (exercise 10) is that of PyTorch, in value and gradient.
#[test]
fn label_smoothing() {
    let case = &fixture("label_smoothing");
    let dev = Dev::default();
    let x: Tensor3<3, 4, 6> = tensor(&dev, &case["inputs"]["logits"]);
    let labels: [[usize; 4]; 3] = counts(&case["inputs"]["labels"]);
    let lens: [usize; 3] = lens(&case["inputs"]["valid_lens"]);
    let each = |x| -> Tensor2<3, 4, _> {
        crate::smoothing::smoothed_cross_entropy(x, &labels, 0.1)
    };
    let shape = (Const::<3>, Const::<4>, 6usize);
    let of = |t: Tensor3<3, 4, 6, OwnedTape<f32, Dev>>| each(t.reshape_like(&shape));
    let found = of(x.leaky_trace());
    close(&found.as_vec(), &flat(&case["outputs"]["each"]), 1e-5, "each");
    let mask: Tensor2<3, 4> = dev.tensor(std::array::from_fn(|b| {
        std::array::from_fn(|s| f32::from(s < lens[b]))
    }));
    let losses: Tensor1<3, _> = (found * mask).sum::<Rank1<3>, _>() / 4.0;
    close(&losses.as_vec(), &flat(&case["outputs"]["output"]), 1e-5, "losses");
    let gradients = backward_from(losses, &flat(&case["cotangent"]));
    let wanted = flat(&case["grads"]["inputs.logits"]);
    close(&gradients.get(&x).as_vec(), &wanted, 1e-5, "gradient");
}
