//! Section 10.2: the training of w.

use crate::common::{Asked, agree, near, numbers, start};
use live::ch10_2::Regression;
use serde_json::{Value, json};

const PAGE: &str = "ch10_2";

/// The sample of the program: its points, and where w starts.
pub fn sample() -> (Value, f64) {
    let mut answer = start::<Regression>(PAGE).ok(r#"{"sample": {"seed": 0}}"#);
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
    let mut page = start::<Regression>(PAGE);
    let number = |value: &Value| value.as_f64().expect("a number");
    let before = page.ok(&train(&points, w, 0, false));
    near(&[number(&before["gradient"])], &[-7.4250], 5e-4);
    near(&[number(&before["w"])], &[w], 1e-6);
    let answer = page.ok(&train(&points, w, 5, false));
    // "Training", "The trained form" and "How many keys".
    let history = [
        [45.60, 3.8696],
        [18.62, 3.7547],
        [18.60, 3.6618],
        [18.59, 3.5886],
        [18.58, 3.5323],
    ];
    let steps = numbers(&answer["history"]);
    let mut alone = w;
    for (step, expected) in steps.chunks(2).zip(history) {
        near(&step[..1], &expected[..1], 6e-3);
        near(&step[1..], &expected[1..], 1e-3);
        // One by one, as the reader may take them.
        alone = number(&page.ok(&train(&points, alone, 1, false))["w"]);
        near(&step[1..], &[alone], 1e-6);
    }
    assert_eq!(steps.len(), 10);
    near(&[number(&answer["estimate"]["error"])], &[0.1320], 1e-4);
    near(&[number(&answer["estimate"]["keys"])], &[10.6], 0.05);
    // "A point as its own key".
    let answer = page.ok(&train(&points, w, 5, true));
    near(&[number(&answer["loss"])], &[11.599], 5e-3);
    near(&[number(&answer["w"])], &[5.854], 5e-3);
}

/// The best w of seed 0 is about 3.38; with the point itself among
/// the keys, the loss falls on and on.
#[test]
fn the_loss_over_w() {
    let (points, _) = sample();
    let mut page = start::<Regression>(PAGE);
    for (own_key, expected) in [(false, 3.5), (true, 20.0)] {
        let question = json!({"landscape": {"points": points, "own_key": own_key}});
        let answer = page.ok(&question.to_string());
        let (w, loss) = (numbers(&answer["w"]), numbers(&answer["loss"]));
        assert_eq!([w.len(), loss.len()], [81, 81]);
        let lowest = (0..81).min_by(|&a, &b| loss[a].total_cmp(&loss[b]));
        near(&[w[lowest.expect("one")]], &[expected], 0.26);
    }
}

#[test]
fn the_module_answers_alike() {
    let (points, w) = sample();
    let mut questions = vec![r#"{"sample": {"seed": 3}}"#.to_string()];
    questions.extend([false, true].map(|own_key| train(&points, w, 3, own_key)));
    agree::<Regression>(PAGE, &questions, &[("[]", "not a question")]);
}
