//! Section 10.3: masked softmax over four pairs, and the width of the scores.

use crate::common::{Asked, agree, near, numbers, start};
use live::ch10_3::{Scores, scaling};
use serde_json::{Value, json};

const PAGE: &str = "ch10_3";

/// The scores of Figure 10.3.2 are those of query 0.
fn scores(mask: Value) -> String {
    let scores = json!({
        "scores": [[1.9, 1.0, 1.4, 0.7], [0.2, 1.1, 0.6, 2], [1, 1, 1, 1], [3, 0, -3, 1.5]],
        "values": [10, 20, 30, 40],
        "mask": mask,
    });
    json!({"scores": scores}).to_string()
}

fn allowed(answer: &Value) -> Vec<Vec<u8>> {
    let rows = answer["allowed"].as_array().expect("rows").iter();
    let row = |row: &Value| {
        let cells = row.as_array().expect("cells").iter();
        cells.map(|cell| u8::from(cell.as_bool().expect("a cell"))).collect()
    };
    rows.map(row).collect()
}

#[test]
fn the_default_is_the_figure() {
    let answer = start::<Scores>(PAGE).ok(&scores(json!({"length": 3})));
    let weights = numbers(&answer["weights"]);
    near(&weights[..4], &[0.5, 0.2, 0.3, 0.0], 0.01);
    assert_eq!(weights[3], 0.0);
    near(&weights[8..12], &[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0], 1e-6);
    near(&numbers(&answer["output"])[2..3], &[20.0], 1e-5);
}

#[test]
fn each_kind_of_mask() {
    let mut page = start::<Scores>(PAGE);
    let cells = json!([[1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 1, 0]]);
    let bools: Vec<Vec<bool>> = cells
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| numbers(row).iter().map(|&cell| cell == 1.0).collect())
        .collect();
    for (mask, expected) in [
        (
            json!("none"),
            json!([[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]),
        ),
        (json!({"length": 2}), json!(vec![[1, 1, 0, 0]; 4])),
        (
            json!({"lengths": [0, 1, 4, 2]}),
            json!([[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1], [1, 1, 0, 0]]),
        ),
        (
            json!("causal"),
            json!([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]),
        ),
        (
            json!({"causal_within": 2}),
            json!([[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]),
        ),
        (json!({"cells": bools}), cells),
    ] {
        let answer = page.ok(&scores(mask.clone()));
        assert_eq!(json!(allowed(&answer)), expected, "{mask}");
        let weights = numbers(&answer["weights"]);
        for (row, open) in weights.chunks(4).zip(allowed(&answer)) {
            let whole = if open.contains(&1) { 1.0 } else { 0.0 };
            near(&[row.iter().sum()], &[whole], 1e-6);
            assert!(row.iter().zip(&open).all(|(&a, &may)| (a > 0.0) == (may == 1)));
        }
        let output = numbers(&answer["output"]);
        for (q, row) in weights.chunks(4).enumerate() {
            let sum = (1..5).zip(row).map(|(k, a)| 10.0 * f64::from(k) * a).sum();
            near(&[output[q]], &[sum], 1e-4);
        }
    }
}

/// The example of the page, and what the program prints for its first query.
const BY_HAND: &str = r#"{"by_hand": {"query": [0.3367, 0.1288],
    "keys": [[2.2082, -0.6380], [0.4617, 0.2674], [0.5349, 0.8094]],
    "values": [[1.1103, -1.6898], [-0.9890, 0.9580], [1.3221, 0.8172]]}}"#;

#[test]
fn the_example_by_hand_is_that_of_the_page() {
    let answer = start::<Scores>(PAGE).ok(BY_HAND);
    for (name, expected) in [
        ("products", &[0.6613, 0.1899, 0.2844][..]),
        ("scores", &[0.4676, 0.1343, 0.2011]),
        ("exponentials", &[1.5962, 1.1437, 1.2227]),
        ("weights", &[0.4028, 0.2886, 0.3086]),
        ("output", &[0.5697, -0.1520]),
    ] {
        near(&numbers(&answer[name]), expected, 1e-4);
    }
    let parts = numbers(&answer["parts"]);
    let sum = |n| parts.iter().skip(n).step_by(2).sum();
    near(&numbers(&answer["output"]), &[sum(0), sum(1)], 1e-6);
}

/// Everything masked, and scores as large as a mask can bear.
#[test]
fn nothing_is_nan() {
    let mut page = start::<Scores>(PAGE);
    let answer = page.ok(&scores(json!({"length": 0})));
    assert_eq!(numbers(&answer["weights"]), [0.0; 16]);
    assert_eq!(numbers(&answer["output"]), [0.0; 4]);
    let question = scores(json!("causal")).replace("1.9", "7.9e37");
    let answer = page.ok(&question);
    near(&numbers(&answer["weights"])[..4], &[1.0, 0.0, 0.0, 0.0], 0.0);
}

/// The program's 500 queries of width 4, in the first row of "Variance and
/// slopes" in chapters/ch10_3/output/scaling.txt.
#[test]
fn the_measurements_are_those_of_the_figure() {
    let measured = scaling::<500>(4, 0);
    let of = |one: &live::ch10_3::Measured| [one.variance, one.norm].map(f64::from);
    near(&of(&measured.plain), &[4.1096, 0.3416], 6e-5);
    near(&of(&measured.scaled), &[1.0274, 0.3416], 6e-5);
}

/// The page measures fewer queries: near the lines of Figure 10.3.6, at every
/// width.
#[test]
fn the_widths_are_near_the_figure() {
    let mut page = start::<Scores>(PAGE);
    for (width, plain, scaled) in [
        (4, 0.3416, 0.3416),
        (16, 0.2563, 0.3455),
        (64, 0.1553, 0.3462),
        (256, 0.0871, 0.3487),
        (1024, 0.0348, 0.3488),
    ] {
        let question = json!({"scaling": {"width": width, "seed": 0}}).to_string();
        let answer = page.ok(&question);
        let of = |which: &str, what: &str| answer[which][what].as_f64().expect("it");
        near(&[of("plain", "norm")], &[plain], 0.05);
        near(&[of("scaled", "norm")], &[scaled], 0.03);
        near(&[of("plain", "variance") / f64::from(width)], &[1.0], 0.25);
        near(&[of("scaled", "variance")], &[1.0], 0.25);
        near(
            &[of("plain", "variance") / f64::from(width)],
            &[of("scaled", "variance")],
            1e-3,
        );
        assert!(of("plain", "largest") > of("scaled", "largest"));
        // ∂ weight i / ∂ score j = weight i ([i = j] - weight j).
        let weights = numbers(&answer["plain"]["weights"]);
        let slopes = numbers(&answer["plain"]["slopes"]);
        for (i, row) in slopes.chunks(10).enumerate() {
            for (j, slope) in row.iter().enumerate() {
                let same = if i == j { 1.0 } else { 0.0 };
                near(&[*slope], &[weights[i] * (same - weights[j])], 1e-5);
            }
        }
    }
}

#[test]
fn the_module_answers_alike() {
    let scaling = |width: usize| json!({"scaling": {"width": width, "seed": 7}});
    let questions = [
        scores(json!("none")),
        scores(json!({"length": 0})),
        scores(json!({"causal_within": 3})),
        scaling(1).to_string(),
        scaling(64).to_string(),
        BY_HAND.to_string(),
    ];
    let shown = scores(json!("none"));
    let bad = [
        (shown.replace("1.9", "1e38"), "query 0 and pair 0"),
        (shown.replace("1.9", "-1e39"), "query 0 and pair 0"),
        (shown.replace("30", "2e6"), "the value of pair 2"),
        (
            BY_HAND.replace("0.3367", "7"),
            "each number must be from -5.0 to 5.0, not 7.0",
        ),
    ];
    agree::<Scores>(PAGE, &questions, &bad);
}
