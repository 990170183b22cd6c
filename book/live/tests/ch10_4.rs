//! Section 10.4 and its interlude: a sentence in French, with attention and
//! without.

use crate::common::{Native, agree, model, numbers};
use crate::scores::{TOLERANCE, held_out_bleu, page};
use live::Page;
use live::ch10_4::Translators;
use live::model::ModelFile;
use seq2seq::dataset::Dataset;

const PAGE: &str = "ch10_4";
const CAR: &str = r#"{"translate": {"sentence": "The red car is new."}}"#;

#[test]
fn the_sentence_of_the_page_is_translated() {
    let answer = Native::<Translators>::start(PAGE).ok(CAR);
    let read = ["the", "red", "car", "is", "new", ".", "<eos>"];
    assert_eq!(answer["read"], serde_json::json!(read));
    let french = ["la", "voiture", "rouge", "est", "neuve", ".", "<eos>"];
    assert_eq!(answer["attention"]["tokens"], serde_json::json!(french));
    assert_eq!(answer["unknown"], serde_json::json!([]));
    let rows = answer["attention"]["weights"].as_array().expect("rows");
    assert_eq!(rows.len(), 7);
    let rows: Vec<Vec<f64>> = rows.iter().map(numbers).collect();
    for row in &rows {
        assert_eq!(row.len(), 7);
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-5, "{row:?}");
    }
    // As in Figure 10.4.3, rouge is brightest at red; and voiture has more at car
    // than at any of the, red, new and what follows.
    let brightest = (0..7).find(|&k| rows[2].iter().all(|w| *w <= rows[2][k]));
    assert_eq!(brightest, Some(1), "{rows:?}");
    let others = [0, 1, 4, 5, 6].map(|k| rows[1][k]);
    assert!(others.iter().all(|w| *w < rows[1][2]), "{rows:?}");
    assert_eq!(answer["fixed"]["weights"], serde_json::json!([]));
}

#[test]
fn the_models_are_as_good_as_the_pages_say() {
    let data = Dataset::book();
    let bytes = model(PAGE);
    let page_of = Translators::new(&bytes).expect("the model");
    assert_eq!(page_of.vocabularies, data.vocabularies);
    let attention = held_out_bleu(&page_of.attention, &data);
    let fixed = held_out_bleu(&page_of.fixed, &data);
    let notes = ModelFile::new(&bytes).expect("the model").notes;
    let near = |a: f64, b: f64, around| (a - b).abs() <= around;
    let recorded = page::attention().expect("a record");
    assert!(near(attention, recorded, TOLERANCE), "attention: {attention}");
    // Of five models the page has the mean.
    let (mean, deviation) = page::fixed().expect("a record");
    assert!(near(fixed, mean, deviation), "fixed: {fixed}");
    for (shipped, in_f32) in [attention, fixed].into_iter().zip(notes.held_out) {
        assert!(near(shipped, in_f32, TOLERANCE), "{shipped}, in f32 {in_f32}");
    }
}

#[test]
fn the_words_are_those_of_the_sentences() {
    let answer = Native::<Translators>::start(PAGE).ok(r#"{"words": {}}"#);
    let words = answer["words"].as_array().expect("words");
    assert_eq!(words.len(), 183);
    assert!(words.contains(&"car".into()) && !words.contains(&"<unk>".into()));
}

#[test]
fn unknown_words_are_named_and_read_as_one() {
    let mut native = Native::<Translators>::start(PAGE);
    let long = "x".repeat(10_000);
    let ask = format!(r#"{{"translate": {{"sentence": "The zebra is {long}\n."}}}}"#);
    let answer = native.ok(&ask);
    let short = format!("{}…", &long[..24]);
    assert_eq!(answer["unknown"], serde_json::json!(["zebra", short]));
    assert!(!answer["attention"]["tokens"].as_array().expect("tokens").is_empty());
}

/// Questions that have no answer, and a word of what is said of each.
const BAD: [(&str, &str); 6] = [
    (r#"{"translate": {"sentence": ""}}"#, "write an English sentence"),
    (r#"{"translate": {"sentence": "\u0000 \n\t"}}"#, "write an English sentence"),
    (r#"{"translate": {"sentence": "a b c d e f g h i j"}}"#, "at most 9"),
    (r#"{"translate": {"sentence": null}}"#, "not a question"),
    (r#"{"translate": {}}"#, "sentence"),
    (r#"{"sing": {}}"#, "not a question"),
];

#[test]
fn a_damaged_model_is_an_error() {
    let mut bytes = model(PAGE);
    for bad in [&[][..], b"x", &[0xff; 64], &bytes[..bytes.len() - 2]] {
        assert!(Translators::new(bad).is_err());
    }
    let end = bytes.len() - 2;
    bytes[end..].copy_from_slice(&[0x00, 0x7c]); // infinity in f16
    assert!(Translators::new(&bytes).is_err());
}

#[test]
fn the_module_answers_alike() {
    let questions = [
        r#"{"words": {}}"#,
        CAR,
        r#"{"translate": {"sentence": "Is she looking at the zebra?"}}"#,
        r#"{"translate": {"sentence": "."}}"#,
    ];
    agree::<Translators>(PAGE, &questions, &BAD);
}
