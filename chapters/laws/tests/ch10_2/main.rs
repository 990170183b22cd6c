//! What section 10.2 has tested without training.

mod data;
mod kernels;
mod laws;
mod parameters;
mod parity;

use ch10_1::Dev;
use ch10_2::GaussianAttention;
use dfdx::prelude::*;

/// Whether two numbers agree to `tolerance`, relative to the wanted one; a tenth
/// of it more is allowed, for what is near 0.
#[track_caller]
fn close(found: f32, wanted: f64, tolerance: f64) {
    let difference = (f64::from(found) - wanted).abs();
    let allowed = tolerance * (wanted.abs() + 0.1);
    assert!(difference <= allowed, "{found} where {wanted} is wanted");
}

/// The model with this `w`.
fn model(w: f32) -> GaussianAttention {
    GaussianAttention { w: Dev::default().tensor(w) }
}
