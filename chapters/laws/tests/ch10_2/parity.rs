//! Values, gradient and training against PyTorch, from the recorded numbers
//! of `nw_kernel_regression.json`. Section 10.2.

use crate::{close, model};
use ch10_1::{Dev, Tensor1};
use ch10_2::*;
use dfdx::prelude::*;
use serde_json::Value;

const TOLERANCE: f64 = 1e-5;

fn fixture() -> Value {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/fixtures/f32/nw_kernel_regression.json"
    );
    let text = std::fs::read_to_string(file).expect("the fixture is there");
    serde_json::from_str(&text).expect("the fixture is JSON")
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().map(|v| v.as_f64().expect("a number")).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| numbers(value)[0])
}

fn tensor(value: &Value) -> Tensor1<50> {
    let list: Vec<f32> = numbers(value).iter().map(|&v| v as f32).collect();
    Dev::default().tensor(list)
}

#[track_caller]
fn all_close(found: &[f32], wanted: &Value, tolerance: f64) {
    let wanted = numbers(wanted);
    assert_eq!(found.len(), wanted.len());
    for (&found, wanted) in found.iter().zip(wanted) {
        close(found, wanted, tolerance);
    }
}

struct Case {
    recorded: Value,
    train: Samples<50>,
    test: Tensor1<50>,
    model: GaussianAttention,
}

fn case() -> Case {
    let recorded = fixture();
    let inputs = &recorded["inputs"];
    Case {
        train: Samples { x: tensor(&inputs["x_train"]), y: tensor(&inputs["y_train"]) },
        test: tensor(&inputs["x_test"]),
        model: model(number(&recorded["params"]["w"]) as f32),
        recorded,
    }
}

#[test]
fn average_and_non_parametric_pooling() {
    let Case { recorded, train, test, .. } = case();
    let wanted = &recorded["outputs"];
    let uniform = uniform_weights::<50, 50>(&Dev::default());
    for found in pool(uniform, train.y.clone()).array() {
        close(found, number(&wanted["mean_baseline"]), TOLERANCE);
    }
    let weights = gaussian_weights(differences(test, train.x));
    let row = weights.array()[7];
    all_close(&row, &wanted["nonparametric_weights_row_7"], TOLERANCE);
    let output = pool(weights, train.y).array();
    all_close(&output, &wanted["nonparametric_on_test"], TOLERANCE);
}

#[test]
fn parametric_pooling_without_the_point_itself() {
    let Case { recorded, train, model, .. } = case();
    let set = TrainingSet::<50, 49>::leave_one_out(&train);
    let weights = model.weights(set.differences.clone());
    let wanted = &recorded["outputs"];
    let row = weights.array()[7];
    all_close(&row, &wanted["attention_row_7"], TOLERANCE);
    let output = pool_own(weights, set.values).array();
    all_close(&output, &wanted["output"], TOLERANCE);
}

#[test]
fn the_gradient_of_w() {
    let Case { recorded, train, model, .. } = case();
    let set = TrainingSet::<50, 49>::leave_one_out(&train);
    let weights = model.weights(set.differences.leaky_trace());
    let output = pool_own(weights, set.values);
    let sum = (output * tensor(&recorded["cotangent"])).sum();
    let found = sum.backward().get(&model.w).array();
    close(found, number(&recorded["grads"]["w"]), TOLERANCE);
}

#[test]
fn five_steps_of_training_and_the_fit_after_them() {
    let Case { recorded, train: samples, test, mut model } = case();
    let set = TrainingSet::<50, 49>::leave_one_out(&samples);
    let steps = recorded["sgd_steps"].as_array().expect("a list");
    for recorded in steps {
        close(model.w.array(), number(&recorded["w_before"]), TOLERANCE);
        let traced = loss(&model, &set, OwnedTape::default());
        let found = traced.backward().get(&model.w).array();
        close(found, number(&recorded["grad"]), TOLERANCE);
        let history = train(&mut model, &set, 0.5, 1);
        close(history[0].0, number(&recorded["loss_sum"]), TOLERANCE);
        close(history[0].1, number(&recorded["w_after"]), TOLERANCE);
        assert_eq!(history[0].1, model.w.array());
    }
    assert_eq!(steps.len(), 5);
    let weights = model.weights(differences(test, samples.x));
    let wanted = &recorded["outputs"];
    let row = weights.array()[7];
    all_close(&row, &wanted["parametric_weights_row_7"], TOLERANCE);
    let output = pool(weights, samples.y).array();
    let after = &wanted["parametric_on_test_after_5_steps"];
    all_close(&output, after, TOLERANCE);
}
