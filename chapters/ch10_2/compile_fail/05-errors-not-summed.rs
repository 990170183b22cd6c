//! Fifty errors are not a loss: a gradient belongs to one number.
//! Section 10.2.

use ch10_1::Dev;
use ch10_2::{Parameter, step};
use dfdx::optim::{Sgd, SgdConfig};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let mut w: Parameter = dev.sample_uniform();
    let mut sgd = Sgd::new(&w, SgdConfig::default());
    let x: Tensor<Rank1<50>, f32, Dev> = dev.sample_uniform();
    let errors = w.leaky_trace().broadcast::<Rank1<50>, _>() * x;
    step(&mut w, errors.square(), &mut sgd).expect("a step");
}
