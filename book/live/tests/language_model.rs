//! The language model of section 10.7: a story, token by token.

use crate::common::{Asked, agree, numbers, start};
use ch10_7::language_model::sample;
use ch10_7::stories::STEPS;
use dfdx::prelude::NoneTape;
use live::language_model::{SHOWN, StoryPage};
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::loss::logits;
use seq2seq::vocab::{BOS, EOS};
use serde_json::{Value, json};

const PAGE: &str = "language_model";
const MOLE: &str = r#"{"next": {"beginning": "One day the mole", "written": [],
    "temperature": 0.5, "seed": 0}}"#;

fn ask(beginning: &str, written: &[String], temperature: f32, seed: u32) -> String {
    json!({"next": {"beginning": beginning, "written": written,
        "temperature": temperature, "seed": seed}})
    .to_string()
}

fn drawn(answer: &Value) -> String {
    answer["sampled"]["token"].as_str().expect("a token").to_string()
}

/// Token by token the page writes what the chapter's `generate` writes.
#[test]
fn it_writes_what_the_program_writes() {
    for (temperature, seed) in [(0.0, 0), (0.5, 0), (1.0, 3)] {
        let mut page = start::<StoryPage>(PAGE);
        let mut written = Vec::new();
        let mut last = Value::Null;
        for count in 0..30 {
            last = page.ok(&ask("the fox and the owl", &written, temperature, seed));
            let computed = if count == 0 { 6 } else { 1 };
            assert_eq!(last["computed"], computed);
            assert_eq!(last["cached"], 6 + count);
            written.push(drawn(&last));
        }
        let prompt = page.stories.prompt("the fox and the owl").expect("words");
        let mut rng = StdRng::seed_from_u64(seed.into());
        let choose = |logits: &[f32]| sample(logits, temperature, &mut rng);
        let expected = page.model.generate::<STEPS>(&prompt, 30, choose);
        let text = page.stories.text(&[prompt, expected].concat());
        assert_eq!(last["longer"], text);
    }
}

#[test]
fn the_first_answer_is_whole() {
    let answer = start::<StoryPage>(PAGE).ok(MOLE);
    assert_eq!(answer["text"], "One day the mole");
    assert_eq!(answer["shown"], json!(["<bos>", "one", "day", "the", "mole"]));
    assert_eq!(answer["numbers"], 5 * 2 * 2 * 64);
    let likeliest = answer["likeliest"].as_array().expect("ten");
    let odds: Vec<f64> =
        likeliest.iter().map(|one| numbers(&one["probability"])[0]).collect();
    assert_eq!(odds.len(), 10);
    assert!(odds.is_sorted_by(|a, b| a >= b), "{odds:?}");
    let sum: f64 = odds.iter().sum();
    assert!((0.5..1.0001).contains(&sum), "{sum}");
    for (layer, head) in (0..8).map(|n| (n / 4, n % 4)) {
        for (q, row) in (0..5).map(|q| (q, &answer["weights"][layer][head][q])) {
            let row = numbers(row);
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-5, "{row:?}");
            assert!(row[q + 1..].iter().all(|&weight| weight == 0.0), "{row:?}");
        }
    }
}

#[test]
fn a_cold_model_is_sure_and_another_beginning_starts_anew() {
    let mut page = start::<StoryPage>(PAGE);
    let cold = page.ok(&ask("the mole", &[], 0.0, 7));
    assert_eq!(cold["likeliest"][0], cold["sampled"]);
    assert_eq!(cold["sampled"]["probability"], 1.0);
    assert_eq!(page.ok(&ask("the mole", &[], 1.0, 7))["computed"], 0);
    assert_eq!(page.ok(&ask("the fox", &[], 1.0, 7))["computed"], 3);
    let cold = page.ok(&ask("the mole", &[], 1e-30, 7));
    assert_eq!(cold["sampled"], cold["likeliest"][0]);
}

/// Softmax of the logits divided by the temperature, of what may be written.
#[test]
fn the_probabilities_are_those_of_the_temperature() {
    let mut page = start::<StoryPage>(PAGE);
    let read = page.stories.prompt("the mole").expect("words");
    let text = [BOS, read[0], read[1]];
    let (rows, _) = page.model.forward(&[text], &[3], NoneTape);
    let vectors = &page.model.stack.embedding.vectors;
    let all = logits(rows, vectors, &page.model.b_out).as_vec();
    let last = &all[2 * page.stories.vocab_size()..];
    for temperature in [0.5, 1.0, 2.0] {
        let odds = |token: usize| f64::from(last[token] / temperature).exp();
        let total: f64 = (EOS..last.len()).map(odds).sum();
        let answer = page.ok(&ask("the mole", &[], temperature, 0));
        for one in answer["likeliest"].as_array().expect("ten") {
            let token = one["token"].as_str().expect("a token");
            let token = page.stories.vocab.number(token);
            let (wanted, ours) = (odds(token) / total, numbers(&one["probability"])[0]);
            assert!((ours - wanted).abs() < 1e-4, "{temperature}: {ours} {wanted}");
        }
    }
}

#[test]
fn it_stops_where_it_has_no_room() {
    let mut page = start::<StoryPage>(PAGE);
    let beginning = "the ".repeat(STEPS - 2);
    let answer = page.ok(&ask(&beginning, &[], 0.0, 0));
    assert_eq!(answer["ended"], false);
    assert_eq!(answer["shown"].as_array().expect("tokens").len(), SHOWN);
    let beginning = "the ".repeat(STEPS - 1);
    assert_eq!(page.ok(&ask(&beginning, &[], 0.0, 0))["ended"], true);
    let text = page.error(&ask(&"the ".repeat(STEPS), &[], 0.0, 0));
    assert!(text.contains("127"), "{text}");
}

#[test]
fn the_module_answers_alike() {
    let questions = [
        r#"{"words": {}}"#.to_string(),
        MOLE.to_string(),
        ask("One day the mole", &["found".into()], 1.0, 5),
        ask("", &[], 0.0, 0),
    ];
    let bad = [
        (ask("the zebra", &[], 0.5, 0), "“zebra” is not in the stories"),
        (ask("", &["<eos>".into()], 0.5, 0), "“<eos>” is not in the stories"),
        (ask(&"a ".repeat(100_000), &[], 0.5, 0), "room for 127"),
    ];
    agree::<StoryPage>(PAGE, &questions, &bad);
}
