//! Section 10.6: positions, orders, and what "it" refers to.

use crate::common::{Asked, agree, near, numbers, start};
use live::ch10_6::SelfAttentionPage;
use serde_json::{Value, json};

const PAGE: &str = "ch10_6";
const TURNED: &str = r#"{"positions": {"position": 20, "offset": 4}}"#;
const ORDER: &str =
    r#"{"order": {"order": [2, 1, 0], "positions": false, "causal": false}}"#;

fn it(patient: &str, why: &str, hidden: &[usize]) -> String {
    json!({"it": {"agent": "animal", "verb": "cross", "patient": patient,
        "why": why, "passive": false, "reason_first": false, "hidden": hidden}})
    .to_string()
}

#[test]
fn a_row_turns_into_another() {
    let mut page = start::<SelfAttentionPage>(PAGE);
    let answer = page.ok(TURNED);
    // chapters/ch10_6/output.txt, "How alike two positions are".
    near(&numbers(&answer["dot"]), &[11.661], 1.1e-3);
    let dots = numbers(&answer["dots"]);
    near(
        &dots[20..29],
        &[16.0, 15.314, 13.730, 12.272, 11.661, 11.777, 11.892, 11.427, 10.522],
        1.1e-3,
    );
    assert!(numbers(&answer["difference"])[0] < 1e-6);
    let between = page.ok(r#"{"positions": {"position": 20, "offset": 0.25}}"#);
    assert_eq!(between["difference"], Value::Null);
    let beyond = page.ok(r#"{"positions": {"position": 0, "offset": -1}}"#);
    assert_eq!(beyond["difference"], Value::Null);
    near(&numbers(&beyond["dot"]), &[15.314], 1.1e-3);
}

#[test]
fn another_order_gives_the_rows_of_the_program() {
    let mut page = start::<SelfAttentionPage>(PAGE);
    let answer = page.ok(ORDER);
    assert_eq!(answer["words"], json!(["man", "bites", "dog"]));
    // chapters/ch10_6/output.txt, "The order is lost", "man bites dog".
    let four = |answer: &Value, row: usize| numbers(&answer["rows"][row])[..4].to_vec();
    near(&four(&answer, 2), &[-0.5363, -0.0501, -1.1817, 0.6079], 1e-4);
    near(&four(&answer, 1), &[-0.1942, 0.1080, -0.8883, 0.9874], 1e-4);
    near(&four(&answer, 0), &[-0.4422, -0.2496, -0.9777, 0.8252], 1e-4);
    assert!(numbers(&answer["difference"])[0] < 1e-5);
    // "The order, with positions".
    let answer = page.ok(&ORDER.replace("\"positions\": false", "\"positions\": true"));
    near(&four(&answer, 2), &[-1.4355, -0.5161, -2.0619, 0.6939], 1e-4);
    assert!(numbers(&answer["difference"])[0] > 0.1);
    let answer = page.ok(&ORDER.replace("\"causal\": false", "\"causal\": true"));
    assert!(numbers(&answer["difference"])[0] > 0.1);
}

#[test]
fn it_is_the_animal_or_the_street() {
    let mut page = start::<SelfAttentionPage>(PAGE);
    // chapters/ch10_6/output/coreference.txt, "Where it attends".
    let tired = page.ok(&it("street", "tired", &[]));
    assert_eq!(tired["likeliest"][0]["token"], "animal");
    assert_eq!(tired["it"], 8);
    let weight = |answer: &Value, layer: &str, head: usize, word: usize| {
        numbers(&answer[layer][head])[word]
    };
    assert!((weight(&tired, "first", 0, 6) - 0.733).abs() < 0.02);
    assert!((weight(&tired, "first", 1, 1) - 0.890).abs() < 0.02);
    assert!((weight(&tired, "second", 0, 1) - 1.0).abs() < 0.02);
    let wide = page.ok(&it("street", "wide", &[]));
    assert_eq!(wide["likeliest"][0]["token"], "street");
    assert!((weight(&wide, "second", 0, 6) - 1.0).abs() < 0.02);
    assert!((weight(&wide, "second", 1, 11) - 0.296).abs() < 0.02);
    for answer in [&tired, &wide] {
        assert!(numbers(&answer["likeliest"][0]["probability"])[0] > 0.5);
    }
}

#[test]
fn a_sentence_may_be_told_in_other_ways() {
    let mut page = start::<SelfAttentionPage>(PAGE);
    for (way, first) in [("passive", "street"), ("reason_first", "it")] {
        let off = format!("\"{way}\":false");
        let ask = it("street", "tired", &[]).replace(&off, &format!("\"{way}\":true"));
        assert_eq!(page.ok(&ask)["words"][1], first);
    }
}

#[test]
fn a_masked_word_gets_no_weight() {
    let answer = start::<SelfAttentionPage>(PAGE).ok(&it("street", "tired", &[1, 99]));
    for head in 0..2 {
        let row = numbers(&answer["second"][head]);
        assert_eq!(row[1], 0.0);
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-5);
    }
    assert_eq!(numbers(&answer["first"]).len(), 24);
}

#[test]
fn the_module_answers_alike() {
    let mut questions = [r#"{"words": {}}"#, TURNED, ORDER].map(String::from).to_vec();
    questions.extend(["tired", "wide"].map(|why| it("street", why, &[])));
    questions.push(it("bridge", "muddy", &[0, 3]));
    let all: Vec<usize> = (0..12).collect();
    let bad = [
        (it("street", "tired", &all), "every word is masked"),
        (it("animal", "tired", &[]), "two nouns, not the animal twice"),
        (it("zebra", "tired", &[]), "a word that is in no list"),
    ];
    agree::<SelfAttentionPage>(PAGE, &questions, &bad);
}
