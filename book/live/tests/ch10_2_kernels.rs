//! Section 10.2, kernels and widths: estimates of a kernel.

use crate::ch10_2::sample;
use crate::common::{Asked, agree, near, numbers, start};
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
    let mut page = start::<Kernels>(PAGE);
    let answer = page.ok(&estimate(&points, "gaussian", 1.0));
    // "Nadaraya-Watson" and "How many keys".
    near(&[answer["error"].as_f64().expect("a number")], &[0.4936], 5e-5);
    near(&[answer["keys"].as_f64().expect("a number")], &[30.1], 0.05);
    let weights = answer["weights"].as_array().expect("rows");
    assert_eq!(weights.len(), 50);
    for row in weights {
        near(&[numbers(row).iter().sum()], &[1.0], 1e-5);
    }
    let answer = page.ok(&estimate(&points, "constant", 1.0));
    near(&[answer["error"].as_f64().expect("a number")], &[0.9299], 5e-5);
}

/// As Figure 10.2.7 shows it near x = 1.7.
#[test]
fn an_empty_window_gives_0() {
    let (points, _) = sample();
    for kernel in ["boxcar", "epanechnikov"] {
        let mut page = start::<Kernels>(PAGE);
        let answer = page.ok(&estimate(&points, kernel, 0.1));
        let empty = answer["empty"].as_u64().expect("a count") as usize;
        assert!((1..10).contains(&empty), "{kernel}: {empty}");
        let output = numbers(&answer["output"]);
        assert_eq!(output.iter().filter(|&&y| y == 0.0).count(), empty);
        assert_eq!(output[17], 0.0);
    }
}

#[test]
fn the_module_answers_alike() {
    let (points, _) = sample();
    let mut questions = vec![r#"{"sample": {"seed": 3}}"#.to_string()];
    questions.extend(KERNELS.map(|kernel| estimate(&points, kernel, 0.3)));
    agree::<Kernels>(PAGE, &questions, &[("[]", "not a question")]);
}
