//! Gradients against finite differences.

use crate::numbers::close;
use ch10_2::parameters::Parameters;
use dfdx::prelude::*;
use kernels::{Dev, Row, Tensor0, onto_owned_tape};

/// Returns the sum of all numbers of `x`, each times its weight.
fn weighted_sum<S: Shape, T: Tape<f32, Dev>>(
    x: Tensor<S, f32, Dev, T>,
    weights: &[f32],
) -> Tensor0<T> {
    // As a row, products and sums are compiled once for all shapes.
    let len = (x.shape().num_elements(),);
    let weights: Row = x.device().tensor_from_vec(weights.to_vec(), len);
    (x.reshape_like(&len) * weights).sum()
}

/// Returns the gradients of the sum of all numbers of `x`, each times its weight.
pub fn backward_from<S: Shape, T>(
    x: Tensor<S, f32, Dev, T>,
    weights: &[f32],
) -> Gradients<f32, Dev>
where
    T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>,
{
    weighted_sum(onto_owned_tape(x), weights).backward()
}

/// How far a number is moved.
const STEP: f32 = 1.0 / 32.0;

/// Returns the derivative at 0, from differences over two distances (Richardson): the
/// error is of the fourth order.
fn slope(loss: impl Fn(f32) -> f32) -> f32 {
    let over = |h: f32| f64::from(loss(h) - loss(-h)) / f64::from(2.0 * h);
    ((4.0 * over(STEP / 2.0) - over(STEP)) / 3.0) as f32
}

/// Fails unless `gradient` holds the derivatives of `loss` by each number of
/// `x`. The rounding of a loss near 1 allows a tolerance of about 1e-4
/// where the loss is smooth: no ReLU near 0.
#[track_caller]
pub fn gradient_agrees(
    x: &[f32],
    gradient: &[f32],
    loss: impl Fn(&[f32]) -> f32,
    tolerance: f32,
    what: &str,
) {
    let moved = |i: usize, by: f32| {
        let mut x = x.to_vec();
        x[i] += by;
        loss(&x)
    };
    let slopes: Vec<f32> = (0..x.len()).map(|i| slope(|by| moved(i, by))).collect();
    close(gradient, &slopes, tolerance, what);
}

/// Fails unless the gradient of each parameter of a model is that of finite
/// differences of `loss`.
#[track_caller]
pub fn parameters_agree<M: Parameters + Clone>(
    model: &mut M,
    loss: impl Fn(&M) -> Tensor0<OwnedTape<f32, Dev>>,
) {
    let gradient = model.flat_gradient(loss(model).backward());
    assert!(gradient.iter().any(|g| g.abs() > 1e-3), "nothing to compare");
    let start = model.flatten();
    let at = |flat: &[f32]| {
        let mut moved = model.clone();
        moved.load_flat(flat);
        loss(&moved).array()
    };
    gradient_agrees(&start, &gradient, at, 5e-4, "parameters");
}

/// Fails unless each parameter has a gradient other than 0.
#[track_caller]
pub fn assert_all_move(model: &mut impl Parameters, gradient: &[f32]) {
    let mut at = 0;
    for (name, parameter) in model.parameters() {
        let len: usize = parameter.dims().iter().product();
        assert!(gradient[at..][..len].iter().any(|g| *g != 0.0), "{name}");
        at += len;
    }
    assert_eq!(at, gradient.len());
}
