//! Exercise 2 of section 10.2: what w means, and why training makes the
//! weights sharper. No training here: the loss is looked at from above.

use ch10_1::Dev;
use ch10_2::*;
use dfdx::prelude::*;
use support::row;

type Others = Pairs<50, 49>;

/// The w with the smallest loss, to 1 %.
fn best(dev: &Dev, pairs: &Others) -> f32 {
    let tried = (0..1000).map(|i| 0.01 * 1.01f32.powi(i));
    let at = |w: f32| loss(dev.tensor(w), pairs).array();
    tried.min_by(|&a, &b| at(a).total_cmp(&at(b))).expect("not empty")
}

fn main() {
    let dev = Dev::seed_from_u64(0);
    let samples: Samples<50> = draw_samples(&dev);
    let pairs: Others = Pairs::others(&samples);
    row("w", 8, &["1/w", "loss", "gradient", "e^entropy"]);
    for w in [0.1, 0.2, 0.5, 1.0, 2.0, 3.4, 5.0, 10.0, 20.0] {
        let parameter: Parameter = dev.tensor(w);
        let traced = loss(parameter.leaky_trace(), &pairs);
        let height = traced.array();
        let slope = traced.backward().get(&parameter).array();
        let weights = parametric_weights(parameter, pairs.differences.clone());
        let entropy = entropy(weights).mean::<Rank0, _>().array();
        let cells = [w.recip(), height, slope, entropy.exp()];
        row(&format!("{w:.1}"), 8, &cells.map(|v| format!("{v:.2}")));
        // Below the best w the loss falls as w grows, above it rises.
        assert_eq!(slope < 0.0, w < 3.384);
    }

    // The same inputs in units a tenth as long: numbers ten times as large.
    let stretched = Samples { x: samples.x * 10.0, y: samples.y };
    let [w, tenth] = [&pairs, &Pairs::others(&stretched)].map(|p| best(&dev, p));
    println!("best w {w:.2}; with every input times 10: {tenth:.3}");
    assert!((w / tenth / 10.0 - 1.0).abs() < 0.03);

    // Noise-free data: nothing to average away, so sharper is better.
    let clean = Samples { y: truth(stretched.x.clone() / 10.0), x: stretched.x / 10.0 };
    let sharper = best(&dev, &Pairs::others(&clean));
    println!("best w without noise {sharper:.2}");
    assert!(sharper > 2.0 * w);
}
