//! Section 10.2: the training of w.

use crate::common::{Native, agree, near, numbers};
use live::ch10_2::Regression;
use serde_json::{Value, json};

const PAGE: &str = "ch10_2";

/// The sample of the program: its points, and where w starts.
pub fn sample() -> (Value, f64) {
    let mut answer = Native::<Regression>::start(PAGE).ok(r#"{"sample": {"seed": 0}}"#);
    let w = answer["w"].as_f64().expect("a number");
    (answer["points"].take(), w)
}

fn train(points: &Value, w: f64, steps: usize, own_key: bool) -> String {
    let train = json!({
        "points": points, "w": w, "lr": 0.5, "steps": steps, "own_key": own_key,
    });
    json!({"train": train}).to_string()
}

#[test]
fn the_sample_is_that_of_the_program() {
    let (points, w) = sample();
    // chapters/ch10_2/output.txt, "Data" and "Training".
    let first = [
        [0.1292, 0.4332],
        [0.2311, 1.5952],
        [0.2470, 1.6533],
        [0.3518, 0.3200],
        [0.3784, 2.4592],
    ];
    near(&numbers(&points)[..10], first.as_flattened(), 5e-5);
    near(&[w], &[0.1571], 5e-5);
    assert_eq!(points.as_array().map(Vec::len), Some(50));
}

#[test]
fn five_steps_are_those_of_the_table() {
    let (points, w) = sample();
    let mut native = Native::<Regression>::start(PAGE);
    let number = |value: &Value| value.as_f64().expect("a number");
    let start = native.ok(&train(&points, w, 0, false));
    near(&[number(&start["gradient"])], &[-7.4250], 5e-4);
    near(&[number(&start["w"])], &[w], 1e-6);
    let answer = native.ok(&train(&points, w, 5, false));
    // "Training", "The trained form" and "How many keys".
    let history = [
        [45.60, 3.8696],
        [18.62, 3.7547],
        [18.60, 3.6618],
        [18.59, 3.5886],
        [18.58, 3.5323],
    ];
    let steps = numbers(&answer["history"]);
    for (step, expected) in steps.chunks(2).zip(history) {
        near(&step[..1], &expected[..1], 6e-3);
        near(&step[1..], &expected[1..], 1e-3);
    }
    assert_eq!(steps.len(), 10);
    near(&[number(&answer["estimate"]["error"])], &[0.1320], 1e-4);
    near(&[number(&answer["estimate"]["keys"])], &[10.6], 0.05);
    // "A point as its own key".
    let answer = native.ok(&train(&points, w, 5, true));
    near(&[number(&answer["loss"])], &[11.599], 5e-3);
    near(&[number(&answer["w"])], &[5.854], 5e-3);
}

/// Five single steps, as the reader takes them, are five steps.
#[test]
fn steps_add_up() {
    let (points, start) = sample();
    let mut native = Native::<Regression>::start(PAGE);
    let mut w = start;
    for _ in 0..5 {
        w = native.ok(&train(&points, w, 1, false))["w"].as_f64().expect("w");
    }
    let together = native.ok(&train(&points, start, 5, false));
    near(&[w], &[together["w"].as_f64().expect("w")], 1e-6);
}

/// The best w of seed 0 is about 3.38; with the point itself among
/// the keys, the loss falls on and on.
#[test]
fn the_loss_over_w() {
    let (points, _) = sample();
    let mut native = Native::<Regression>::start(PAGE);
    for (own_key, expected) in [(false, 3.5), (true, 20.0)] {
        let question = json!({"landscape": {"points": points, "own_key": own_key}});
        let answer = native.ok(&question.to_string());
        let (w, loss) = (numbers(&answer["w"]), numbers(&answer["loss"]));
        assert_eq!([w.len(), loss.len()], [81, 81]);
        let lowest = (0..81).min_by(|&a, &b| loss[a].total_cmp(&loss[b]));
        near(&[w[lowest.expect("one")]], &[expected], 0.26);
    }
}

fn bad() -> Vec<(String, &'static str)> {
    let (points, _) = sample();
    let mut few = points.clone();
    few.as_array_mut().expect("points").pop();
    let mut hole = points.clone();
    hole[3][1] = Value::Null;
    let mut far = points.clone();
    far[49][0] = json!(1e39);
    let mut questions = vec![
        ("{}".to_string(), "not a question"),
        (r#"{"sample": {"seed": -1}}"#.to_string(), "not a question"),
        (train(&few, 1.0, 1, false), "49 points"),
        (train(&json!([]), 1.0, 1, true), "0 points"),
        (train(&hole, 1.0, 1, false), "null"),
        (train(&far, 1.0, 1, false), "x of point 49"),
        (train(&points, 1e6, 1, false), "w must be"),
        (train(&points, 1.0, 501, false), "501 steps"),
    ];
    let lr = train(&points, 1.0, 1, true).replace("0.5", "-0.5");
    questions.push((lr, "the learning rate must be"));
    questions
}

/// Fifty points at one place: every distance is 0, and nothing is NaN.
#[test]
fn points_at_one_place() {
    let points = json!(vec![[2.0, 1.0]; 50]);
    let mut native = Native::<Regression>::start(PAGE);
    let answer = native.ok(&train(&points, 1.0, 3, false));
    near(&numbers(&answer["estimate"]["output"]), &[1.0; 50], 1e-5);
}

#[test]
fn the_module_answers_alike() {
    let (points, w) = sample();
    let mut questions = Vec::new();
    questions.push(r#"{"sample": {"seed": 3}}"#.to_string());
    for own_key in [false, true] {
        questions.push(train(&points, w, 3, own_key));
    }
    agree::<Regression>(PAGE, &questions, &bad());
}
