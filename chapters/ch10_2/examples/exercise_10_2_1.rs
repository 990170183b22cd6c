//! Exercise 1 of section 10.2: more data for the non-parametric form, and
//! what its error is made of. No training.

use ch10_1::{Dev, Tensor1, Tensor2};
use ch10_2::*;
use dfdx::prelude::*;
use support::row;

const SAMPLES: usize = 40;

/// Bias² and variance, each a mean over the test inputs: how far the mean
/// of the fits is from the truth, and how far the fits are from their mean.
fn parts<const N: usize>(dev: &Dev, width: f32) -> [f32; 2] {
    let x: Tensor1<50> = test_inputs(dev);
    let fits: [Tensor1<50>; SAMPLES] = std::array::from_fn(|_| {
        let samples: Samples<N> = draw_samples(dev);
        let u: Tensor2<50, N> = differences(x.clone(), samples.x) / width;
        pool(gaussian_weights(u), samples.y)
    });
    let fits: Tensor2<SAMPLES, 50> = fits.stack();
    let mean = fits.clone().mean::<Rank1<50>, Axis<0>>();
    let centre: Tensor2<SAMPLES, 50> = mean.clone().broadcast();
    let variance = (fits - centre).square().mean::<Rank0, _>().array();
    [mse(mean, &truth(x)), variance]
}

fn main() {
    let dev = Dev::seed_from_u64(0);
    row("points", 8, &["width", "bias²", "variance", "sum"]);
    let show = |points: &str, width: f32, [bias, variance]: [f32; 2]| {
        let cells = [width, bias, variance, bias + variance];
        row(points, 8, &cells.map(|v| format!("{v:.4}")));
        [bias, variance]
    };
    let few = show("50", 1.0, parts::<50>(&dev, 1.0));
    let more = show("500", 1.0, parts::<500>(&dev, 1.0));
    let many = show("5000", 1.0, parts::<5000>(&dev, 1.0));
    let few_narrow = show("50", 0.2, parts::<50>(&dev, 0.2));
    let many_narrow = show("5000", 0.2, parts::<5000>(&dev, 0.2));

    // With width 1, more data takes the variance away and leaves the bias.
    assert!(few[1] > 5.0 * more[1] && more[1] > 5.0 * many[1]);
    assert!((many[0] - few[0]).abs() < 0.1 * few[0]);
    // A narrow window has little bias, and a variance that data can buy off.
    assert!(few_narrow[0] < 0.2 * few[0] && few_narrow[1] > few[1]);
    assert!(many_narrow.iter().sum::<f32>() < 0.1 * many[0]);
}
