//! A head that copies: letters, and what two layers of attention make of them.

use crate::common::{Native, agree, model, near, numbers};
use crate::scores::{TOLERANCE, copying_score, page};
use ch10_7::induction::{LEN, TOKENS};
use dfdx::prelude::*;
use live::Page;
use live::induction::CopyPage;
use live::model::ModelFile;
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
    let mut native = Native::<CopyPage>::start(PAGE);
    assert_eq!(native.ok(DRAW)["letters"], LETTERS);
    let answer = native.ok(&read(LETTERS, [[true; 2]; 2]));
    assert_eq!(answer["repeats"], 11);
    assert_eq!(answer["right"], 11);
    let svg = include_str!("../../figures/ch10_7/induction.svg");
    let maps = svg.split("data-values=\"").skip(1);
    let maps = maps.filter_map(|map| map.split('"').next());
    let mut drawn = 0;
    for (layer, map) in maps.enumerate() {
        let map: Vec<f64> =
            map.split(' ').map(|number| number.parse().expect("a number")).collect();
        near(&numbers(&answer["weights"][layer][0]), &map, 0.01);
        drawn += 1;
    }
    assert_eq!(drawn, 2);
}

/// The letters that fill up what is read change nothing before them.
#[test]
fn it_computes_what_the_library_computes() {
    let page = CopyPage::new(&model(PAGE)).expect("the model");
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
        let answer = Native::<CopyPage>::start(PAGE).ok(&read(letters, on));
        for (s, row) in shares.chunks(TOKENS).take(letters.len()).enumerate() {
            let best = &answer["next"][s][0];
            let letter = best["letter"].as_str().expect("a letter").as_bytes()[0];
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
    let mut native = Native::<CopyPage>::start(PAGE);
    assert_eq!(share(&native.ok(&read("abcdefabcdefabc", [[true; 2]; 2]))), 1.0);
    assert!(share(&native.ok(&read("abcdefcfebdafda", [[true; 2]; 2]))) < 0.3);
    for on in [[[false; 2], [true; 2]], [[true; 2], [false; 2]]] {
        assert!(share(&native.ok(&read(LETTERS, on))) < 0.3, "{on:?}");
    }
}

#[test]
fn the_model_is_as_good_as_the_page_says() {
    let bytes = model(PAGE);
    let page_of = CopyPage::new(&bytes).expect("the model");
    let shipped = copying_score(&page_of.model);
    let recorded = page::induction().expect("a record");
    assert!((shipped - recorded).abs() <= TOLERANCE, "{shipped}");
    let in_f32 = ModelFile::new(&bytes).expect("the model").notes.held_out[0];
    assert!((shipped - in_f32).abs() <= TOLERANCE, "{shipped}");
}

/// Questions that have no answer, and a word of what is said of each.
fn bad() -> Vec<(String, &'static str)> {
    let all = [[true; 2]; 2];
    vec![
        (read(" ", all), "write letters from a to z"),
        (read("abc1", all), "“1” is no letter from a to z"),
        (read("é", all), "“é” is no letter from a to z"),
        (read(&"ab".repeat(17), all), "at most 32"),
        (read("ab", all).replace("true]]", "true,true]]"), "not a question"),
        (DRAW.replace('8', "0"), "from 1 to 20, not 0"),
        (DRAW.replace('8', "21"), "from 1 to 20, not 21"),
    ]
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
    agree::<CopyPage>(PAGE, &questions, &bad());
}
