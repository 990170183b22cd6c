//! The loss of a parameter that no tape follows has no gradient. Section
//! 10.2.

use ch10_1::Dev;
use ch10_2::{Pairs, Parameter, draw_samples, loss, step};
use dfdx::optim::{Sgd, SgdConfig};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let mut w: Parameter = dev.sample_uniform();
    let mut sgd = Sgd::new(&w, SgdConfig::default());
    let pairs: Pairs<50, 49> = Pairs::others(&draw_samples(&dev));
    let loss = loss(w.leaky_trace(), &pairs);
    step(&mut w, loss, &mut sgd).expect("a step");
}
