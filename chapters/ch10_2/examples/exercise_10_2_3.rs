//! Exercise 3 of section 10.2: a hyperparameter for the non-parametric form:
//! its width, chosen by leaving one out. No gradient.

use ch10_1::{Dev, Tensor1, Tensor2};
use ch10_2::kernels::{Kernel, kernel_weights};
use ch10_2::*;
use support::row;

/// The mean squared error of each point guessed from the others.
fn left_out(width: f32, samples: &Samples<50>) -> f32 {
    let set = TrainingSet::<50, 49>::leave_one_out(samples);
    let weights = kernel_weights(Kernel::Gaussian, width, set.differences);
    mse(pool_own(weights, set.values), &set.targets)
}

fn main() {
    let dev = Dev::seed_from_u64(0);
    let samples: Samples<50> = draw_samples(&dev);
    let x: Tensor1<50> = test_inputs(&dev);
    let truth = truth(x.clone());
    let u: Tensor2<50, 50> = differences(x, samples.x.clone());
    let test = |width: f32| {
        let weights = kernel_weights(Kernel::Gaussian, width, u.clone());
        mse(pool(weights, samples.y.clone()), &truth)
    };
    row("width", 8, &["left out", "test"]);
    let widths = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0, 2.0];
    for width in widths {
        let cells = [left_out(width, &samples), test(width)];
        row(&format!("{width}"), 8, &cells.map(|v| format!("{v:.4}")));
    }
    let error = |width: &f32| left_out(*width, &samples);
    let chosen = widths
        .into_iter()
        .min_by(|a, b| error(a).total_cmp(&error(b)))
        .expect("not empty");
    println!("chosen width {chosen}, test error {:.4}", test(chosen));

    // Far better than width 1, and where training by gradient ends: 1/3.384.
    assert!(test(chosen) < 0.5 * test(1.0));
    assert!((chosen - 1.0 / 3.384).abs() < 0.05);
    // Leaving one out counts the noise too: about 0.25 of it stays.
    assert!(left_out(chosen, &samples) > test(chosen));
}
