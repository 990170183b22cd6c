//! The book's parameters: names, flat vectors, gradients in the same order, and
//! steps that change them. Section 10.2.

use crate::{close, model};
use ch10_1::{Dev, Tensor0, Tensor1, Tensor2};
use ch10_2::parameters::{Optimizer, Parameters, Sgd, step};
use ch10_2::{GaussianAttention, TrainingSet, draw_samples, loss, parameters};
use dfdx::prelude::*;

/// A layer with a matrix, an optional row and a list of layers inside.
struct Nested {
    weight: Tensor2<2, 3>,
    bias: Option<Tensor1<2>>,
    layers: Vec<GaussianAttention>,
}

parameters! { Nested { weight, bias, layers } }

fn nested(bias: bool) -> Nested {
    let dev = Dev::seed_from_u64(1);
    Nested {
        weight: dev.sample_normal(),
        bias: bias.then(|| dev.sample_normal()),
        layers: vec![model(3.0), model(4.0)],
    }
}

fn names(model: &mut impl Parameters) -> Vec<String> {
    model.parameters().into_iter().map(|(name, _)| name).collect()
}

#[test]
fn names_say_where_a_parameter_is() {
    assert_eq!(names(&mut model(1.0)), ["w"]);
    let with_bias = ["weight", "bias", "layers.0.w", "layers.1.w"];
    assert_eq!(names(&mut nested(true)), with_bias);
    assert_eq!(names(&mut nested(false)), ["weight", "layers.0.w", "layers.1.w"]);
}

#[test]
fn a_flat_vector_holds_all_numbers_in_the_order_of_the_names() {
    let mut model = nested(true);
    assert_eq!(model.count(), 6 + 2 + 1 + 1);
    let flat = model.flatten();
    assert_eq!(flat[..6], model.weight.as_vec()[..]);
    assert_eq!(flat[8..], [3.0, 4.0]);
    let counted: Vec<f32> = (0..10u8).map(f32::from).collect();
    model.load_flat(&counted);
    assert_eq!(model.weight.array(), [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]);
    assert_eq!(model.bias.as_ref().map(|b| b.array()), Some([6.0, 7.0]));
    assert_eq!(model.layers[1].w.array(), 9.0);
    assert_eq!(model.flatten(), counted);
}

#[test]
#[should_panic(expected = "flat vector of another model")]
fn a_flat_vector_that_is_too_long_is_refused() {
    model(1.0).load_flat(&[1.0, 2.0]);
}

#[test]
fn gradients_come_in_the_same_order_and_are_zero_where_nothing_depends() {
    let mut model = nested(true);
    let w = model.layers[1].w.retaped::<OwnedTape<f32, Dev>>();
    let weight: Tensor0<OwnedTape<f32, Dev>> =
        model.weight.retaped::<OwnedTape<f32, Dev>>().square().sum();
    let gradients = (w.square() + weight).backward();
    let flat = model.flat_gradient(gradients);
    let doubled: Vec<f32> = model.weight.as_vec().iter().map(|x| 2.0 * x).collect();
    assert_eq!(flat[..6], doubled[..]);
    assert_eq!(flat[6..], [0.0, 0.0, 0.0, 8.0]);
}

#[test]
fn gradient_descent_subtracts_the_gradient_times_the_rate() {
    let mut parameters = [1.0, -2.0];
    Sgd { lr: 0.5 }.update(&mut parameters, &[4.0, -2.0]);
    assert_eq!(parameters, [-1.0, -1.0]);
}

#[test]
#[should_panic(expected = "a gradient for each parameter")]
fn gradients_of_another_length_are_refused() {
    Sgd { lr: 0.5 }.update(&mut [1.0, 1.0], &[1.0]);
}

#[test]
fn the_empty_tape_of_the_page_gives_24() {
    let model = model(3.0);
    let u = Dev::default().tensor(2.0).put_tape(OwnedTape::<f32, Dev>::default());
    let loss: Tensor0<OwnedTape<f32, Dev>> = (model.w.retaped() * u).square();
    assert_eq!(loss.array(), 36.0);
    assert_eq!(loss.backward().get(&model.w).array(), 24.0);
}

#[test]
fn a_step_returns_the_loss_before_it_and_moves_w() {
    let set =
        TrainingSet::<20, 19>::leave_one_out(&draw_samples(&Dev::seed_from_u64(2)));
    let mut model = model(1.0);
    let recorded = loss(&model, &set, OwnedTape::default());
    let (before, gradient) =
        (recorded.array(), recorded.backward().get(&model.w).array());
    let recorded = loss(&model, &set, OwnedTape::default());
    assert_eq!(step(&mut model, &mut Sgd { lr: 0.01 }, recorded), before);
    close(model.w.array(), f64::from(1.0 - 0.01 * gradient), 1e-6);
}
