//! Section 10.2, kernels and widths: estimates of a kernel.

use crate::ch10_2::sample;
use crate::common::{Native, agree, near, numbers};
use live::ch10_2_kernels::Kernels;
use serde_json::{Value, json};

const PAGE: &str = "ch10_2_kernels";
const KERNELS: [&str; 4] = ["gaussian", "boxcar", "epanechnikov", "constant"];

fn estimate(points: &Value, kernel: &str, width: f64) -> String {
    json!({"estimate": {"points": points, "kernel": kernel, "width": width}})
        .to_string()
}

#[test]
fn the_default_is_the_figure() {
    let (points, _) = sample();
    let mut native = Native::<Kernels>::start(PAGE);
    let answer = native.ok(&estimate(&points, "gaussian", 1.0));
    // "Nadaraya-Watson" and "How many keys".
    near(&[answer["error"].as_f64().expect("a number")], &[0.4936], 5e-5);
    near(&[answer["keys"].as_f64().expect("a number")], &[30.1], 0.05);
    let weights = answer["weights"].as_array().expect("rows");
    assert_eq!(weights.len(), 50);
    for row in weights {
        near(&[numbers(row).iter().sum()], &[1.0], 1e-5);
    }
    let answer = native.ok(&estimate(&points, "constant", 1.0));
    near(&[answer["error"].as_f64().expect("a number")], &[0.9299], 5e-5);
}

/// As Figure 10.2.7 shows it near x = 1.7.
#[test]
fn an_empty_window_gives_0() {
    let (points, _) = sample();
    for kernel in ["boxcar", "epanechnikov"] {
        let mut native = Native::<Kernels>::start(PAGE);
        let answer = native.ok(&estimate(&points, kernel, 0.1));
        let empty = answer["empty"].as_u64().expect("a count") as usize;
        assert!((1..10).contains(&empty), "{kernel}: {empty}");
        let output = numbers(&answer["output"]);
        assert_eq!(output.iter().filter(|&&y| y == 0.0).count(), empty);
        assert_eq!(output[17], 0.0);
    }
}

/// Fifty points at one place: every distance is the same, and nothing is NaN.
#[test]
fn points_at_one_place() {
    let points = json!(vec![[2.0, 1.0]; 50]);
    let mut native = Native::<Kernels>::start(PAGE);
    for kernel in KERNELS {
        let answer = native.ok(&estimate(&points, kernel, 0.5));
        let output = numbers(&answer["output"]);
        assert_eq!(output.len(), 50, "{kernel}");
        assert!((output[20] - 1.0).abs() < 1e-5, "{kernel}: {output:?}");
    }
}

fn bad() -> Vec<(String, &'static str)> {
    let (points, _) = sample();
    let mut hole = points.clone();
    hole[3][1] = Value::Null;
    let mut questions = vec![
        ("[]".to_string(), "not a question"),
        (estimate(&json!([]), "gaussian", 1.0), "0 points"),
        (estimate(&hole, "gaussian", 1.0), "null"),
        (estimate(&points, "triangle", 1.0), "triangle"),
    ];
    for width in [0.0, -1.0, 1e39] {
        questions.push((estimate(&points, "gaussian", width), "the width must be"));
    }
    questions
}

#[test]
fn the_module_answers_alike() {
    let (points, _) = sample();
    let mut questions = Vec::new();
    questions.push(r#"{"sample": {"seed": 3}}"#.to_string());
    questions.extend(KERNELS.map(|kernel| estimate(&points, kernel, 0.3)));
    agree::<Kernels>(PAGE, &questions, &bad());
}
