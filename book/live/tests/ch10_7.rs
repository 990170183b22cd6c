//! Section 10.7: a sentence in French by the Transformer, with its attentions.

use crate::common::{Asked, agree, numbers, start};
use live::ch10_7::TransformerPage;
use serde_json::{Value, json};

const PAGE: &str = "ch10_7";
const CAR: &str = r#"{"translate": {"sentence": "The red car is new.", "width": 4}}"#;

/// The rows of a head.
fn rows(all: &Value, layer: usize, head: usize) -> Vec<Vec<f64>> {
    let rows = all[layer][head].as_array().expect("rows");
    rows.iter().map(numbers).collect()
}

#[test]
fn the_sentence_of_the_page_is_translated() {
    let answer = start::<TransformerPage>(PAGE).ok(CAR);
    assert_eq!(answer["hypotheses"][0]["text"], "la voiture rouge est neuve .");
    assert_eq!(answer["hypotheses"].as_array().expect("four").len(), 4);
    let written = ["la", "voiture", "rouge", "est", "neuve", ".", "<eos>"];
    assert_eq!(answer["written"], json!(written));
    let input = ["<bos>", "la", "voiture", "rouge", "est", "neuve", "."];
    assert_eq!(answer["input"], json!(input));
    // chapters/ch10_7/output.txt: the mean of the last layer's heads.
    let mut mean = [[0.0; 7]; 7];
    for head in 0..4 {
        for (sums, row) in mean.iter_mut().zip(rows(&answer["cross"], 1, head)) {
            assert_eq!(row.len(), 7);
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-5);
            sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight / 4.0);
        }
    }
    let (car, red, new) = (mean[1][2], mean[2][1], mean[4][4]);
    assert!(car > 0.9 && red > 0.9 && new > 0.9, "{mean:?}");
}

#[test]
fn no_step_attends_to_a_later_one() {
    let answer = start::<TransformerPage>(PAGE).ok(CAR);
    for (layer, head) in (0..8).map(|n| (n / 4, n % 4)) {
        for (q, row) in rows(&answer["decoder"], layer, head).iter().enumerate() {
            assert!(row[q + 1..].iter().all(|&weight| weight == 0.0), "{row:?}");
        }
        assert_eq!(rows(&answer["encoder"], layer, head).len(), 7);
    }
}

#[test]
fn the_hypotheses_of_the_page_are_found() {
    let sentence = "The young kings are in the garden.";
    let ask = json!({"translate": {"sentence": sentence, "width": 4}}).to_string();
    let answer = start::<TransformerPage>(PAGE).ok(&ask);
    let best = &answer["hypotheses"][0];
    assert_eq!(best["text"], "les jeunes rois sont dans le jardin .");
    assert!(best["probability"].as_f64().expect("a number") > 0.9);
    let found = answer["hypotheses"].as_array().expect("hypotheses").iter();
    let odds: Vec<f64> = found.map(|one| numbers(&one["probability"])[0]).collect();
    assert!(odds.is_sorted_by(|a, b| a >= b), "{odds:?}");
}

#[test]
fn the_module_answers_alike() {
    let questions = [
        r#"{"words": {}}"#,
        CAR,
        r#"{"translate": {"sentence": "zebra zebra", "width": 1}}"#,
        r#"{"translate": {"sentence": "She does not see the black cat.", "width": 8}}"#,
    ];
    let bad = [
        (
            r#"{"translate": {"sentence": " ", "width": 1}}"#,
            "write an English sentence",
        ),
        (
            r#"{"translate": {"sentence": "a b c d e f g h i j", "width": 1}}"#,
            "at most 9",
        ),
    ];
    agree::<TransformerPage>(PAGE, &questions, &bad);
}
