//! A loss that no tape recorded has no gradient. Section 10.2.

use ch10_1::Dev;
use ch10_2::parameters::{Sgd, step};
use ch10_2::*;
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    let mut model = GaussianAttention::new(&dev);
    let set = TrainingSet::<50, 49>::leave_one_out(&draw_samples(&dev));
    let loss = loss(&model, &set, NoneTape);
    step(&mut model, &mut Sgd { lr: 0.5 }, loss);
}
// Right, line 12: let loss = loss(&model, &set, OwnedTape::default());
