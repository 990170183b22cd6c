//! Laws of the decoder with attention.

use crate::common::few_pairs;
use ch10_2::parameters::Parameters;
use ch10_4::mean_context::MeanContext;
use ch10_4::{BahdanauAttention, CONFIG, DROPOUT, SCHEDULE, WIDTH, translator};
use dfdx::prelude::*;
use kernels::Dev;
use seq2seq::decoder::Decoder;
use seq2seq::translator::{Config, Translator};
use seq2seq::vocab::Batch;
use testing::close;

type Model = Translator<6, 5, BahdanauAttention<5>>;

/// Three sentences, and a row that is left over.
fn setting(dropout: f32) -> (Model, Batch<4, 6>) {
    let dev = Dev::seed_from_u64(1);
    let config = Config { layers: 2, embedding_dropout: 0.0, layer_dropout: 0.0 };
    let attention = BahdanauAttention::new(&dev, dropout);
    let (pairs, vocabularies) = few_pairs();
    let batch = Batch::new(&pairs[..3], &vocabularies).expect("fits");
    (Translator::new(&dev, (6, 6), &config, attention), batch)
}

#[test]
fn padding_gets_no_weight_and_the_rest_sums_to_1() {
    let (model, batch) = setting(0.0);
    let weights = model.weights(&batch);
    assert_eq!(weights.len(), 6);
    for step in weights {
        for (row, &len) in step.iter().zip(&batch.source_lens) {
            assert!(row[len..].iter().all(|&w| w == 0.0), "{row:?}");
            let sum: f32 = row.iter().sum();
            let right = if len == 0 { 0.0 } else { 1.0 };
            assert!((sum - right).abs() < 1e-6, "{row:?}");
        }
    }
}

#[test]
fn a_sentence_alone_is_a_sentence_in_a_batch() {
    let (model, batch) = setting(0.0);
    let together = model.loss(&batch, NoneTape).array();
    let all = model.weights(&batch);
    for b in 0..3 {
        let alone: Batch<1, 6> = Batch {
            source: [batch.source[b]],
            source_lens: [batch.source_lens[b]],
            target: [batch.target[b]],
            target_lens: [batch.target_lens[b]],
        };
        let [loss] = model.loss(&alone, NoneTape).array();
        assert!((loss - together[b]).abs() < 1e-5);
        for (one, many) in model.weights(&alone).iter().zip(&all) {
            let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
            assert!(one[0].iter().zip(&many[b]).all(close));
        }
    }
}

#[test]
fn an_example_of_length_0_does_not_matter() {
    let (model, mut batch) = setting(0.0);
    let before = model.loss(&batch, NoneTape).array();
    batch.source[3] = [5; 6];
    assert_eq!(model.loss(&batch, NoneTape).array(), before);
}

/// Scores that are all equal weigh all states alike: the mean context is attention
/// whose w_v is 0, in the loss and in the gradient of what both have.
#[test]
fn the_mean_of_states_is_attention_without_a_choice() {
    let (mut attending, batch) = setting(0.0);
    let w_v = &mut attending.decoder.context.additive.w_v;
    *w_v = w_v.device().zeros();
    for step in attending.weights(&batch) {
        for (row, &len) in step.iter().zip(&batch.source_lens) {
            let right = |at: usize| if at < len { 1.0 / len as f32 } else { 0.0 };
            assert!(row.iter().enumerate().all(|(at, w)| (w - right(at)).abs() < 1e-6));
        }
    }
    let Translator { encoder, decoder } = attending.clone();
    let Decoder { embedding, dropout, w_context, rnn, output, .. } = decoder;
    let decoder =
        Decoder { embedding, dropout, context: MeanContext, w_context, rnn, output };
    let mean = Translator { encoder, decoder };
    close(
        &mean.loss(&batch, NoneTape).as_vec(),
        &attending.loss(&batch, NoneTape).as_vec(),
        1e-6,
        "losses",
    );
    let gradients = |model_loss: Tensor<Rank1<4>, f32, Dev, OwnedTape<f32, Dev>>| {
        model_loss.sum().backward()
    };
    let ours = gradients(mean.loss(&batch, OwnedTape::default()));
    let theirs = gradients(attending.loss(&batch, OwnedTape::default()));
    let of = |g: &Gradients<f32, Dev>, w: &Tensor<Rank3<3, 5, 6>, f32, Dev>| {
        g.get(w).as_vec()
    };
    let (a, b) = (&mean.encoder.rnn.first.w_ih, &attending.encoder.rnn.first.w_ih);
    close(&of(&ours, a), &of(&theirs, b), 1e-6, "gradients of the encoder");
    assert!(of(&ours, a).iter().any(|g| g.abs() > 1e-4));
}

#[test]
fn the_mean_context_has_no_parameter() {
    let dev = Dev::seed_from_u64(0);
    let mut model: Translator<WIDTH, WIDTH, MeanContext> =
        Translator::new(&dev, (187, 344), &CONFIG, MeanContext);
    assert_eq!(model.count(), 118_552);
}

#[test]
fn the_dropout_of_the_weights_acts_in_training_alone() {
    let (model, batch) = setting(0.5);
    let taped = || model.loss(&batch, OwnedTape::default()).array();
    assert_ne!(taped(), taped());
    let plain = || model.loss(&batch, NoneTape).array();
    assert_eq!(plain(), plain());
}

#[test]
fn the_translator_has_the_dropouts_and_sizes_of_the_page() {
    let mut model = translator(&Dev::seed_from_u64(0), (187, 344));
    assert_eq!(model.decoder.context.additive.dropout, DROPOUT);
    assert_eq!(model.encoder.dropout, CONFIG.embedding_dropout);
    assert_eq!(model.decoder.dropout, CONFIG.embedding_dropout);
    assert_eq!((WIDTH, DROPOUT, SCHEDULE.epochs), (64, 0.1, 40));
    assert_eq!((CONFIG.layers, CONFIG.embedding_dropout), (1, 0.15));
    assert_eq!(model.count(), 126_808);
    assert_eq!(model.decoder.context.count(), 8_256);
}

/// Embedding and hidden width 32, two layers, the vocabularies of d2l.
#[test]
fn the_model_of_d2l_has_49449_parameters() {
    let dev = Dev::seed_from_u64(0);
    let config = Config { layers: 2, embedding_dropout: 0.0, layer_dropout: 0.1 };
    let attention: BahdanauAttention<32> = BahdanauAttention::new(&dev, 0.1);
    let mut model: Translator<32, 32, _> =
        Translator::new(&dev, (184, 201), &config, attention);
    assert_eq!(model.count(), 49_449);
}
