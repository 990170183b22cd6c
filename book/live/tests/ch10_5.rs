//! Section 10.5: the game of pairs, and heads that are switched off.

use crate::common::{Asked, agree, is_one_head, near, numbers, start};
use ch10_5::task::cards::CARDS;
use live::ch10_5::Game;
use serde_json::{Value, json};

const PAGE: &str = "ch10_5";

/// The circle of Figure 10.5.1.
fn first() -> (Value, Value) {
    let mut cards = start::<Game>(PAGE).ok(r#"{"deal": {"circle": 0}}"#);
    (cards["pictures"].take(), cards["numbers"].take())
}

fn play(model: &str, on: &[bool]) -> String {
    let (pictures, numbers) = first();
    let play = json!({
        "model": model, "pictures": pictures, "numbers": numbers, "on": on,
    });
    json!({"play": play}).to_string()
}

fn inside(model: &str, head: usize, card: usize) -> String {
    let (pictures, numbers) = first();
    let inside = json!({
        "model": model, "pictures": pictures, "numbers": numbers, "head": head,
        "card": card,
    });
    json!({"inside": inside}).to_string()
}

fn compare(model: &str, on: &[bool]) -> String {
    json!({"compare": {"model": model, "on": on}}).to_string()
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// chapters/ch10_5/output.txt, "Where the two heads attend".
#[test]
fn the_default_is_the_figure() {
    let (pictures, _) = first();
    // D A B A C B C D
    assert_eq!(pictures, json!([3, 0, 1, 0, 2, 1, 2, 3]));
    let answer = start::<Game>(PAGE).ok(&play("two", &[true, true]));
    let row = |h: usize, card: usize| numbers(&answer["weights"][h][card]);
    let within = 6e-3; // f16
    near(&row(0, 2), &[0.001, 0.007, 0.091, 0.002, 0.001, 0.893, 0.002, 0.003], within);
    near(&row(0, 3), &[0.002, 0.624, 0.066, 0.286, 0.012, 0.005, 0.003, 0.003], within);
    near(&row(1, 2), &[0.004, 0.960, 0.005, 0.004, 0.007, 0.010, 0.008, 0.002], within);
    near(&row(1, 3), &[0.002, 0.001, 0.979, 0.000, 0.001, 0.013, 0.001, 0.003], within);
}

/// By hand a match has the score 9, and nothing else has one above 0.
#[test]
fn a_head_by_hand_scores_its_matches() {
    let mut page = start::<Game>(PAGE);
    for (head, matched) in [(0, 4), (1, 2)] {
        let answer = page.ok(&inside("by_hand", head, 5));
        for (card, score) in numbers(&answer["scores"]).iter().enumerate() {
            near(&[score.max(0.0)], &[if card == matched { 9.0 } else { 0.0 }], 1e-4);
        }
    }
}

#[test]
fn a_head_from_its_query_to_what_it_finds() {
    let mut page = start::<Game>(PAGE);
    for (model, heads, width) in [("one", 1, 32), ("two", 2, 16), ("four", 4, 8)] {
        let map = page.ok(&play(model, &vec![true; heads]))["weights"].take();
        for (head, card) in [(0, 7), (heads - 1, 2)] {
            let answer = page.ok(&inside(model, head, card));
            assert_eq!(numbers(&answer["query"]).len(), width);
            near(&numbers(&answer["weights"]), &numbers(&map[head][card]), 1e-6);
            is_one_head(&answer, |_| true);
        }
    }
}

/// "The game of pairs", "Weights chosen by hand" and "One head masked out":
/// what model 0 of each kind loses, on the program's 256 circles.
#[test]
fn the_losses_are_those_of_the_tables() {
    let mut page = start::<Game>(PAGE);
    for (model, on, left, partner) in [
        ("by_hand", &[true, true][..], 0.0003, 0.0003),
        ("one", &[true], 0.9547, 0.1452),
        ("two", &[true, true], 0.0, 0.0),
        ("two", &[false, true], 0.0, 3.714),
        ("two", &[true, false], 3.963, 0.0),
        ("four", &[true; 4], 0.0, 0.0),
        ("four", &[false, true, true, true], 0.0, 0.0),
        ("four", &[true, false, true, true], 0.0, 0.897),
        ("four", &[true, true, false, true], 1.777, 0.0),
        ("four", &[true, true, true, false], 0.0, 0.013),
    ] {
        let answer = page.ok(&compare(model, on));
        near(&numbers(&answer["loss"]), &[left, partner], 0.01);
        if !on.contains(&false) && model != "one" {
            let accuracy = numbers(&answer["accuracy"]);
            assert!(accuracy.iter().all(|&right| right > 0.999), "{model}");
        }
    }
    let answer = page.ok(&compare("one", &[true]));
    near(&numbers(&answer["accuracy"]), &[0.345, 0.941], 0.003);
}

#[test]
fn the_answers_are_right() {
    let (pictures, numbers_of) = first();
    let (pictures, values) = (numbers(&pictures), numbers(&numbers_of));
    let answer = start::<Game>(PAGE).ok(&play("by_hand", &[true, true]));
    for question in ["left", "partner"] {
        assert_eq!(answer[question]["answers"], answer[question]["right"]);
        let sure = numbers(&answer[question]["probabilities"]);
        assert!(sure.iter().all(|&share| share > 0.99), "{sure:?}");
    }
    for card in 0..CARDS {
        let twin = (0..CARDS).find(|&i| i != card && pictures[i] == pictures[card]);
        let right = |question: &str| number(&answer[question]["right"][card]);
        assert_eq!(right("left"), values[(card + CARDS - 1) % CARDS]);
        assert_eq!(right("partner"), values[twin.expect("a twin")]);
    }
}

/// A head that is off is off for the reader's circle too; where it attends
/// stays.
#[test]
fn a_head_that_is_off() {
    let mut page = start::<Game>(PAGE);
    let whole = page.ok(&play("by_hand", &[true, true]));
    let half = page.ok(&play("by_hand", &[false, true]));
    assert_eq!(whole["weights"], half["weights"]);
    assert_eq!(whole["partner"]["answers"], half["partner"]["answers"]);
    let sure = numbers(&half["left"]["probabilities"]);
    near(&sure, &[1.0 / 8.0; 8], 1e-6);
}

#[test]
fn the_module_answers_alike() {
    let questions = [
        r#"{"deal": {"circle": 17}}"#.to_string(),
        play("by_hand", &[true, false]),
        play("one", &[true]),
        play("two", &[true, true]),
        play("four", &[true, false, true, true]),
        compare("two", &[true, false]),
        inside("four", 3, 1),
    ];
    agree::<Game>(PAGE, &questions, &[(r#"{"deal": {}}"#, "not a question")]);
}
