//! Fifty errors are not a loss: a gradient belongs to one number. Section 10.2.

use ch10_1::{Dev, Tensor1};
use ch10_2::GaussianAttention;
use ch10_2::parameters::{Sgd, step};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let mut model = GaussianAttention::new(&dev);
    let errors: Tensor1<50, _> = model.w.leaky_trace().broadcast();
    step(&mut model, &mut Sgd { lr: 0.5 }, errors.square());
}
// Right, line 12: step(&mut model, &mut Sgd { lr: 0.5 }, errors.square().sum());
