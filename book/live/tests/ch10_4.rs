//! Section 10.4 and its interlude: a sentence in French, with attention and
//! without.

use crate::common::{Asked, agree, model, numbers, start};
use live::Page;
use live::ch10_4::Translators;

const PAGE: &str = "ch10_4";
const CAR: &str = r#"{"translate": {"sentence": "The red car is new."}}"#;

#[test]
fn the_sentence_of_the_page_is_translated() {
    let answer = start::<Translators>(PAGE).ok(CAR);
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
fn each_model_answers_for_itself() {
    let cat = r#"{"translate": {"sentence": "She does not see the black cat."}}"#;
    let answer = start::<Translators>(PAGE).ok(cat);
    let tokens = |model: &str| {
        let tokens = answer[model]["tokens"].as_array().expect("tokens");
        let tokens: Vec<&str> = tokens.iter().filter_map(|one| one.as_str()).collect();
        tokens.join(" ")
    };
    assert!(tokens("attention").starts_with("elle ne voit pas le chat"));
    assert_eq!(tokens("fixed"), "elle ne mange pas les livres . <eos>");
}

#[test]
fn the_words_are_those_of_the_sentences() {
    let answer = start::<Translators>(PAGE).ok(r#"{"words": {}}"#);
    let words = answer["words"].as_array().expect("words");
    assert_eq!(words.len(), 183);
    assert!(words.contains(&"car".into()) && !words.contains(&"<unk>".into()));
}

#[test]
fn unknown_words_are_named_and_read_as_one() {
    let mut page = start::<Translators>(PAGE);
    let long = "x".repeat(10_000);
    let ask = format!(r#"{{"translate": {{"sentence": "The zebra is {long}\n."}}}}"#);
    let answer = page.ok(&ask);
    let short = format!("{}…", &long[..24]);
    assert_eq!(answer["unknown"], serde_json::json!(["zebra", short]));
    assert!(!answer["attention"]["tokens"].as_array().expect("tokens").is_empty());
}

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
    let bad = [
        (r#"{"translate": {"sentence": ""}}"#, "write an English sentence"),
        (r#"{"translate": {"sentence": "\u0000 \n\t"}}"#, "write an English sentence"),
        (r#"{"translate": {"sentence": "a b c d e f g h i j"}}"#, "at most 9"),
    ];
    agree::<Translators>(PAGE, &questions, &bad);
}
