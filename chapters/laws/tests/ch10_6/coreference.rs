//! The model of what "it" refers to: its masks, its layers, and that one layer can
//! do it, but nothing can without positions.

use ch10_3::Mask;
use ch10_6::coreference::{CoreferenceModel, Masks, Tokens};
use ch10_6::task::one_layer::{all_sentences, by_hand, count_right};
use ch10_6::task::sentences::*;
use dfdx::prelude::*;
use kernels::Dev;
use rand::{SeedableRng, rngs::StdRng};
use testing::{close, parameters_agree};

/// The adjective competes with a noun for the weight of a head. Where it is
/// masked, each head takes its noun, whatever the adjective is.
#[test]
fn one_layer_can_find_it() {
    let (model, all) = (by_hand(), all_sentences());
    assert_eq!(all.len(), 10 * 10 * 16 * 12 + 10 * 9 * 14 * 3);
    assert_eq!(count_right(&model, &all), all.len());
    let batch: SentenceBatch<512> =
        SentenceBatch::new(&Dev::default(), all[..512].to_vec());
    let masks = Masks {
        second: batch.without(&batch.positions(|s| vec![s.adjective()])).second,
        ..batch.without_first()
    };
    let weights = model.forward(&batch.tokens, &masks, NoneTape).second.array();
    for (sentence, [agent, patient]) in batch.sentences.iter().zip(weights) {
        let nouns =
            [sentence.meant, sentence.other].map(|noun| sentence.position(noun));
        for [row] in [agent, patient] {
            assert!(nouns.iter().any(|&k| row[k] > 0.9), "{:?}", sentence.words);
        }
    }
}

/// Without positions, a sentence and the same with its animals exchanged have
/// the same scores.
#[test]
fn without_positions_two_animals_have_no_roles() {
    let dev = Dev::seed_from_u64(4);
    let model = Kind::NoPositions.model(&dev);
    let style = Style { passive: false, reason_first: false, opening: "" };
    let sentences = [("bear", "duck"), ("duck", "bear")].map(|(agent, patient)| {
        let (verb, why, of_agent) = (CHASE[0], "tired", true);
        Sentence::new(&Fact { agent, patient, verb, why, of_agent }, &style)
    });
    let scores = |model: &Model| {
        let batch: SentenceBatch<2> = SentenceBatch::new(&dev, sentences.to_vec());
        model.forward(&batch.tokens, &batch.masks(), NoneTape).logits.array()
    };
    let [[one], [other]] = scores(&model);
    close(&one, &other, 1e-5, "scores");
    let [[one], [other]] = scores(&Kind::Full.model(&dev));
    assert!(one.iter().zip(&other).any(|(a, b)| (a - b).abs() > 1e-3));
}

/// One layer is what is left if the first adds nothing: its parameters change
/// nothing.
#[test]
fn one_layer_is_one_layer() {
    let dev = Dev::seed_from_u64(5);
    let mut model = Model::new(&dev, true);
    let batch: SentenceBatch<4> =
        SentenceBatch::draw(&dev, &mut StdRng::seed_from_u64(5), Split::Test);
    let scores = |model: &Model, masks| {
        model.forward(&batch.tokens, &masks, NoneTape).logits.as_vec()
    };
    let one = scores(&model, batch.without_first());
    let two = scores(&model, batch.masks());
    model.first = Model::new(&dev, true).first;
    assert_eq!(scores(&model, batch.without_first()), one);
    assert_ne!(scores(&model, batch.masks()), two);
}

type Small = CoreferenceModel<7, 5>;

fn small() -> (Small, Tokens<2, 5>) {
    let model = Small::new(&Dev::seed_from_u64(1), true);
    let ids = [[1, 2, 3, 4, 0], [5, 1, 6, 2, 3]];
    (model, Tokens { ids, lens: [4, 5], it: [2, 4] })
}

/// Of the words, through both layers.
#[test]
fn gradients_are_differences() {
    let (model, tokens) = small();
    let mut embedding = model.embedding.clone();
    parameters_agree(&mut embedding, |embedding| {
        let model = Small { embedding: embedding.clone(), ..model.clone() };
        let masks = Masks::new(tokens.lens);
        let output = model.forward(&tokens, &masks, OwnedTape::default());
        output.logits.square().mean()
    });
}

/// Where nothing may attend, a row is its word, times the root of the width,
/// and its position; the answer is a linear layer of that of "it".
#[test]
fn without_attention_the_row_of_it_is_left() {
    let (model, tokens) = small();
    let none =
        Masks { first: Mask::valid_lens([0; 2]), second: Mask::valid_lens([0; 2]) };
    let logits = model.forward(&tokens, &none, NoneTape).logits.array();
    let positions = model.positions.as_ref().expect("with positions");
    let position = positions.encode::<5>(0).array();
    let embedding = model.embedding.array();
    let (ids, it) = (tokens.ids, tokens.it);
    for (b, [logits]) in logits.iter().enumerate() {
        let (word, position) = (embedding[ids[b][it[b]]], position[it[b]]);
        let row = word.iter().zip(&position).map(|(w, p)| w * 32.0f32.sqrt() + p);
        let row: Vec<f32> = row.collect();
        let of = |weight: &[f32; 32]| weight.iter().zip(&row).map(|(w, x)| w * x).sum();
        let wanted: Vec<f32> = model.output.weight.array().iter().map(of).collect();
        close(logits, &wanted, 1e-5, "logits");
    }
}

/// Padding changes nothing, and the mask of the second layer hides a word.
#[test]
fn masks_hide_words() {
    let (model, tokens) = small();
    let masks = Masks::new(tokens.lens);
    let usual = model.forward(&tokens, &masks, NoneTape);
    let mut padded = tokens.clone();
    padded.ids[0][4] = 6;
    let other = model.forward(&padded, &masks, NoneTape);
    assert_eq!(usual.logits.array(), other.logits.array());
    let second = Mask::from_fn(|b, _, k| k < tokens.lens[b] && k != 1);
    let hidden = model.forward(&tokens, &Masks { second, ..masks }, NoneTape);
    assert_eq!(hidden.first.array(), usual.first.array());
    for (b, heads) in hidden.second.array().iter().enumerate() {
        let before = usual.second.array()[b];
        for ([row], [whole]) in heads.iter().zip(&before) {
            assert_eq!(row[1], 0.0);
            // The other weights keep their proportions.
            let expected = whole.map(|w| w / (1.0 - whole[1]));
            close(&row[2..], &expected[2..], 1e-5, "weights");
        }
    }
}

/// Values of 0 leave the weights as they are.
#[test]
fn zeroed_values_leave_a_gap() {
    let dev = Dev::seed_from_u64(2);
    let model = Model::new(&dev, true);
    let batch: SentenceBatch<4> =
        SentenceBatch::draw(&dev, &mut StdRng::seed_from_u64(2), Split::Test);
    let usual = model.forward(&batch.tokens, &batch.masks(), NoneTape);
    let none = batch.positions(|_| vec![]);
    let same = with_values_zeroed(&model, &batch, &none);
    assert_eq!(same.as_vec(), usual.logits.as_vec());
    let it = batch.positions(|s| vec![s.position(s.meant)]);
    let gap = with_values_zeroed(&model, &batch, &it);
    assert_ne!(gap.as_vec(), usual.logits.as_vec());
    let masked = model.forward(&batch.tokens, &batch.without(&it), NoneTape);
    assert_ne!(gap.as_vec(), masked.logits.as_vec());
}
