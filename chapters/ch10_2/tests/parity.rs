//! Values, gradient and training against PyTorch, from the recorded numbers
//! of `nw_kernel_regression.json`. Section 10.2.

mod common;

use ch10_1::Dev;
use ch10_2::*;
use common::close;
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

fn tensor(value: &Value) -> Tensor<Rank1<50>, f32, Dev> {
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
    test: Tensor<Rank1<50>, f32, Dev>,
    w: Parameter,
}

fn case() -> Case {
    let recorded = fixture();
    let inputs = &recorded["inputs"];
    Case {
        train: Samples { x: tensor(&inputs["x_train"]), y: tensor(&inputs["y_train"]) },
        test: tensor(&inputs["x_test"]),
        w: Dev::default().tensor(number(&recorded["params"]["w"]) as f32),
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
    let Case { recorded, train, w, .. } = case();
    let pairs: Pairs<50, 49> = Pairs::others(&train);
    let weights = parametric_weights(w, pairs.differences.clone());
    let wanted = &recorded["outputs"];
    let row = weights.array()[7];
    all_close(&row, &wanted["attention_row_7"], TOLERANCE);
    let output = pool_own(weights, pairs.values).array();
    all_close(&output, &wanted["output"], TOLERANCE);
}

#[test]
fn the_gradient_of_w() {
    let Case { recorded, train, w, .. } = case();
    let pairs: Pairs<50, 49> = Pairs::others(&train);
    let weights = parametric_weights(w.leaky_trace(), pairs.differences);
    let output = pool_own(weights, pairs.values);
    let sum = (output * tensor(&recorded["cotangent"])).sum();
    let found = sum.backward().get(&w).array();
    close(found, number(&recorded["grads"]["w"]), TOLERANCE);
}

#[test]
fn five_steps_of_training_and_the_fit_after_them() {
    let Case { recorded, train: samples, test, mut w } = case();
    let pairs: Pairs<50, 49> = Pairs::others(&samples);
    let steps = recorded["sgd_steps"].as_array().expect("a list");
    for recorded in steps {
        close(w.array(), number(&recorded["w_before"]), TOLERANCE);
        let traced = loss(w.leaky_trace(), &pairs);
        let found = traced.backward().get(&w).array();
        close(found, number(&recorded["grad"]), TOLERANCE);
        let history = train(&mut w, &pairs, 0.5, 1).expect("a step");
        close(history[0].0, number(&recorded["loss_sum"]), TOLERANCE);
        close(history[0].1, number(&recorded["w_after"]), TOLERANCE);
        assert_eq!(history[0].1, w.array());
    }
    assert_eq!(steps.len(), 5);
    let weights = parametric_weights(w, differences(test, samples.x));
    let wanted = &recorded["outputs"];
    let row = weights.array()[7];
    all_close(&row, &wanted["parametric_weights_row_7"], TOLERANCE);
    let output = pool(weights, samples.y).array();
    let after = &wanted["parametric_on_test_after_5_steps"];
    all_close(&output, after, TOLERANCE);
}
