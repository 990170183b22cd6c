//! A head that copies: letters, and what two layers of attention make of them.

use crate::common::{Asked, agree, drawn, near, numbers, start};
use ch10_7::induction::{LEN, TOKENS};
use dfdx::prelude::*;
use live::induction::CopyPage;
use serde_json::{Value, json};

const PAGE: &str = "induction";
const DRAW: &str = r#"{"draw": {"period": 8, "seed": 0}}"#;
/// Those of the figures of the page.
const LETTERS: &str = "ujgpdkmhujgpdkmhujgp";

fn read(letters: &str, on: [[bool; 2]; 2]) -> String {
    json!({"read": {"letters": letters, "on": on}}).to_string()
}

fn share(answer: &Value) -> f64 {
    numbers(&answer["right"])[0] / numbers(&answer["repeats"])[0]
}

/// The two maps of Figure 10.7.13 are layer 1, head 1, and layer 2, head 1, of
/// the model in f32.
#[test]
fn the_default_is_the_figure() {
    let mut page = start::<CopyPage>(PAGE);
    assert_eq!(page.ok(DRAW)["letters"], LETTERS);
    let answer = page.ok(&read(LETTERS, [[true; 2]; 2]));
    assert_eq!(answer["repeats"], 11);
    assert_eq!(answer["right"], 11);
    let maps = drawn(include_str!("../../figures/ch10_7/induction.svg"));
    assert_eq!(maps.len(), 2);
    for (layer, map) in maps.iter().enumerate() {
        near(&numbers(&answer["weights"][layer][0]), map, 0.01);
    }
}

/// The letters that fill up what is read change nothing before them.
#[test]
fn it_computes_what_the_library_computes() {
    let mut page = start::<CopyPage>(PAGE);
    let mut tokens = [TOKENS - 1; LEN];
    let letters = "bananaban";
    let read_tokens = letters.bytes().map(|letter| usize::from(letter - b'a'));
    tokens.iter_mut().zip(read_tokens).for_each(|(token, read)| *token = read);
    for (on, out) in [([[true; 2]; 2], None), ([[true, true], [false, true]], Some(1))]
    {
        let model =
            out.map_or(page.model.clone(), |layer| page.model.without(layer, 0));
        let (rows, weights) = model.forward(&[tokens], NoneTape);
        let shares = model.output.logits(rows).softmax::<Axis<2>>().as_vec();
        let answer = page.ok(&read(letters, on));
        for (s, row) in shares.chunks(TOKENS).take(letters.len()).enumerate() {
            let best = &answer["next"][s][0];
            let letter = best["token"].as_str().expect("a letter").as_bytes()[0];
            let most = row.iter().copied().fold(0.0, f32::max);
            assert_eq!(row[usize::from(letter - b'a')], most);
            near(&numbers(&best["probability"]), &[most.into()], 1e-6);
        }
        for (layer, weights) in weights.iter().enumerate() {
            for (head, map) in weights.array()[0].iter().enumerate() {
                for (s, row) in map[..letters.len()].iter().enumerate() {
                    let row: Vec<f64> =
                        row[..letters.len()].iter().map(|&x| x.into()).collect();
                    near(&numbers(&answer["weights"][layer][head][s]), &row, 1e-6);
                }
            }
        }
    }
}

/// In order, and not; with heads, and without those of a layer.
#[test]
fn copying_needs_the_order_and_the_heads() {
    let mut page = start::<CopyPage>(PAGE);
    assert_eq!(share(&page.ok(&read("abcdefabcdefabc", [[true; 2]; 2]))), 1.0);
    assert!(share(&page.ok(&read("abcdefcfebdafda", [[true; 2]; 2]))) < 0.3);
    for on in [[[false; 2], [true; 2]], [[true; 2], [false; 2]]] {
        assert!(share(&page.ok(&read(LETTERS, on))) < 0.3, "{on:?}");
    }
}

#[test]
fn the_module_answers_alike() {
    let questions = [
        DRAW.to_string(),
        r#"{"draw": {"period": 20, "seed": 3}}"#.to_string(),
        read("To be or not to be", [[true; 2]; 2]),
        read("a", [[false; 2]; 2]),
        read(&"ab".repeat(16), [[true, false], [true, true]]),
    ];
    let all = [[true; 2]; 2];
    let bad = [
        (read(" ", all), "write letters from a to z"),
        (read("abc1", all), "“1” is no letter from a to z"),
        (read("é", all), "“é” is no letter from a to z"),
        (read(&"ab".repeat(17), all), "at most 32"),
    ];
    agree::<CopyPage>(PAGE, &questions, &bad);
}
