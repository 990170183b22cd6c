//! Values, gradient and training against PyTorch, from the recorded numbers
//! of `nw_kernel_regression.json`. Section 10.2.

use crate::model;
use ch10_1::{Dev, Tensor1};
use ch10_2::*;
use dfdx::prelude::*;
use serde_json::Value;
use testing::{agrees, close, fixture, flat, tensor};

const TOLERANCE: f32 = 1e-5;

fn same(found: &[f32], wanted: &Value, what: &str) {
    close(found, &flat(wanted), TOLERANCE, what);
}

struct Case {
    recorded: Value,
    train: Samples<50>,
    test: Tensor1<50>,
    model: GaussianAttention,
}

fn case() -> Case {
    let recorded = fixture("nw_kernel_regression");
    let input = |name: &str| tensor(&Dev::default(), &recorded["inputs"][name]);
    Case {
        train: Samples { x: input("x_train"), y: input("y_train") },
        test: input("x_test"),
        model: model(flat(&recorded["params"]["w"])[0]),
        recorded,
    }
}

#[test]
fn average_and_non_parametric_pooling() {
    let Case { recorded, train, test, .. } = case();
    let wanted = &recorded["outputs"];
    let uniform = uniform_weights::<50, 50>(&Dev::default());
    for found in pool(uniform, train.y.clone()).array() {
        same(&[found], &wanted["mean_baseline"], "mean");
    }
    let weights = gaussian_weights(differences(test, train.x));
    let row = weights.array()[7];
    same(&row, &wanted["nonparametric_weights_row_7"], "row");
    let output = pool(weights, train.y).array();
    same(&output, &wanted["nonparametric_on_test"], "output");
}

#[test]
fn parametric_pooling_without_the_point_itself() {
    let Case { recorded, train, mut model, .. } = case();
    let set = TrainingSet::<50, 49>::leave_one_out(&train);
    let weights = model.weights(set.differences.leaky_trace());
    same(&weights.array()[7], &recorded["outputs"]["attention_row_7"], "row");
    let output = pool_own(weights, set.values);
    agrees(&recorded, &mut model, str::to_string, output, &[]);
}

#[test]
fn five_steps_of_training_and_the_fit_after_them() {
    let Case { recorded, train: samples, test, mut model } = case();
    let set = TrainingSet::<50, 49>::leave_one_out(&samples);
    let steps = recorded["sgd_steps"].as_array().expect("a list");
    for recorded in steps {
        same(&[model.w.array()], &recorded["w_before"], "w before");
        let traced = loss(&model, &set, OwnedTape::default());
        let found = traced.backward().get(&model.w).array();
        same(&[found], &recorded["grad"], "gradient");
        let [(loss, w)] = train(&mut model, &set, 0.5, 1)[..] else { panic!("a step") };
        same(&[loss], &recorded["loss_sum"], "loss");
        same(&[w], &recorded["w_after"], "w after");
        assert_eq!(w, model.w.array());
    }
    assert_eq!(steps.len(), 5);
    let weights = model.weights(differences(test, samples.x));
    let wanted = &recorded["outputs"];
    same(&weights.array()[7], &wanted["parametric_weights_row_7"], "row");
    let output = pool(weights, samples.y).array();
    same(&output, &wanted["parametric_on_test_after_5_steps"], "output");
}
