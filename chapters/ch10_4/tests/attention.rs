//! Laws of the decoder with attention.

use ch10_1::Dev;
use ch10_4::Attention;
use dfdx::prelude::*;
use seq2seq::course::D2L;
use seq2seq::parameters::Parameters;
use seq2seq::text::read_pairs;
use seq2seq::translator::{Dropouts, Translator};
use seq2seq::vocab::{Batch, Languages};

const FILE: &[u8] = b"a b a\tx y\nb a\ty y x\nb\tx\na a b b\ty\n";

type Model = Translator<6, 5, Attention<5>>;

fn setting() -> (Model, Batch<4, 6>) {
    let dev = Dev::seed_from_u64(1);
    let attention = Attention::new(&dev, 0.0);
    let pairs = read_pairs(FILE, 3).expect("is right");
    let languages = Languages::of(&pairs);
    let batch = Batch::new(&pairs, &languages).expect("fits");
    (Translator::new(&dev, (6, 6), 2, Dropouts::default(), attention), batch)
}

#[test]
fn padding_gets_no_weight_and_the_rest_sums_to_1() {
    let (model, batch) = setting();
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
    let (model, batch) = setting();
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
    let (model, mut batch) = setting();
    let before = model.loss(&batch, NoneTape).array();
    batch.source[3] = [5; 6];
    assert_eq!(model.loss(&batch, NoneTape).array(), before);
}

#[test]
fn every_parameter_takes_part() {
    let (mut model, batch) = setting();
    let loss = model.loss(&batch, OwnedTape::default());
    let mut gradients = loss.sum().backward();
    for (name, parameter) in model.parameters() {
        let mut row = Vec::new();
        parameter.gradient(&mut gradients, &mut row);
        assert!(row.iter().any(|g| *g != 0.0), "{name}");
    }
}

/// Embedding and hidden width 32, two layers, the vocabularies of d2l.
#[test]
fn the_model_of_d2l_has_49449_parameters() {
    let dev = Dev::seed_from_u64(0);
    let attention: Attention<32> = Attention::new(&dev, 0.1);
    let mut model: Translator<32, 32, _> =
        Translator::new(&dev, (184, 201), 2, D2L.dropouts, attention);
    assert_eq!(model.count(), 49_449);
}
