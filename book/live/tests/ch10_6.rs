//! Section 10.6: positions, orders, and what "it" refers to.

use crate::common::{Native, agree, model, near, numbers};
use crate::scores::{coreference_score, page};
use kernels::Dev;
use live::Page;
use live::ch10_6::{Coreference, SelfAttentionPage};
use live::model::ModelFile;
use serde_json::{Value, json};

const PAGE: &str = "ch10_6";
const TURNED: &str = r#"{"positions": {"position": 20, "offset": 4}}"#;
const ORDER: &str =
    r#"{"order": {"order": [2, 1, 0], "positions": false, "causal": false}}"#;

fn it(patient: &str, why: &str, hidden: &[usize]) -> String {
    json!({"it": {"agent": "animal", "verb": "cross", "patient": patient,
        "why": why, "hidden": hidden}})
    .to_string()
}

#[test]
fn a_row_turns_into_another() {
    let mut native = Native::<SelfAttentionPage>::start(PAGE);
    let answer = native.ok(TURNED);
    // chapters/ch10_6/output.txt, "How alike two positions are".
    near(&numbers(&answer["dot"]), &[11.661], 1.1e-3);
    let dots = numbers(&answer["dots"]);
    near(
        &dots[20..29],
        &[16.0, 15.314, 13.730, 12.272, 11.661, 11.777, 11.892, 11.427, 10.522],
        1.1e-3,
    );
    assert!(numbers(&answer["difference"])[0] < 1e-6);
    let between = native.ok(r#"{"positions": {"position": 20, "offset": 0.25}}"#);
    assert_eq!(between["difference"], Value::Null);
    let beyond = native.ok(r#"{"positions": {"position": 0, "offset": -1}}"#);
    assert_eq!(beyond["difference"], Value::Null);
    near(&numbers(&beyond["dot"]), &[15.314], 1.1e-3);
}

#[test]
fn another_order_gives_the_rows_of_the_program() {
    let mut native = Native::<SelfAttentionPage>::start(PAGE);
    let answer = native.ok(ORDER);
    assert_eq!(answer["words"], json!(["man", "bites", "dog"]));
    // chapters/ch10_6/output.txt, "The order is lost", "man bites dog".
    let four = |answer: &Value, row: usize| numbers(&answer["rows"][row])[..4].to_vec();
    near(&four(&answer, 2), &[-0.5363, -0.0501, -1.1817, 0.6079], 1e-4);
    near(&four(&answer, 1), &[-0.1942, 0.1080, -0.8883, 0.9874], 1e-4);
    near(&four(&answer, 0), &[-0.4422, -0.2496, -0.9777, 0.8252], 1e-4);
    assert!(numbers(&answer["difference"])[0] < 1e-5);
    // "The order, with positions".
    let answer =
        native.ok(&ORDER.replace("\"positions\": false", "\"positions\": true"));
    near(&four(&answer, 2), &[-1.4355, -0.5161, -2.0619, 0.6939], 1e-4);
    assert!(numbers(&answer["difference"])[0] > 0.1);
    let answer = native.ok(&ORDER.replace("\"causal\": false", "\"causal\": true"));
    assert!(numbers(&answer["difference"])[0] > 0.1);
}

#[test]
fn it_is_the_animal_or_the_street() {
    let mut native = Native::<SelfAttentionPage>::start(PAGE);
    // chapters/ch10_6/output/coreference.txt, "Where it attends".
    let tired = native.ok(&it("street", "tired", &[]));
    assert_eq!(tired["answer"], "animal");
    assert_eq!(tired["it"], 8);
    let weight = |answer: &Value, layer: &str, head: usize, word: usize| {
        numbers(&answer[layer][head])[word]
    };
    assert!((weight(&tired, "first", 0, 6) - 0.733).abs() < 0.02);
    assert!((weight(&tired, "first", 1, 1) - 0.890).abs() < 0.02);
    assert!((weight(&tired, "second", 0, 1) - 1.0).abs() < 0.02);
    let wide = native.ok(&it("street", "wide", &[]));
    assert_eq!(wide["answer"], "street");
    assert!((weight(&wide, "second", 0, 6) - 1.0).abs() < 0.02);
    assert!((weight(&wide, "second", 1, 11) - 0.296).abs() < 0.02);
    for answer in [&tired, &wide] {
        let likeliest = &answer["likeliest"][0];
        assert_eq!(likeliest["word"], answer["answer"]);
        assert!(numbers(&likeliest["probability"])[0] > 0.5);
    }
}

#[test]
fn a_masked_word_gets_no_weight() {
    let answer =
        Native::<SelfAttentionPage>::start(PAGE).ok(&it("street", "tired", &[1, 99]));
    for head in 0..2 {
        let row = numbers(&answer["second"][head]);
        assert_eq!(row[1], 0.0);
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-5);
    }
    assert_eq!(numbers(&answer["first"]).len(), 24);
}

#[test]
fn the_model_is_as_good_as_the_page_says() {
    let bytes = model(PAGE);
    let mut shipped: Coreference = Coreference::new(&Dev::default(), true);
    let file = ModelFile::new(&bytes).expect("the model");
    file.load("", &mut shipped).expect("its parameters");
    let score = coreference_score(&shipped);
    let recorded = page::coreference().expect("a record");
    assert!((score - recorded).abs() <= 0.005, "{score}");
    assert!((score - file.notes.held_out[0]).abs() <= 0.005, "{score}");
}

#[test]
fn positions_and_orders_need_no_model() {
    let mut page = SelfAttentionPage::new(&[]).expect("a page");
    assert!(page.turned(0, 1.0).is_ok() && page.ordered([0, 1, 2], true, true).is_ok());
    let question = serde_json::from_str(&it("street", "tired", &[])).expect("JSON");
    assert!(page.answer(question).is_err());
}

/// Questions that have no answer, and a word of what is said of each.
fn bad() -> Vec<(String, &'static str)> {
    let all: Vec<usize> = (0..12).collect();
    vec![
        (TURNED.replace("20", "60"), "from 0 to 59"),
        (TURNED.replace('4', "1e30"), "the offset must be from -59"),
        (TURNED.replace('4', "null"), "not a question"),
        (ORDER.replace("[2, 1, 0]", "[2, 2, 0]"), "each of 0, 1 and 2 once"),
        (ORDER.replace("[2, 1, 0]", "[3, 1, 0]"), "each of 0, 1 and 2 once"),
        (it("street", "tired", &all), "every word is masked"),
        (it("animal", "tired", &[]), "two nouns"),
        (it("", "tired", &[]), "take a word of the list"),
        (it("street", "zebra", &[]), "“zebra” cannot be the reason"),
        (r#"{"it": {}}"#.to_string(), "take a word of the list"),
    ]
}

#[test]
fn the_module_answers_alike() {
    let mut questions = vec![r#"{"words": {}}"#.to_string()];
    questions.extend([TURNED, ORDER].map(String::from));
    questions.extend(["tired", "wide"].map(|why| it("street", why, &[])));
    questions.push(it("bridge", "muddy", &[0, 3]));
    agree::<SelfAttentionPage>(PAGE, &questions, &bad());
}
